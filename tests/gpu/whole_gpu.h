// SPDX-License-Identifier: Apache-2.0
// A whole NUMA GPU under a watchdog, and a small one for tests.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "core/simulation.h"
#include "gpu/system/gpu_system.h"
#include "observe/watchdog.h"

namespace contraflow::gpu::testing {

inline gpu_spec small_gpu() {
    gpu_spec s;
    s.units = 2;
    s.l1.size = {2048};
    s.l1.ways = 4;
    s.l2.banks = 2;
    s.l2.bank.size = {8192};
    s.l2.bank.ways = 4;
    s.l2.remote_ways = 2;
    s.rdma_ports = 2;
    s.dram.size = {64u << 20};
    s.dram.channels = 2;
    s.pages.page_size = {4096};
    s.dispatcher.launch_cost = {100};
    return s;
}

class whole_gpu {
public:
    explicit whole_gpu(const gpu_spec& s)
        : gpu(sim.events(), statistics, s),
          watchdog(sim, core::sim_time::from_us(50)) {
        watchdog.watch(gpu);
        watchdog.set_progress([this] { return gpu.moved(); });
        watchdog.set_outstanding([this] { return gpu.outstanding(); });
    }

    // Runs it to its end; throws its exception, or the chain of waits.
    core::sim_time run(host_task program) {
        const core::sim_time begun = sim.events().now();
        gpu.host().start(std::move(program));
        if (!gpu.host().finished() && watchdog.run() != observe::watchdog::verdict::finished)
            throw std::logic_error(fmt::format("{}", fmt::join(watchdog.wait_chain(), "\n")));
        gpu.host().rethrow();
        if (!gpu.host().finished()) throw std::logic_error("the host program did not end");
        return gpu.host().launches().empty() ? core::sim_time{} : gpu.host().launches().back().ended_at - begun;
    }
    core::sim_time run(dim3 grid, dim3 block, const kernel_launch::entry& body, core::bytes scratchpad = {}) {
        auto program = [&](gpu_system_if& g) -> host_task {
            co_await g.launch({"kernel", grid, block, body, scratchpad});
        };
        return run(program(gpu.host()));
    }
    // The checks at the end of any run.
    void expect_clean() {
        gpu.settle();
        observe::conservation checks;
        gpu.check(checks);
        for (const auto& c : checks.checks()) EXPECT_TRUE(c.held()) << c.name << ": " << c.in << " != " << c.out;
        for (unsigned i = 0; i < gpu.sockets(); ++i)
            for (const auto& c : gpu.socket(i).checkers()) {
                EXPECT_EQ(c->under_way(), 0u);
                for (const auto& v : c->violations()) ADD_FAILURE() << v.text;
            }
        EXPECT_TRUE(gpu.idle());
        EXPECT_EQ(gpu.outstanding(), 0u);
    }

    core::simulation sim;
    observe::statistics statistics;
    gpu_system gpu;
    observe::watchdog watchdog;
};

}  // namespace contraflow::gpu::testing
