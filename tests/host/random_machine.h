// SPDX-License-Identifier: Apache-2.0
// Several GPUs of random shape with buffers down to the smallest, whose pages move by any policy: successive seeds go
// through the networks and the policies.
#pragma once

#include <random>

#include "gpu/random_gpu.h"
#include "host/migration/migrating_machine.h"

namespace contraflow::host::testing {

inline unified_machine::spec random_machine(std::uint64_t seed) {
    std::mt19937_64 draw(seed);
    const auto between = [&](unsigned a, unsigned b) { return std::uniform_int_distribution<unsigned>(a, b)(draw); };
    const auto ns = [&](unsigned a, unsigned b) { return core::sim_time::from_ns(between(a, b)); };
    const auto one_in = [&](unsigned n) { return between(1, n) == 1; };
    std::uint64_t rest = seed;
    const auto next_of = [&rest](std::uint64_t n) { return static_cast<unsigned>(std::exchange(rest, rest / n) % n); };

    unified_machine::spec s;
    s.migration = {};
    auto& gpu = s.gpus.gpu;
    gpu = gpu::testing::random_gpu(draw);
    const auto network = gpu::testing::all_networks[next_of(gpu::testing::all_networks.size())];
    const auto policy = std::array{policy_kind::always, policy_kind::access_count, policy_kind::first_touch,
                                   policy_kind::never}[std::array{0, 1, 0, 2, 1, 0, 3}[next_of(7)]];
    s.migration.granularity = one_in(2) ? granularity::page : granularity::whole;
    s.gpus.migration.through_l2 = one_in(2);
    s.migration.read_duplication = one_in(2);
    gpu.sockets = between(2, 6);
    if (one_in(2))
        gpu.network = gpu::testing::tiny_network(network);
    else if (network == gpu::network_kind::pcie)
        gpu.network = gpu::testing::network_of(network);
    else
        gpu.network.set_kind(network);
    gpu.l1.ways = between(1, 2);
    gpu.l1.size = gpu.l1.line * gpu.l1.ways * (one_in(2) ? between(1, 3) : between(4, 32));
    gpu.l2.bank.ways = between(2, 3);
    gpu.l2.remote_ways = 1;
    gpu.l2.bank.size = gpu.l2.bank.line * gpu.l2.bank.ways * (gpu.caches_remote() ? 8 : between(1, 4));
    gpu.dram.size = {96 * 4096};
    gpu.check_protocol = one_in(8);
    gpu.dispatcher.launch_cost = {between(0, 100)};
    s.gpus.processor.kernels = between(1, 4);
    s.gpus.processor.dma.outstanding = between(1, 4);
    s.driver.command_latency = ns(0, 500);
    if (one_in(12)) return s;  // translation takes no time

    auto& t = s.gpus.translation;
    t.mode = gpu::translation_mode::timed;
    for (memory::tlb_spec* const level : {&t.l1, &t.l2}) {
        level->sets = between(1, 2);
        level->ways = between(1, 3);
        level->mshrs = between(1, 2);
        level->mshr_targets = between(1, 2);
        level->queue = between(1, 2);
        level->replacement = std::array{"lru", "fifo", "random"}[between(0, 2)];
        level->hit_latency = {between(0, 10)};
        level->fill_latency = {between(1, 20)};
        level->invalidate_latency = {between(1, 20)};
    }
    t.has_gmmu = one_in(2);
    t.own.forwards = between(1, 2);
    for (memory::walk_spec* const w : {&t.own.walks, &s.iommu.walks}) {
        w->kind = one_in(2) ? memory::walk_kind::fixed : memory::walk_kind::memory;
        w->walkers = between(1, 2);
        w->queue = between(1, 2);
        w->latency = {between(1, 200)};
        w->step = {between(1, 10)};
        w->cached = between(0, 2);
        w->invalidate_latency = {between(1, 20)};
    }
    s.iommu.distance = {between(1, 140)};
    s.gpus.migration.pages = between(1, 2);
    s.gpus.migration.queue = 1;
    s.gpus.migration.outstanding = between(1, 8);
    s.gpus.counters.threshold = between(1, 16);
    s.gpus.counters.sets = s.gpus.counters.ways = between(1, 2);
    auto& m = s.migration;
    m.when.policy = policy;
    if (one_in(4))
        m.when.windows = {{core::sim_time::from_us(2), core::sim_time::from_us(40)},
                          {core::sim_time::from_us(60), core::sim_time::never()}};
    if (one_in(2)) {
        m.when.ping_pong.moves = between(1, 6);
        m.when.ping_pong.pin = core::sim_time::from_us(between(1, 30));
    }
    m.concurrent = between(1, 3);
    m.queue = between(0, 2);
    m.message = ns(0, 500);
    m.table_update = ns(0, 100);
    m.stay = ns(1000, 4000);
    return s;
}

}  // namespace contraflow::host::testing
