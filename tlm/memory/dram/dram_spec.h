// SPDX-License-Identifier: Apache-2.0
// The parameters of a socket's memory and its controllers, and kinds of memory as presets. Defaults: assumed, of the
// HBM2 class. A channel of 48 GB/s stands for three of its pseudo channels, so rows are opened three times as often.
// Sources of the presets: dram_spec.cpp.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "config/fields.h"
#include "config/tree/problem.h"
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
    core::sim_time write_column = core::sim_time::from_ns(7);
    core::sim_time activate_gap{1333};
    core::sim_time four_activates{5333};
    core::sim_time read_to_precharge = core::sim_time::from_ns(5);
    core::sim_time write_recovery = core::sim_time::from_ns(14);
    core::sim_time read_to_write = core::sim_time::from_ns(2);
    core::sim_time write_to_read = core::sim_time::from_ns(4);
    core::sim_time refresh_interval = core::sim_time::from_ns(3900);
    core::sim_time refresh = core::sim_time::from_ns(220);
    core::sim_time overhead = core::sim_time::from_ns(40);
    unsigned queue = 64;
    unsigned write_queue = 64;
    unsigned write_high = 48;
    unsigned write_low = 16;
    unsigned row_hit_cap = 16;
    bool hashed_banks = true;

    // Set by the machine, not by a configuration.
    std::uint64_t base = 0;  // physical address of its first byte
    unsigned socket = 0;     // it belongs to: tells its own requesters from remote ones
    unsigned ports = 1;      // for the sockets, each of which accesses all of it

    static void describe(config::fields<dram_spec>& f);
};

std::vector<config::problem> problems_of(const dram_spec& s);

enum class dram_kind { assumed, gddr5, gddr6, hbm, hbm2, hbm2e, hbm3, ddr3, ddr4 };

// {preset: hbm2, channels: 48}: a kind's channel, and the changes to it. A preset gives banks, bus and times. It leaves
// alone how many channels there are, and what belongs to the controllers.
struct dram_choice : dram_spec {
    dram_kind preset = dram_kind::assumed;

    // Takes the values of that kind; `assumed` keeps those that are here.
    void take(dram_kind kind);
    config::chosen_part chosen() { return {&config::structure_of<dram_spec>(), static_cast<dram_spec*>(this)}; }
    void settle(const dram_choice& like) { take(like.preset); }
    static void describe(config::fields<dram_choice>& f);
};

}  // namespace contraflow::memory

template <> struct contraflow::config::enum_names<contraflow::memory::dram_kind> {
    static constexpr std::array names{std::pair{contraflow::memory::dram_kind::assumed, "assumed"},
                                      std::pair{contraflow::memory::dram_kind::gddr5, "gddr5"},
                                      std::pair{contraflow::memory::dram_kind::gddr6, "gddr6"},
                                      std::pair{contraflow::memory::dram_kind::hbm, "hbm"},
                                      std::pair{contraflow::memory::dram_kind::hbm2, "hbm2"},
                                      std::pair{contraflow::memory::dram_kind::hbm2e, "hbm2e"},
                                      std::pair{contraflow::memory::dram_kind::hbm3, "hbm3"},
                                      std::pair{contraflow::memory::dram_kind::ddr3, "ddr3"},
                                      std::pair{contraflow::memory::dram_kind::ddr4, "ddr4"}};
};
