// SPDX-License-Identifier: Apache-2.0
// What a NUMA GPU is given: its sockets, what each is made of, and what joins them. Defaults of the study: "Asymmetric
// Links for TMS-GPUs" (4 sockets, 1 GHz, contiguous CTAs, first touch); sizes and latencies of the Volta class,
// assumed.
#pragma once

#include <vector>

#include "config/fields.h"
#include "config/problem.h"
#include "gpu/compute_unit/compute_unit_spec.h"
#include "gpu/dispatch/cta_dispatcher.h"
#include "gpu/network/network_spec.h"
#include "gpu/rdma/rdma_spec.h"
#include "memory/cache/cache_spec.h"
#include "memory/crossbar/crossbar_spec.h"
#include "memory/dram/dram_spec.h"
#include "memory/vm/page_table.h"

namespace contraflow::gpu {

enum class coherence {
    // A second-level cache holds lines of its own socket's memory only: there is one place where a line is up to date.
    memory_side,
    // Part of the second level holds lines of other sockets' memory: reads may hit there, writes and atomic operations
    // go through to the home. What is held is invalidated when a kernel begins.
    remote_caching,
};

struct second_level_spec {
    unsigned banks = 16;
    memory::cache_spec bank;
    unsigned remote_ways = 8;

    second_level_spec();
    static void describe(config::fields<second_level_spec>& f);
};

struct gpu_spec {
    unsigned sockets = 4;
    unsigned units = 16;
    core::frequency clock{1e9};
    gpu::coherence coherence = coherence::memory_side;
    compute_unit_spec unit;
    memory::cache_spec l1;
    second_level_spec l2;
    memory::crossbar_spec crossbar;
    unsigned rdma_ports = 8;
    memory::dram_spec dram;
    memory::page_table::spec pages;
    cta_dispatcher::spec dispatcher;
    network_spec network;
    rdma_spec rdma;  // not configured where the links are studied: their queues stand for all there are
    bool check_protocol = false;

    // What its place in the machine gives, not a configuration: ports of the crossbar for clients beside the units (a
    // DMA engine, a page migration controller).
    unsigned client_ports = 1;

    gpu_spec();
    static void describe(config::fields<gpu_spec>& f);
    core::sim_time cycle() const { return clock.time_of({1}); }
    // The caches as they are built, without what their place gives; remote_bank() only with remote_caching.
    memory::cache_spec own_bank() const;
    memory::cache_spec remote_bank(unsigned of) const;  // of so many
    bool caches_remote() const { return coherence == coherence::remote_caching && sockets > 1; }
};

// What is wrong between its fields.
std::vector<config::problem> problems_of(const gpu_spec& s);
// Of the first of these, a std::invalid_argument.
void throw_if_wrong(const gpu_spec& s);

}  // namespace contraflow::gpu

template <> struct contraflow::config::enum_names<contraflow::gpu::coherence> {
    static constexpr std::array names{std::pair{contraflow::gpu::coherence::memory_side, "memory_side"},
                                      std::pair{contraflow::gpu::coherence::remote_caching, "remote_caching"}};
};
