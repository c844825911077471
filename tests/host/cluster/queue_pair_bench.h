// SPDX-License-Identifier: Apache-2.0
// Nodes whose kernels talk to the network: small MI25s, NICs with queue pairs, a switch. Each node has a registered
// buffer in its GPU's memory and one in its host's. What a kernel does for a message is here: entry, waits, control
// page, doorbell, completion.
#pragma once

#include <array>
#include <cstring>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "core/little_endian.h"
#include "core/simulation.h"
#include "gpu/kernel/wave.h"
#include "host/cluster/queue_pair_cluster.h"
#include "support/wait_text.h"

namespace contraflow::host::testing {

using core::sim_time;
using word = std::uint64_t;

inline queue_pair_cluster::spec small_queue_pair_cluster(unsigned nodes) {
    queue_pair_cluster::spec s;
    s.nodes = nodes;
    s.node.memory = {1u << 20};
    gpu::pcie_gpu_spec& g = s.node.gpu.values;
    g.units = 2;
    g.l2.banks = 2;
    g.l2.bank.size = {16u << 10};
    g.dram.size = {64u << 20};
    g.dram.channels = 2;
    g.launch = g.teardown = sim_time::from_us(1);
    s.node.nic.queues = 16;
    return s;
}

// ---- what a kernel does

// Writes the entry and rings. The NIC finds the entry in memory, and not an older line in the path block.
inline gpu::task<> post(gpu::wave w, const queue_pair_end& q, nic::work_entry e, gpu::array<word> control) {
    std::array<std::uint8_t, nic::work_entry_bytes> bytes{};
    e.encode(bytes);
    const auto words =
        gpu::per_thread<word>::from([&](unsigned i) { return i < 8 ? core::load_le<word>(bytes.data() + 8 * i) : 0; });
    const unsigned first = (e.number - 1) % q.sizes.entries * 8;
    co_await w.store(q.entries, w.thread_ids() + first, words, gpu::mask::first(8));
    co_await w.fence();
    co_await w.store(control, 0, gpu::ppb_invalidate_and_flush, gpu::mask::thread(0));
    co_await w.fence();
    co_await w.store(q.doorbell, 0, word{e.number}, gpu::mask::thread(0));
}

// Waits for the n-th completion, and takes it.
inline gpu::task<nic::queue_completion> complete(gpu::wave w, const queue_pair_end& q, std::uint32_t n) {
    const word first = (n - 1) % q.sizes.completions * 8;
    std::array<std::uint8_t, nic::queue_completion_bytes> bytes{};
    for (;;) {
        core::store_le<word>(bytes.data(), (co_await w.load(q.completions, first, gpu::mask::thread(0)))[0]);
        const auto c = nic::queue_completion::decode(bytes);
        if (c.number == 0 || c.phase != nic::queue_completion::phase_of(n, q.sizes.completions)) continue;
        co_await w.store(q.doorbell, 1, word{n}, gpu::mask::thread(0));
        co_return c;
    }
}

class queue_pair_bench {
public:
    static constexpr std::uint64_t bytes = 256u << 10;

    explicit queue_pair_bench(const queue_pair_cluster::spec& s)
        : cluster("", sim.events(), statistics, s),
          data(s.nodes) {
        for (unsigned n = 0; n < s.nodes; ++n) {
            data[n].in_gpu = node(n).gpu().memory().allocate<word>(bytes / 8, memory::memory_type::uncached);
            data[n].in_host = node(n).reserve_host(bytes);
            fill(n);
            register_all(n);
        }
    }
    queue_pair_node& node(unsigned n) { return cluster.node(n); }
    void register_all(unsigned n) {
        constexpr nic::access_rights all{true, true, true, true};
        data[n].gpu_key = node(n).register_gpu(data[n].in_gpu.address(), bytes, all);
        data[n].host_key = node(n).register_host(data[n].in_host, bytes, all);
    }
    // Random bytes everywhere, which are expected to stay.
    void fill(unsigned n) {
        std::mt19937_64 draw(n + 1);
        data[n].gpu_expected.resize(bytes / 8);
        for (word& v : data[n].gpu_expected) v = draw();
        node(n).gpu().memory().write(data[n].in_gpu, data[n].gpu_expected);
        data[n].host_expected.resize(bytes);
        for (auto& b : data[n].host_expected) b = static_cast<std::uint8_t>(draw());
        std::ranges::copy(data[n].host_expected, node(n).host_bytes(data[n].in_host, bytes).begin());
    }

