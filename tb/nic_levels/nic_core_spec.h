// SPDX-License-Identifier: Apache-2.0
// The core of the NIC that runs firmware, and the cost of its accesses.
#pragma once

#include <cstdint>

#include "config/fields.h"
#include "iss/rv32_spec.h"

namespace contraflow::nic_levels {

struct nic_core_spec {
    iss::rv32_spec core;
    // From the core's request to the answer, without the instruction itself.
    core::sim_time register_latency = core::sim_time::from_ns(10);
    // Fitted to one published figure: 3 us for a packet of 4 KiB with one registered buffer (docs/assumptions.md).
    core::sim_time table_latency = core::sim_time::from_ns(70);
    std::uint32_t messages = 8;

    static void describe(config::fields<nic_core_spec>& f);
};

}  // namespace contraflow::nic_levels
