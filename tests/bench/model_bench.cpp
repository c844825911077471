// SPDX-License-Identifier: Apache-2.0
// The closed-form model's speed on one core: factors of a random graph, both halo searches, a long trace.
#include <algorithm>

#include <benchmark/benchmark.h>

#include "../pcie/model/halo.h"
#include "pcie/model/orders/order_search.h"
#include "pcie/model/path_table.h"
#include "pcie/model/solver.h"
#include "pcie/model/timeline.h"

namespace contraflow::pcie::model {
namespace {

void factors_of_a_random_graph(benchmark::State& state) {
    const topology tree = test::t2();
    const network net(tree);
    path_table paths(net);
    test::generator g(1);
    std::vector<std::vector<path_id>> graphs(1024);
    for (auto& graph : graphs) {
        std::vector<communication> list;
        while (list.size() != static_cast<std::size_t>(state.range(0)))
            list = test::random_graph(g, tree, static_cast<unsigned>(state.range(0)));
        for (const communication& c : list) graph.push_back(*paths.find(c.from, c.to));
    }
    congestion_solver solver(paths);
    std::size_t i = 0;
    for (auto _ : state) benchmark::DoNotOptimize(solver.solve(graphs[i++ % graphs.size()]).data());
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(factors_of_a_random_graph)->Arg(4)->Arg(8);

void search_halo(benchmark::State& state, unsigned nx, unsigned ny, unsigned nz) {
    const topology tree = test::t2();
    const network net(tree);
    const order_problem problem = test::halo(tree, nx, ny, nz);
    search_options options;
    options.jobs = 1;
    double orders = 0.0;
    for (auto _ : state) orders += search_orders(net, problem, options).orders;
    state.counters["orders/s"] = benchmark::Counter(orders, benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(search_halo, 2d, 4, 2, 1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(search_halo, 3d, 2, 2, 2)->Unit(benchmark::kMillisecond);

// One order of three rounds of an exchange between 8 GPUs, with the reasons for what each send lost or without.
void one_order(benchmark::State& state) {
    const topology tree = test::t2();
    const network net(tree);
    std::vector<communication> list;
    for (unsigned round = 0; round < 3; ++round)
        for (unsigned from = 0; from < 8; ++from)
            list.push_back(test::send(tree, from, (from + 1 + round) % 8, {1'000'000 + 1000 * (from + 8 * round)}));
    timeline_options options;
    options.reasons = state.range(0) != 0;
    for (auto _ : state) benchmark::DoNotOptimize(run_timeline(net, list, options).end_s);
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(list.size()));
}
BENCHMARK(one_order)->Arg(1)->Arg(0)->ArgName("reasons");

// The ends of such orders, one after the other: a different one each time.
void one_more_order(benchmark::State& state) {
    const topology tree = test::t2();
    const network net(tree);
    test::generator g(1);
    std::vector<std::vector<communication>> orders(1024);
    for (auto& list : orders) {
        for (unsigned round = 0; round < 3; ++round)
            for (unsigned from = 0; from < 8; ++from)
                list.push_back(test::send(tree, from, (from + 1 + round) % 8, {1'000'000 + 1000 * (from + 8 * round)}));
        std::shuffle(list.begin(), list.end(), g);
    }
    order_timer timer(net);
    std::size_t i = 0;
    for (auto _ : state) benchmark::DoNotOptimize(timer.end_s(orders[i++ % orders.size()]));
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(one_more_order);

// The results of local search and branch and bound in a fixed budget on 16 GPUs.
void search_halo_4x4(benchmark::State& state) {
    const topology tree = test::t2(4);
    const network net(tree);
    const order_problem problem = test::halo(tree, 4, 4);
    search_options options;
    options.jobs = 1;
    options.evaluations = 20'000;
    options.nodes = 2'000;
    std::uint64_t simulated = 0;
    for (auto _ : state) simulated += search_orders(net, problem, options).simulated;
    state.counters["simulated/s"] = benchmark::Counter(static_cast<double>(simulated), benchmark::Counter::kIsRate);
}
BENCHMARK(search_halo_4x4)->Unit(benchmark::kMillisecond);

void trace_of_100000_communications(benchmark::State& state) {
    const topology tree = test::t2();
    const network net(tree);
    test::generator g(1);
    std::vector<communication> list;
    for (unsigned i = 0; i < 100'000; ++i) {
        const unsigned from = test::pick(g, 8);
        list.push_back(test::send(tree, from, (from + 1 + test::pick(g, 7)) % 8, {1 + g() % 4'000'000}, 1e-5 * i));
    }
    for (auto _ : state) benchmark::DoNotOptimize(run_timeline(net, list).end_s);
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(list.size()));
}
BENCHMARK(trace_of_100000_communications)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace contraflow::pcie::model

BENCHMARK_MAIN();
