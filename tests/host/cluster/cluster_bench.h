// SPDX-License-Identifier: Apache-2.0
// A cluster whose every node has a quarter of a MiB of the host's memory and of the GPU's to send from, and as much of
// each to receive in, pages shuffled. What every byte of every memory must be in the end is kept beside it.
#pragma once

#include <algorithm>
#include <cstring>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "core/simulation.h"
#include "host/cluster/rdma_cluster.h"
#include "nic/receive/receive_pipeline.h"

namespace contraflow::host::testing {

using nic::memory_space;

inline rdma_cluster::spec small_cluster(std::vector<std::uint32_t> nodes) {
    rdma_cluster::spec s;
    s.torus.nodes = std::move(nodes);
    s.node.memory = {1u << 20};
    s.node.gpu.values.memory = {1u << 20};
    s.node.gpu.values.aperture = {1u << 20};
    return s;
}

class cluster_bench {
public:
    static constexpr std::uint64_t bytes = 1u << 18;
    // Virtual, alike on all nodes.
    static constexpr std::uint64_t host_from = 0x1000'0000'0000, host_to = 0x1100'0000'0000,
                                   gpu_from = 0x2000'0000'0000, gpu_to = 0x2100'0000'0000;
    static memory_space space_of(std::uint64_t address) {
        return address >= gpu_from ? memory_space::gpu0 : memory_space::host;
    }
    static std::uint64_t from_of(bool gpu) { return gpu ? gpu_from : host_from; }
    static std::uint64_t to_of(bool gpu) { return gpu ? gpu_to : host_to; }

    explicit cluster_bench(const rdma_cluster::spec& s)
        : cluster("", sim.events(), statistics, s, rdma_node::parts{make_receive}),
          per_node(cluster.nodes()) {
        std::mt19937_64 draw(5);
        for (unsigned n = 0; n < cluster.nodes(); ++n) {
            rdma_node& at = cluster.node(n);
            fill(at.memory().subspan(at.free_from()), draw);
            fill(at.gpu_memory(), draw);
            per_node[n].host.assign(at.memory().begin(), at.memory().end());
            per_node[n].gpu.assign(at.gpu_memory().begin(), at.gpu_memory().end());
            const std::uint64_t first = at.free_from();
            per_node[n].regions = {at.host_region(host_from, first, bytes),
                                   at.host_region(host_to, first + bytes, bytes), at.gpu_region(gpu_from, 0, bytes),
                                   at.gpu_region(gpu_to, bytes, bytes)};
            for (auto& r : per_node[n].regions) std::shuffle(r.pages.begin(), r.pages.end(), draw);
            register_all(n);
        }
        sim.run();
    }
    void register_all(unsigned n) {
        for (const auto& r : per_node[n].regions) cluster.node(n).process().register_memory(r);
    }
    rdma_process& process(unsigned n) { return cluster.node(n).process(); }

    // Of a put whose bytes are expected where they will go.
    rdma_process::put_request put(unsigned source, std::uint64_t from, unsigned target, std::uint64_t to,
                                  std::uint32_t length, std::uint16_t tag) {
        for (std::uint32_t i = 0; i < length; ++i) expected(target, to + i) = expected(source, from + i);
        return {space_of(from), from, cluster.position(target), to, length, tag, true};
    }
    // Of a get whose bytes are expected where they will come.
    rdma_process::get_request get(unsigned node, std::uint64_t to, unsigned source, std::uint64_t from,
                                  std::uint32_t length) {
        for (std::uint32_t i = 0; i < length; ++i) expected(node, to + i) = expected(source, from + i);
        return {cluster.position(source), from, to, length};
    }
    void expect_memories() {
        for (unsigned n = 0; n < cluster.nodes(); ++n) {
            rdma_node& at = cluster.node(n);
            const auto rings = static_cast<long>(at.free_from());
            EXPECT_TRUE(std::equal(at.memory().begin() + rings, at.memory().end(), per_node[n].host.begin() + rings))
                << "host memory of node " << n;
            EXPECT_TRUE(std::ranges::equal(at.gpu_memory(), per_node[n].gpu)) << "GPU memory of node " << n;
        }
    }
    // Nothing is under way, lost, or waited for.
    void expect_clean() {
        EXPECT_EQ(cluster.outstanding(), 0u);
        observe::conservation checks;
        cluster.check(checks);
        for (const auto& c : checks.checks()) EXPECT_TRUE(c.held()) << c.name << ": " << c.in << " != " << c.out;
        std::vector<core::wait_edge> edges;
        cluster.report_waits(edges);
        for (const auto& e : edges) ADD_FAILURE() << e.waiter << " waits for " << e.resource << " of " << e.holder;
    }
    void rethrow() {
        for (unsigned n = 0; n < cluster.nodes(); ++n) process(n).rethrow();
    }
    void run() {
        sim.run();
        rethrow();
    }
    void expect_finished() {
        for (unsigned n = 0; n < cluster.nodes(); ++n) EXPECT_TRUE(process(n).finished()) << n;
    }

    core::simulation sim;
    observe::statistics statistics;
    nic::datapath_factory make_receive = nic::make_hardware_datapath;
    rdma_cluster cluster;

private:
    struct node_memory {
        std::vector<std::uint8_t> host, gpu;
        std::vector<rdma_process::region> regions;
    };
    static void fill(std::span<std::uint8_t> all, std::mt19937_64& draw) {
        for (std::size_t i = 0; i < all.size(); i += 8) {
            const std::uint64_t word = draw();
            std::memcpy(all.data() + i, &word, sizeof word);
        }
    }
    std::uint8_t& expected(unsigned n, std::uint64_t address) {
        for (const auto& r : per_node.at(n).regions) {
            if (address < r.base || address - r.base >= bytes) continue;
            const std::uint64_t size = 1ull << nic::page_bits(r.space), at = address - r.base;
            const std::uint64_t place = r.pages[at / size] + at % size;
            return nic::of_gpu(r.space) ? per_node[n].gpu[place] : per_node[n].host[place - rdma_node::host_base];
        }
        throw std::out_of_range("no such memory");
    }

    std::vector<node_memory> per_node;
};

// Puts all of them, then waits until each has left.
inline gpu::host_task send_all(rdma_process& p, std::vector<rdma_process::put_request> puts) {
    std::vector<rdma_process::message> messages;
    for (const auto& r : puts) messages.push_back(co_await p.put(r));
    for (const auto m : messages) EXPECT_EQ(co_await p.sent(m), nic::transmit_status::done);
}
// Gets all of them, then waits until each is there.
inline gpu::host_task get_all(rdma_process& p, std::vector<rdma_process::get_request> gets) {
    std::vector<rdma_process::message> messages;
    for (const auto& r : gets) messages.push_back(co_await p.get(r));
    for (const auto m : messages) EXPECT_EQ(co_await p.got(m), get_status::done);
}
inline gpu::host_task receive_all(rdma_process& p, std::size_t count, std::vector<nic::completion_record>& got) {
    while (got.size() < count) got.push_back(co_await p.receive());
}

}  // namespace contraflow::host::testing
