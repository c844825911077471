// SPDX-License-Identifier: Apache-2.0
// Small nodes on a switch, and a job of shmem on them.
#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>

#include "core/simulation.h"
#include "shmem/collectives.h"
#include "shmem/job.h"
#include "support/wait_text.h"

namespace contraflow::shmem::testing {

using core::sim_time;
using gpu::mask;
using gpu::wave;

inline host::queue_pair_cluster::spec small_cluster(unsigned nodes) {
    host::queue_pair_cluster::spec s;
    s.nodes = nodes;
    s.node.memory = {1u << 20};
    gpu::pcie_gpu_spec& g = s.node.gpu.values;
    g.units = 2;
    g.l1.size = {2048};
    g.l2.banks = 2;
    g.l2.bank.size = {8192};
    g.l2.bank.ways = 4;
    g.dram.size = {8u << 20};
    g.dram.channels = 2;
    g.page_size = {4096};
    g.launch = g.teardown = sim_time::from_us(1);
    g.uncached_store = sim_time::from_ns(100);
    s.node.nic.queues = 32;
    return s;
}

// How many nodes, and how many threads of each host serve the kernels; 0: kernels use the NIC themselves.
struct shape {
    unsigned nodes = 2, helpers = 0;
};

class machine {
public:
    explicit machine(shape p, spec s = {}) : machine(small_cluster(p.nodes), with_helpers(s, p.helpers)) {}
    explicit machine(unsigned nodes, const spec& s = {}) : machine(small_cluster(nodes), s) {}
    machine(const host::queue_pair_cluster::spec& c, const spec& s)
        : cluster("", sim.events(), statistics, c),
          job(sim.events(), cluster, s) {
        sim.run_to(sim_time::from_us(1));
        sim.run();
    }

    pe& operator[](unsigned rank) { return job[rank]; }
    unsigned pes() const { return job.pes(); }
    // The same array on every PE.
    template <class T>
    std::vector<gpu::array<T>> malloc(std::size_t n, memory::memory_type t = memory::memory_type::uncached) {
        std::vector<gpu::array<T>> all;
        for (unsigned i = 0; i < pes(); ++i) all.push_back(job[i].malloc<T>(n, t));
        return all;
    }
    template <class T> std::vector<T> read(unsigned rank, const gpu::array<T>& a) { return job[rank].memory().read(a); }
    template <class T> void write(unsigned rank, const gpu::array<T>& a, const std::vector<T>& v) {
        job[rank].memory().write(a, v);
    }

    using body = std::function<gpu::kernel(context&, wave)>;
    // A kernel on that PE: each workgroup has the context of its number, made and given back.
    void start(unsigned rank, body b, unsigned workgroups = 1, unsigned threads = 32) {
        bodies_.push_back(std::make_unique<body>(std::move(b)));
        start_raw(
            rank,
            [this, rank, b = bodies_.back().get()](wave w) -> gpu::kernel { return with_context(job[rank], b, w); },
            workgroups, threads);
    }
    void start_raw(unsigned rank, const gpu::kernel_launch::entry& entry, unsigned workgroups = 1,
                   unsigned threads = 32) {
        gpu::host_program& host = cluster.node(rank).gpu().host();
        started_.resize(pes());
        started_[rank] = true;
        job.start_helpers();
        host.start(launch(host, workgroups, threads, entry, context::scratchpad(job[rank])));
    }
    // Until all kernels have ended and nothing is under way; throws the first one's exception, or what waits.
    void finish(sim_time limit = sim_time::from_us(5000)) {
        const sim_time end = sim.events().now() + limit;
        for (unsigned i = 0; i < started_.size(); ++i) {
            if (!started_[i]) continue;
            while (!cluster.node(i).gpu().host().finished()) {
                if (sim.events().now() >= end) throw std::logic_error("it never came:\n" + waits());
                sim.run_to(sim.events().now() + sim_time::from_us(1));
            }
        }
        job.stop_helpers();
        sim.run();
        for (unsigned i = 0; i < started_.size(); ++i) {
            if (!started_[i]) continue;
            started_[i] = false;
            cluster.node(i).gpu().host().rethrow();
        }
    }
    // The same kernel on all of them.
    void run(const body& b, unsigned workgroups = 1, unsigned threads = 32) {
        for (unsigned i = 0; i < pes(); ++i) start(i, b, workgroups, threads);
        finish();
    }
    std::string waits() const {
        std::vector<core::wait_edge> edges;
        job.report_waits(edges);
        cluster.report_waits(edges);
        return contraflow::testing::wait_text(edges);
    }
    void expect_clean() {
        cluster.settle();
        observe::conservation checks;
        cluster.check(checks);
        for (const auto& c : checks.checks()) EXPECT_TRUE(c.held()) << c.name << ": " << c.in << " != " << c.out;
        EXPECT_TRUE(cluster.idle());
        EXPECT_EQ(waits(), "");
    }
    // The message of the error that ends the kernels.
    std::string refused() {
        try {
            finish();
        } catch (const error& e) { return e.what(); }
        return "nothing was refused";
    }

    core::simulation sim{core::time_source::scheduler};
    observe::statistics statistics;
    host::queue_pair_cluster cluster;
    shmem::job job;

private:
    static spec with_helpers(spec s, unsigned helpers) {
        s.helpers = helpers;
        return s;
    }
    static gpu::kernel with_context(pe& of, const body* b, wave w) {
        context c(of, w);
        co_await c.create(static_cast<unsigned>(w.cta()));
        co_await (*b)(c, w);
        co_await c.destroy();
    }
    static gpu::host_task launch(gpu::gpu_system_if& gpu, unsigned workgroups, unsigned threads,
                                 gpu::kernel_launch::entry entry, core::bytes scratchpad) {
        co_await gpu.launch({"kernel", workgroups, threads, entry, scratchpad});
    }
    std::vector<std::unique_ptr<body>> bodies_;
    std::vector<bool> started_;
};

}  // namespace contraflow::shmem::testing
