// SPDX-License-Identifier: Apache-2.0
// The parameters of a socket's memory. Defaults: a stack of the HBM2 class, assumed.
#pragma once

#include <string>

#include "config/fields.h"
#include "core/units.h"

namespace contraflow::memory {

struct dram_spec {
    core::bytes size{std::uint64_t{4} << 30};
    unsigned channels = 16;
    core::bytes granule{256};
    bool hashed = false;
    core::bandwidth channel_bandwidth = core::bandwidth::from_gb_per_s(48);
    core::bytes burst{32};
    unsigned banks = 16;
    core::bytes row{2048};
    core::sim_time activate = core::sim_time::from_ns(14);
    core::sim_time precharge = core::sim_time::from_ns(14);
    core::sim_time column = core::sim_time::from_ns(14);
    core::sim_time row_active = core::sim_time::from_ns(33);
    core::sim_time overhead = core::sim_time::from_ns(40);
    unsigned queue = 32;
    unsigned row_hit_cap = 16;

    // Set by the machine, not by a configuration.
    std::uint64_t base = 0;  // physical address of its first byte
    unsigned socket = 0;     // it belongs to: tells its own requesters from remote ones
    unsigned ports = 1;      // for the sockets, each of which accesses all of it

    static void describe(config::fields<dram_spec>& f);
};

}  // namespace contraflow::memory
