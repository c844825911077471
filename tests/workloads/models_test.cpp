// SPDX-License-Identifier: Apache-2.0
// Every workload in every combination of execution and memory model, on 1, 2, 4 and 8 GPUs, verified.
#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "check.h"
#include "core/simulation.h"
#include "host/driver/program_runner.h"
#include "host/system/unified_machine.h"
#include "observe/watchdog.h"
#include "workloads/catalogue.h"

namespace contraflow::workloads_test {
namespace {

using host::execution_model;
using host::memory_model;
using host::program_runner;

// Small, and with more than one CTA per GPU.
std::string at_test_size(std::string_view name) {
    static const std::map<std::string_view, std::string> parameters{
        {"algebraic_multigrid", "side: 5\n"},
        {"bfs", "graph: {kind: rmat, scale: 11, edge_factor: 4}\n"},
        {"euler", "side: 6\nsteps: 1\n"},
        {"fft", "bits: 10\nblock: 64\n"},
        {"gather_scatter", "bits: 11\nblock: 64\n"},
        {"histogram", "n: 5000\nbins: 100\nblock: 64\n"},
        {"many_to_one", "columns: 500\nslots: 5\nrows: 2\nblock: 64\n"},
        {"matmul", "n: 64\n"},
        {"molecular_dynamics", "cells: 4\nsteps: 1\n"},
        {"multigrid", "grid: 32\nblock: 64\nsmall: 0\n"},
        {"pagerank", "graph: {kind: rmat, scale: 11, edge_factor: 4}\niterations: 2\n"},
        {"pointer_chase", "bits: 8\nchains: 40\nsteps: 50\n"},
        {"radix_sort", "n: 1000\nctas: 9\nblock: 64\n"},
        {"spmv", "matrix: {kind: random, rows: 333, row_entries: 7}\n"},
        {"sssp", "graph: {kind: rmat, scale: 11, edge_factor: 4}\n"},
        {"stencil_2d", "nx: 64\nny: 37\nsteps: 2\nblock: 64\n"},
        {"stencil_3d", "nx: 33\nny: 5\nnz: 7\nsteps: 2\nblock: 64\n"},
        {"survey_propagation", "variables: 600\n"},
        {"trace", "file: " CF_TEST_DATA "/traces/copy.txt\n"},
        {"transpose", "n: 100\n"},
        {"triad", "n: 5000\nblock: 64\n"},
        {"triangular_solve", "matrix: {kind: circuit, rows: 3000, entries: 11000}\n"},
    };
    const auto at = parameters.find(name);
    return fmt::format("name: {}\n{}", name, at == parameters.end() ? "size: small\n" : at->second);
}

gpu::multi_gpu_spec small_gpus(unsigned gpus) {
    gpu::multi_gpu_spec s;
    s.gpu.sockets = gpus;
    s.gpu.units = 4;
    s.gpu.l2.banks = 4;
    s.gpu.l2.bank.size = {32u << 10};
    s.gpu.dram.size = {64u << 20};
    s.gpu.dram.channels = 4;
    s.gpu.pages.page_size = {4096};
    return s;
}

// With timed translation: TLBs that are too small for the workloads' pages, walks that read the tables.
host::unified_machine::spec translated(unsigned gpus, bool own_walkers) {
    host::unified_machine::spec s;
    s.gpus = small_gpus(gpus);
    s.migration = {};  // no page moves
    s.gpus.translation.mode = gpu::translation_mode::timed;
    s.gpus.translation.l1.ways = 4;
    s.gpus.translation.l2.sets = 2;
    s.gpus.translation.l2.ways = 4;
    s.gpus.translation.has_gmmu = own_walkers;
    s.gpus.translation.own.walks.kind = s.iommu.walks.kind = memory::walk_kind::memory;
    return s;
}

host::unified_machine::spec instant(unsigned gpus) {
    host::unified_machine::spec s;
    s.gpus = small_gpus(gpus);
    return s;
}

// Pages always move to the GPU that accesses them.
host::unified_machine::spec moving(unsigned gpus, bool copies) {
    host::unified_machine::spec s = translated(gpus, false);
    s.gpus.translation.l2.ways = 64;  // the workloads are to move pages, not to wait for walks
    s.migration.when.policy = host::migration::policy_kind::always;
    s.migration.read_duplication = copies;
    return s;
}

// The time it took.
core::sim_time run(std::string_view workload, const host::unified_machine::spec& s, const program_runner::spec& how) {
    const unsigned gpus = s.gpus.gpu.sockets;
    SCOPED_TRACE(fmt::format("{} on {} GPUs", workload, gpus));
    core::simulation sim;
    observe::statistics statistics;
    const auto w = selected(at_test_size(workload)).create();
    host::unified_machine whole(sim.events(), statistics, s);
    gpu::multi_gpu& machine = whole.gpus();
    host::driver& driver = whole.driver();
    program_runner runner(driver, how);
    w->prepare(runner.memory());
    runner.start(w->run(runner));
    observe::watchdog dog(sim, core::sim_time::from_us(200));
    dog.watch(whole);
    dog.set_progress([&] { return whole.moved(); });
    dog.set_outstanding([&] { return whole.outstanding(); });
    EXPECT_EQ(dog.run(), observe::watchdog::verdict::finished) << fmt::format("{}", fmt::join(dog.wait_chain(), "\n"));
    EXPECT_NO_THROW(driver.rethrow());
    EXPECT_EQ(w->verify(runner.memory()), "");
    observe::conservation checks;
    whole.settle();
    whole.check(checks);
    EXPECT_TRUE(checks.held());
    EXPECT_TRUE(whole.idle());
    if (s.gpus.timed()) {
        std::uint64_t walks = whole.iommu()->walks().statistics().walks.value();
        for (unsigned g = 1; g <= gpus; ++g)
            if (gpu::gmmu* const own = machine.gpu(g).translation()->own_walkers(); own != nullptr)
                walks += own->walks().statistics().walks.value();
        EXPECT_GT(walks, 0u);
    }
    if (auto* const migrator = whole.migrator(); migrator != nullptr) {
        const auto& pages = migrator->statistics();
        const bool of_one_gpu = workload == "trace";  // the trace has one CTA
        EXPECT_EQ(pages.moved.value() + pages.duplicated.value() > 0, !of_one_gpu);
    }
    const auto& moved = driver.statistics();
    EXPECT_EQ(moved.copies.value() > 0, how.memory == memory_model::discrete);
    std::uint64_t kernels = 0;  // the driver's count: for a split kernel, the parts with CTAs
    for (const auto& l : runner.launches())
        kernels += how.execution == execution_model::split ? std::min<std::uint64_t>(gpus, l.launch.ctas()) : 1;
    EXPECT_EQ(moved.kernels.value(), kernels);
    for (unsigned g = 1; g <= gpus; ++g) {
        const bool member = std::find(how.gpus.begin(), how.gpus.end(), g) != how.gpus.end();
        const bool idle = !member || (how.execution == execution_model::one && g != how.gpus[0]);
        EXPECT_TRUE(!idle || machine.processor(g).dispatcher().ctas_finished() == 0) << g;
    }
    return sim.events().now();
}

// The order is descending, so that no part can rely on an ascending one.
std::vector<unsigned> everyone(unsigned gpus) {
    std::vector<unsigned> all;
    for (unsigned g = gpus; g > 0; --g) all.push_back(g);
    return all;
}

class models : public ::testing::TestWithParam<std::string_view> {};

TEST_P(models, all_give_the_right_result_on_any_number_of_gpus) {
    for (const unsigned gpus : {1u, 2u, 4u, 8u}) {
        const std::vector<unsigned> all = everyone(gpus);
        for (const auto execution : {execution_model::split, execution_model::unified})
            for (const auto memory : {memory_model::discrete, memory_model::unified})
                run(GetParam(), instant(gpus), {execution, memory, all});
    }
}

TEST_P(models, one_gpu_of_several_runs_it_with_either_memory) {
    for (const auto memory : {memory_model::discrete, memory_model::unified})
        run(GetParam(), instant(4), {execution_model::one, memory, {3, 1}});
}

// As GCN's units: four cycles an instruction, few wavefronts.
TEST_P(models, wavefronts_of_64_threads_give_the_right_result) {
    for (const unsigned gpus : {1u, 4u}) {
        auto s = instant(gpus);
        s.gpus.gpu.unit.wave_width = 64;
        s.gpus.gpu.unit.lanes = 16;
        s.gpus.gpu.unit.wave_slots = 40;
        if (GetParam() == "trace") continue;  // of wavefronts of 32
        run(GetParam(), s, {execution_model::unified, memory_model::unified, everyone(gpus)});
    }
}

TEST_P(models, the_result_is_the_same_where_addresses_take_time_to_translate) {
    for (const unsigned gpus : {1u, 2u, 4u}) {
        run(GetParam(), translated(gpus, false), {execution_model::unified, memory_model::unified, everyone(gpus)});
        run(GetParam(), translated(gpus, true), {execution_model::split, memory_model::discrete, everyone(gpus)});
    }
}

TEST_P(models, the_result_is_the_same_where_pages_move) {
    for (const bool copies : {false, true})
        for (const unsigned gpus : {2u, 4u})
            run(GetParam(), moving(gpus, copies), {execution_model::unified, memory_model::unified, everyone(gpus)});
}

std::vector<std::string_view> names() {
    std::vector<std::string_view> out;
    for (const auto& e : workloads::all()) out.push_back(e.name);
    return out;
}
INSTANTIATE_TEST_SUITE_P(of, models, ::testing::ValuesIn(names()), [](const auto& p) { return std::string(p.param); });

}  // namespace
}  // namespace contraflow::workloads_test
