// SPDX-License-Identifier: Apache-2.0
// tlb: latency and reach of the two levels of TLBs, and of the IOMMU behind them.
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "unified_gpu/experiment.h"
#include "validate/shipped_configuration.h"
#include "validate/table/experiments.h"
#include "validate/unified_gpu/unified_setup.h"

namespace contraflow::validate {
namespace {

// One GPU whose first level has all lines; a walker that takes a fixed time.
host::unified_machine::spec machine(const std::string& translation, const std::string& more = "") {
    const auto text = fmt::format("{{workload: {{name: triad}}, gpus: 1, gpu: {{l1: {{size: 128KiB, ways: 64}}}}, "
                                  "translation: {{{}}}, migration: {{when: {{policy: never}}}}{}{}}}\n",
                                  translation, more.empty() ? "" : ", ", more);
    return shipped_configuration<unified_gpu::experiment>("experiment", text.c_str());
}

// The time of a load, a page further each time, when all lines are in the first level.
double latency_ns(const host::unified_machine::spec& s, unsigned pages, const run_environment& environment) {
    constexpr std::uint64_t stride = (4096 + 128) / sizeof(std::uint32_t);
    unified_bench bench(s, environment);
    const auto next = bench.array_on(1, pages * stride);
    core::sim_time once{}, twice{};
    auto program = [&]() -> gpu::host_task {
        host::command_queue& queue = bench.queue_on(1);
        co_await queue.launch({"place", 1, 1, [=](gpu::wave w) -> gpu::kernel {
                                   for (unsigned i = 0; i < pages; ++i)
                                       co_await w.store(next, i * stride, (i + 1) % pages * stride);
                               }});
        // Before the first one, lines and translations are not where they will be.
        for (const unsigned passes : {2u, 2u, 4u}) {
            const core::sim_time begun = bench.simulation.events().now();
            co_await queue.launch({"chase", 1, 1, [=](gpu::wave w) -> gpu::kernel {
                                       gpu::per_thread<std::uint32_t> at;
                                       for (unsigned i = 0; i < passes * pages; ++i) at = co_await w.load(next, at);
                                       if (at[0] != 0) throw std::runtime_error("a chain of loads ended elsewhere");
                                   }});
            (passes == 2 ? once : twice) = bench.simulation.events().now() - begun;
        }
    };
    bench.run(program());
    return (twice - once).seconds() * 1e9 / (2.0 * pages);
}

constexpr unsigned few = 32, many = 128;  // pages: the first level has 64
const char* const no_l2 = "l2: {sets: 1, ways: 8}";

answer parts(const run_environment& environment, unsigned pages, const std::string& base,
             const std::vector<double>& expected) {
    const std::string comma = base.empty() ? "" : ", ";
    const auto l2 = [&](const char* latency) {
        return base.empty() ? fmt::format("l2: {{hit_latency: {}}}", latency)
                            : fmt::format("l2: {{sets: 1, ways: 8, hit_latency: {}}}", latency);
    };
    const double before = latency_ns(machine(base), pages, environment);
    answer a;
    a.expected = expected;
    for (const auto& s :
         {machine(base + comma + "l1: {hit_latency: 11cycles}"), machine(l2("20cycles")),
          machine(base, "iommu: {walks: {latency: 110cycles}}"), machine(base, "iommu: {distance: 150cycles}")})
        a.measured.push_back(latency_ns(s, pages, environment) - before);
    a.detail = fmt::format("{:.4g} ns before", before);
    return a;
}

answer parts_of_a_hit(const run_environment& environment) { return parts(environment, few, "", {10, 0, 0, 0}); }
answer parts_of_l2(const run_environment& environment) { return parts(environment, many, "", {10, 10, 0, 0}); }
answer parts_of_a_walk(const run_environment& environment) { return parts(environment, many, no_l2, {10, 10, 10, 20}); }

answer reach_of_first_tlb(const run_environment& environment) {
    const auto s = machine("");
    const double hit = latency_ns(s, few, environment), miss = latency_ns(s, many, environment);
    return {{hit, miss}, {latency_ns(s, 64, environment), latency_ns(s, 65, environment)}, "64 entries, LRU"};
}
answer reach_of_second_tlb(const run_environment& environment) {
    const auto s = machine("l1: {ways: 4}, l2: {sets: 1, ways: 64}");
    const double hit = latency_ns(s, few, environment), miss = latency_ns(s, many, environment);
    return {{hit, miss}, {latency_ns(s, 64, environment), latency_ns(s, 65, environment)}, "64 entries, LRU"};
}

}  // namespace

std::vector<experiment> translation_experiments() {
    return {
        {"tlb.l1_parts", "loads within the first TLB, with 10 ns more in it, the second, a walk, the way to the IOMMU",
         "what a translation passes adds 10 ns", "ns", relation::equal, 0.001, parts_of_a_hit},
        {"tlb.l2_parts", "the same beyond the first TLB, within the second", "each part once", "ns", relation::equal,
         0.001, parts_of_l2},
        {"tlb.walk_parts", "the same beyond both", "each part once, the way to the IOMMU twice", "ns", relation::equal,
         0.001, parts_of_a_walk},
        {"tlb.l1_reach", "as many pages as the first TLB has entries, and one more", "all hit, all miss", "ns",
         relation::equal, 0.001, reach_of_first_tlb},
        {"tlb.l2_reach", "the same of the second TLB", "all hit, all miss", "ns", relation::equal, 0.001,
         reach_of_second_tlb},
    };
}

}  // namespace contraflow::validate
