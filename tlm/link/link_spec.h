// SPDX-License-Identifier: Apache-2.0
// The parameters of a reversible link. Sources: "Asymmetric Links for TMS-GPUs" for lanes and rates; values it does not
// give (header, buffers, latencies) are assumed, see README.md in this folder.
#pragma once

#include <cstdint>
#include <vector>

#include "config/fields.h"
#include "config/tree/problem.h"
#include "core/units.h"
#include "link/lanes/lane_spec.h"

namespace contraflow::link {

inline constexpr unsigned most_vcs = 4;

struct link_spec {
    lane_spec lanes;
    core::bandwidth lane_rate = core::bandwidth::from_gb_per_s(8);
    core::bytes header{16};
    std::uint32_t ack_coalescing = 3;
    std::uint32_t vcs = 2;  // virtual channels of each direction; set by the network, not configured
    std::uint32_t queue = 16;
    core::bytes receive_buffer{16384};
    core::sim_time propagation = core::sim_time::from_ns(4);
    core::sim_time pipeline = core::sim_time::from_ns(20);

    static void describe(config::fields<link_spec>& f);
};

// The bytes that a lane carries in a cycle.
std::uint32_t phit_bytes(const link_spec& s, core::sim_time cycle);
// Conflicts between its fields, for links with that clock cycle.
std::vector<config::problem> problems_of(const link_spec& s, core::sim_time cycle);

}  // namespace contraflow::link
