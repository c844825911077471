// SPDX-License-Identifier: Apache-2.0
// A few small GPUs with their driver under a watchdog.
#pragma once

#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "core/simulation.h"
#include "host/system/unified_machine.h"
#include "observe/watchdog.h"

namespace contraflow::host::testing {

inline gpu::multi_gpu_spec small_gpus(unsigned gpus) {
    gpu::multi_gpu_spec s;
    s.gpu.sockets = gpus;
    s.gpu.units = 2;
    s.gpu.l1.size = {2048};
    s.gpu.l1.ways = 4;
    s.gpu.l2.banks = 2;
    s.gpu.l2.bank.size = {8192};
    s.gpu.l2.bank.ways = 4;
    s.gpu.rdma_ports = 2;
    s.gpu.dram.size = {64u << 20};
    s.gpu.dram.channels = 2;
    s.gpu.pages.page_size = {4096};
    s.gpu.dispatcher.launch_cost = {100};
    return s;
}

inline unified_machine::spec untranslated(const gpu::multi_gpu_spec& gpus) {
    unified_machine::spec s;
    s.gpus = gpus;
    return s;
}

// The same with translation that takes time: by the smallest TLBs, and walks that read the tables in memory.
inline unified_machine::spec translated(gpu::multi_gpu_spec gpus, bool own_walkers = false) {
    unified_machine::spec s;
    s.gpus = std::move(gpus);
    s.migration = {};  // no page moves
    auto& t = s.gpus.translation;
    t.mode = gpu::translation_mode::timed;
    t.l1.ways = 2;
    t.l1.mshrs = t.l1.mshr_targets = 2;
    t.l2.sets = 2;
    t.l2.ways = 2;
    t.l2.mshrs = t.l2.mshr_targets = t.l2.queue = 2;
    t.has_gmmu = own_walkers;
    t.own.forwards = 2;
    for (memory::walk_spec* const w : {&t.own.walks, &s.iommu.walks}) {
        w->kind = memory::walk_kind::memory;
        w->walkers = w->queue = 2;
        w->cached = 2;
    }
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
    explicit machine(const gpu::multi_gpu_spec& s) : machine(untranslated(s)) {}
    explicit machine(const unified_machine::spec& s)
        : whole(sim.events(), statistics, s),
          watchdog(sim, core::sim_time::from_us(50)) {
        watchdog.watch(whole);
        watchdog.set_progress([this] { return whole.moved(); });
        watchdog.set_outstanding([this] { return whole.outstanding(); });
    }

    // Runs it to its end and returns the time; throws its exception, or the chain of waits.
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
    // The checks at the end of any run.
    void expect_clean() {
        whole.settle();
        observe::conservation checks;
        whole.check(checks);
        for (const auto& c : checks.checks()) EXPECT_TRUE(c.held()) << c.name << ": " << c.in << " != " << c.out;
        for (unsigned g = 1; g <= gpus.gpus(); ++g)
            for (const auto& c : gpus.gpu(g).checkers())
                for (const auto& v : c->violations()) ADD_FAILURE() << c->name() << ": " << v.text;
        EXPECT_TRUE(whole.idle());
        EXPECT_EQ(whole.outstanding(), 0u);
        EXPECT_EQ(whole.payloads_in_flight(), 0u);
    }

    core::simulation sim;
    observe::statistics statistics;
    unified_machine whole;
    gpu::multi_gpu& gpus = whole.gpus();
    host::driver& driver = whole.driver();
    observe::watchdog watchdog;
};

}  // namespace contraflow::host::testing
