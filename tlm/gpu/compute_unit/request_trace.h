// SPDX-License-Identifier: Apache-2.0
// Line requests in a trace: a slice from issue to answer in a row of the unit, "cu1 requests", and its stages in order,
// each in the row of the instance in which it was then: "gpu0.cu1_l1", as in the names of statistics.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "config/fields.h"
#include "gpu/compute_unit/request_profile.h"
#include "observe/time_window.h"
#include "observe/trace.h"

namespace contraflow::gpu {

// The requests that are shown.
struct trace_window : observe::time_window {
    std::uint64_t every = 64;

    trace_window() { to = core::sim_time::from_us(100); }
    static void describe(config::fields<trace_window>& f);
};

class request_trace final : public request_observer_if {
public:
    // `first`: the number of the first GPU as shown to users.
    request_trace(observe::trace& into, const trace_window& shown, unsigned first = 0)
        : trace_(into),
          shown_(shown),
          first_(first) {}

    bool follows(core::sim_time begun) override;
    bool follows_code(core::sim_time begun) override { return follows(begun); }
    void request_completed(access_kind kind, bool remote, const memory::memory_extension& request) override;
    void code_completed(bool arguments, const memory::memory_extension& request) override;

    std::uint64_t shown() const { return shown_requests_; }

private:
    // `what`: of the row of its unit.
    void show(const std::string& what, const std::string& name, const memory::memory_extension& request,
              std::uint64_t address);
    // The first row of that name that is free at that time: slices in a row must not overlap.
    observe::track_id row(const std::string& process, const std::string& thread, core::sim_time begin,
                          core::sim_time end);

    observe::trace& trace_;
    const trace_window shown_;
    const unsigned first_;
    std::uint64_t seen_ = 0;  // requests that began within the window
    std::uint64_t shown_requests_ = 0;
    std::map<std::string, std::vector<core::sim_time>> rows_;  // the time from which each is free
};

}  // namespace contraflow::gpu
