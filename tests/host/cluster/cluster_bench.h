// SPDX-License-Identifier: Apache-2.0
// A cluster in which every node has a quarter of a MiB of the host's memory and of the GPU's to send from, and the same
// to receive in, pages shuffled. At the end every byte of every memory is checked.
#pragma once

#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "core/simulation.h"
#include "host/cluster/checked_memory.h"
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
    static std::uint64_t from_of(bool gpu) { return gpu ? gpu_from : host_from; }
    static std::uint64_t to_of(bool gpu) { return gpu ? gpu_to : host_to; }

    // `chosen` outlives it; null: hardware receives, and the core is a table.
    explicit cluster_bench(const rdma_cluster::spec& s, const rdma_node::parts* chosen = nullptr)
        : cluster("", sim.events(), statistics, s, chosen != nullptr ? *chosen : rdma_node::parts{hardware}),
          memory(cluster, 5) {
        for (const std::uint64_t base : {host_from, host_to, gpu_from, gpu_to})
            memory.add(base >= gpu_from ? memory_space::gpu0 : memory_space::host, base, bytes,
                       checked_memory::pages::shuffled);
        memory.register_all();
        sim.run();
    }
    rdma_process& process(unsigned n) { return cluster.node(n).process(); }

    // A put whose bytes are expected at its target.
    rdma_process::put_request put(unsigned source, std::uint64_t from, unsigned target, std::uint64_t to,
                                  std::uint32_t length, std::uint16_t tag) {
        return memory.put(source, from, target, to, length, tag);
    }
    // A get whose bytes are expected in the memory of its node.
    rdma_process::get_request get(unsigned node, std::uint64_t to, unsigned source, std::uint64_t from,
                                  std::uint32_t length) {
        memory.expect(node, to, source, from, length);
        return {cluster.position(source), from, to, length};
    }
    void expect_memories() { EXPECT_EQ(memory.wrong(), ""); }
    // Nothing is in flight, lost, or waited for.
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
    const nic::datapath_factory hardware = nic::make_hardware_datapath;
    rdma_cluster cluster;
    checked_memory memory;
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
