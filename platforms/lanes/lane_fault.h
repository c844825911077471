// SPDX-License-Identifier: Apache-2.0
// Lanes that fail during a run and do not recover: how they are configured, checked, carried out and reported.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "config/fields.h"
#include "config/text/diagnostics.h"
#include "core/units.h"
#include "face/results/report_data.h"
#include "lanes/link_result.h"
#include "link/lanes/direction.h"

namespace contraflow::net {
class network;
}

namespace contraflow::lanes {

struct lane_fault {
    std::string link;
    link::direction direction = link::direction::ab;
    core::sim_time at{};

    static void describe(config::fields<lane_fault>& f);
};

// Every fault is one of a link that there is; `where` finds "lane_faults[0].link".
void check(const std::vector<lane_fault>& faults, const std::vector<std::string>& links,
           const std::function<config::location(const std::string& path)>& where, config::diagnostics& diag);
// Now. A single node has no network.
void fail_lane(const net::network* network, const lane_fault& f);
// The effects of the faults on a run, called `what`.
void tell_faults(const std::vector<lane_fault>& faults, const std::vector<link_result>& links, const std::string& what,
                 face::report_data& report);
// The faults that took effect in a chart over time (us) of that link: others found no lane, or the run had ended.
void mark_faults(face::chart& chart, std::vector<lane_fault> faults, const link_result& l, core::sim_time end);

}  // namespace contraflow::lanes

template <> struct contraflow::config::enum_names<contraflow::link::direction> {
    using e = contraflow::link::direction;
    static constexpr std::array names{std::pair{e::ab, "a_to_b"}, std::pair{e::ba, "b_to_a"}};
};
