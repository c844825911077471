// SPDX-License-Identifier: Apache-2.0
// A few small GPUs with their driver under a watchdog.
#pragma once

#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "core/simulation.h"
#include "host/driver.h"
#include "observe/watchdog.h"

namespace contraflow::host::testing {

inline gpu::multi_gpu_spec small_gpus(unsigned gpus) {
    gpu::multi_gpu_spec s;
    s.gpu.sockets = gpus;
    s.gpu.units = 2;
    s.gpu.l1.size = {2048};
    s.gpu.l2.banks = 2;
    s.gpu.l2.bank.size = {8192};
    s.gpu.l2.bank.ways = 4;
    s.gpu.bridge_ports = 2;
    s.gpu.dram.size = {64u << 20};
    s.gpu.dram.channels = 2;
    s.gpu.pages.page_size = {4096};
    s.gpu.dispatcher.launch_cost = {100};
    return s;
}

// 1, 2, 3 ...
inline std::vector<std::uint32_t> counted(std::size_t n) {
    std::vector<std::uint32_t> v(n);
    std::iota(v.begin(), v.end(), 1u);
    return v;
}

inline gpu::kernel_launch busy(std::uint32_t ctas, unsigned cycles) {
    return {"busy", ctas, 32, [cycles](gpu::wave w) -> gpu::kernel { co_await w.compute(cycles); }};
}

class machine {
public:
    explicit machine(unsigned gpus) : machine(small_gpus(gpus)) {}
    explicit machine(const gpu::multi_gpu_spec& s)
        : gpus(sim.events(), statistics, s),
          driver(statistics, {}, gpus),
          watchdog(sim, core::sim_time::from_us(50)) {
        watchdog.watch(driver);
        watchdog.watch(gpus);
        watchdog.set_progress([this] { return gpus.moved(); });
        watchdog.set_outstanding([this] { return gpus.outstanding() + (driver.finished() ? 0 : 1); });
    }

    // To its end; throws what it threw, or the chain of who waits for whom. The time it took.
    core::sim_time run(gpu::host_task program) {
        const core::sim_time begun = sim.events().now();
        driver.start(std::move(program));
        return go_on() - begun;
    }
    core::sim_time go_on() {
        if (!driver.finished() && watchdog.run() != observe::watchdog::verdict::finished)
            throw std::logic_error(fmt::format("{}", fmt::join(watchdog.wait_chain(), "\n")));
        driver.rethrow();
        if (!driver.finished()) throw std::logic_error("the host program did not end");
        return sim.events().now();
    }
    // What must hold at the end of any run.
    void expect_clean() {
        gpus.settle();
        observe::conservation checks;
        gpus.check(checks);
        for (const auto& c : checks.checks()) EXPECT_TRUE(c.held()) << c.name << ": " << c.in << " != " << c.out;
        EXPECT_TRUE(gpus.at_rest());
        EXPECT_EQ(gpus.outstanding(), 0u);
        EXPECT_EQ(gpus.payloads_in_flight(), 0u);
    }

    core::simulation sim;
    observe::statistics statistics;
    gpu::multi_gpu gpus;
    host::driver driver;
    observe::watchdog watchdog;
};

}  // namespace contraflow::host::testing
