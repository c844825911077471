// SPDX-License-Identifier: Apache-2.0
// The results of one run.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "host/migration/policies.h"
#include "host/migration/steps.h"
#include "pcie/fabric/address_map.h"
#include "remote_memory/page_watch.h"
#include "remote_memory/request_watch.h"
#include "runner/run_outcome.h"
#include "study/kernel_report.h"
#include "study/stage_chart.h"

namespace contraflow::remote_memory {

// The sum over all GPUs, in one level of caches or TLBs.
struct level_result {
    std::string name;
    std::uint64_t hits = 0, asked = 0;
    double rate() const { return asked == 0 ? 0 : static_cast<double>(hits) / static_cast<double>(asked); }
};

// A direction of a link between two nodes of the network.
struct direction_result {
    std::string name;
    std::uint64_t payload_bytes = 0, wire_bytes = 0;
    double busy = 0;  // share of the run in which its wires carried something
};

struct migration_result {
    std::uint64_t moved = 0, duplicated = 0, collapsed = 0, declined = 0, failed = 0;
    std::uint64_t bytes = 0;
    std::uint64_t outside_window = 0, pinned = 0, queue_full = 0, no_frame = 0,
                  claimed = 0;  // reasons why a page stayed although the policy wanted to move it
    std::uint64_t pins = 0;
    host::migration::policy_kind policy{};                            // what was to move pages
    std::uint64_t threshold = 0;                                      // of access counters
    core::sim_time total{};                                           // from the touch to the reply, over all
    std::array<core::sim_time, host::migration::step_count> steps{};  // the same by step
    std::uint64_t ended() const { return moved + duplicated + collapsed + failed; }
    core::sim_time mean() const { return ended() == 0 ? core::sim_time{} : core::sim_time{total.ps / ended()}; }
    // The time in which no GPU can use the page: without the message and the wait in the queue.
    core::sim_time mean_closed() const;
    // The time in which requests to the page wait: from the touch on, but access counters hold nothing up before the
    // move.
    core::sim_time mean_held() const;
};

struct access_counts {
    std::uint64_t local = 0, remote = 0;  // requests of units, by the memory of their page
    std::uint64_t all() const { return local + remote; }
    double remote_share() const { return all() == 0 ? 0 : static_cast<double>(remote) / static_cast<double>(all()); }
};

struct run_result : runner::run_outcome {
    unsigned gpus = 1;

    std::vector<study::kernel_result> kernels;
    access_counts accesses;
    std::array<request_times, reaches> loads;
    request_times held_stores, held_atomics;        // those whose page was moving
    study::request_stages lives;                    // of requests of all kinds
    std::array<std::uint64_t, reaches> requests{};  // requests of all kinds
    traffic_matrix traffic{1, core::sim_time::from_us(1)};
    std::vector<way_point> path;
    core::sim_time path_end{};
    std::vector<level_result> levels;
    std::uint64_t walks = 0;  // by the IOMMU and by GPUs' own walkers
    std::vector<direction_result> network;
    std::vector<pcie::address_map::row> addresses;  // from the enumeration of a PCIe tree
    migration_result migration;
    std::uint64_t page_size = 4096, line = 128;  // bytes
    std::vector<page_life> pages;
    std::vector<host::migration::move_record> moves;

    const request_times& loads_of(reach r) const { return loads[static_cast<std::size_t>(r)]; }
};

}  // namespace contraflow::remote_memory