    // A message between the GPU's memory of two nodes, by offsets in their buffers.
    nic::work_entry write(unsigned from, std::uint64_t at, unsigned to, std::uint64_t there, std::uint32_t length,
                          std::uint32_t number) const {
        nic::work_entry e;
        e.signalled = true;
        e.number = number;
        e.local_address = data[from].in_gpu.address() + at;
        e.local_key = data[from].gpu_key.local_key;
        e.remote_address = data[to].in_gpu.address() + there;
        e.remote_key = data[to].gpu_key.remote_key;
        e.length = length;
        return e;
    }
    nic::work_entry read(unsigned from, std::uint64_t at, unsigned to, std::uint64_t there, std::uint32_t length,
                         std::uint32_t number) const {
        nic::work_entry e = write(from, at, to, there, length, number);
        e.opcode = nic::work_opcode::read;
        return e;
    }
    nic::work_entry add(unsigned from, std::uint64_t at, unsigned to, std::uint64_t there, word what,
                        std::uint32_t number) const {
        nic::work_entry e = write(from, at, to, there, 8, number);
        e.opcode = nic::work_opcode::fetch_add;
        e.operand = what;
        return e;
    }
    // Of the PPB's control register of that node.
    nic::work_entry flush(unsigned to, std::uint32_t number) {
        nic::work_entry e;
        e.inline_data = e.signalled = true;
        e.number = number;
        e.length = 8;
        core::store_le<word>(e.data.data(), gpu::ppb_invalidate_and_flush);
        e.remote_address = node(to).control_page().address();
        e.remote_key = node(to).control_key().remote_key;
        return e;
    }

    // Those bytes of the one are expected in the other one's GPU memory from now on.
    void expect(unsigned to, std::uint64_t there, unsigned from, std::uint64_t at, std::uint32_t length) {
        std::memcpy(reinterpret_cast<std::uint8_t*>(data[to].gpu_expected.data()) + there,
                    reinterpret_cast<const std::uint8_t*>(data[from].gpu_expected.data()) + at, length);
    }
    void expect_memories() {
        for (unsigned n = 0; n < cluster.nodes(); ++n) {
            EXPECT_TRUE(node(n).gpu().memory().read(data[n].in_gpu) == data[n].gpu_expected) << "GPU of node " << n;
            EXPECT_TRUE(std::ranges::equal(node(n).host_bytes(data[n].in_host, bytes), data[n].host_expected))
                << "host of node " << n;
        }
    }

    // A kernel of one wavefront; all that are started run beside each other.
    void start(unsigned n, gpu::kernel_launch::entry body) {
        started.insert(n);
        node(n).gpu().host().start(launch(node(n).gpu().host(), std::move(body)));
    }
    // To the end of all programs since the last call, and of all traffic.
    void run() {
        sim.run();
        for (const unsigned n : std::exchange(started, {})) {
            node(n).gpu().host().rethrow();
            EXPECT_TRUE(node(n).gpu().host().finished()) << n << "\n" << waits();
        }
    }
    std::string waits() {
        std::vector<core::wait_edge> edges;
        cluster.report_waits(edges);
        return contraflow::testing::wait_text(edges);
    }
    void expect_clean() {
        cluster.settle();
        EXPECT_EQ(cluster.outstanding(), 0u);
        observe::conservation checks;
        cluster.check(checks);
        for (const auto& c : checks.checks()) EXPECT_TRUE(c.held()) << c.name << ": " << c.in << " != " << c.out;
        EXPECT_EQ(waits(), "");
    }
    std::string report() {
        cluster.settle();
        std::string text;
        for (const observe::stat_row& r : statistics.rows(sim.events().now()))
            text += fmt::format("{} {} {}\n", r.path, r.metric, r.value);
        return text;
    }

    core::simulation sim;
    observe::statistics statistics;
    queue_pair_cluster cluster;
    struct buffers {
        gpu::array<word> in_gpu;
        std::uint64_t in_host = 0;  // bus address
        queue_pair_driver::handle gpu_key, host_key;
        std::vector<word> gpu_expected;
        std::vector<std::uint8_t> host_expected;
    };
    std::vector<buffers> data;
    std::set<unsigned> started;  // nodes

private:
    static gpu::host_task launch(gpu::gpu_system_if& g, gpu::kernel_launch::entry body) {
        co_await g.launch({"kernel", 1, 32, std::move(body)});
    }
};

}  // namespace contraflow::host::testing
