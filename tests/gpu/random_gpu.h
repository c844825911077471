// SPDX-License-Identifier: Apache-2.0
// A GPU of random shape, with buffers down to the smallest allowed.
#pragma once

#include <array>
#include <random>

#include "gpu/network/networks.h"
#include "whole_gpu.h"

namespace contraflow::gpu::testing {

inline gpu_spec random_gpu(std::mt19937_64& draw) {
    const auto between = [&](unsigned a, unsigned b) { return std::uniform_int_distribution<unsigned>(a, b)(draw); };
    gpu_spec s = small_gpu();
    s.sockets = between(1, 8);
    s.units = between(1, 3);
    s.coherence = between(0, 1) == 0 ? coherence::memory_side : coherence::remote_caching;
    s.unit.wave_slots = between(4, 12);
    s.unit.outstanding = between(1, 20);
    s.l1.line = s.l2.bank.line = {32u << between(0, 2)};
    s.l1.ways = 4;
    s.l1.size = {s.l1.line.count * 4 * between(1, 8)};
    s.l1.mshrs = between(1, 6);
    s.l1.mshr_targets = between(1, 4);
    s.l1.queue = between(1, 4);
    s.l1.request_queue = between(2, 4);
    s.l2.banks = 2u << between(0, 1);
    s.l2.bank.size = {s.l2.bank.line.count * 4 * (std::uint64_t{4} << between(1, 3))};
    s.l2.bank.mshrs = between(1, 6);
    s.l2.bank.mshr_targets = between(1, 4);
    s.l2.bank.queue = between(1, 4);
    s.l2.bank.request_queue = between(2, 4);
    s.l2.bank.write_backs = between(1, 3);
    s.l2.bank.replacement = std::array{"lru", "fifo", "random", "tree_plru"}[between(0, 3)];
    s.l2.remote_ways = between(1, 3);
    s.rdma_ports = 1u << between(0, 1);
    s.crossbar.queue = between(1, 4);
    s.crossbar.response_queue = between(1, 4);
    s.crossbar.latency = {between(1, 20)};
    s.dram.channels = between(1, 3);
    s.dram.queue = between(1, 6);
    s.dram.write_queue = between(1, 6);
    s.dram.write_high = between(1, s.dram.write_queue);
    s.dram.write_low = between(0, s.dram.write_high - 1);
    s.pages.placement = between(0, 1) == 0 ? memory::placement::first_touch : memory::placement::interleaved;
    s.dispatcher.order = between(0, 1) == 0 ? cta_order::contiguous : cta_order::round_robin;
    s.network.topology = static_cast<net::topology>(between(0, 5));
    s.network.link.queue = between(1, 4);
    s.network.link.receive_buffer = {between(160, 500)};
    s.network.link.lanes.lanes_per_direction = between(1, 8);
    s.network.link.lane_rate = core::bandwidth::from_gb_per_s(between(0, 1) == 0 ? 1 : 8);
    s.network.link.lanes.sample_time = {between(100, 500)};
    s.network.link.lanes.switch_time = {between(10, 100)};
    s.network.link.lanes.policy = std::array{"static", "published", "guarded"}[between(0, 2)];
    s.rdma = {between(0, 2), {between(0, 5)}};
    if (between(0, 4) == 0) {
        s.network.in_pcie_tree = true;
        s.network.pcie = tiny_network(network_kind::pcie).pcie;
    }
    s.check_protocol = between(0, 1) == 0;
    if (between(0, 1) == 0) {  // code of a few lines in caches of fewer
        shader_array_spec& a = s.shader_array;
        a.units = between(1, 3);
        a.buffer = between(1, 4);
        a.code = {8 * between(1, 100)};
        a.arguments = {between(0, 100)};
        a.instructions.line = a.scalars.line = s.l1.line;
        a.instructions.ways = a.scalars.ways = 2;
        a.instructions.size = a.scalars.size = {s.l1.line.count * 2 * between(1, 4)};
        a.instructions.mshrs = a.scalars.mshrs = between(1, 3);
        a.instructions.mshr_targets = a.scalars.mshr_targets = between(1, 3);
        a.instructions.queue = a.scalars.queue = between(1, 3);
    }
    return s;
}

}  // namespace contraflow::gpu::testing
