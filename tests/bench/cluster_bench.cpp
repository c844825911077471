// SPDX-License-Identifier: Apache-2.0
// Nodes with an RDMA NIC on a torus: all-to-all of messages of 4 KiB between GPUs, verified. Packets a second of host
// time, callbacks a packet, resident memory; with firmware, the instructions that all cores execute. 64 nodes that take
// more time or memory than the bounds below are an error.
#include <algorithm>

#include <benchmark/benchmark.h>

#include "core/simulation.h"
#include "nic/receive/receive_pipeline.h"
#include "nic_levels/nic_core.h"
#include "nic_levels/receive_level.h"
#include "node_programs/pattern_exchange.h"
#include "node_programs/program_run.h"
#include "processor_time.h"
#include "resident.h"

using namespace contraflow;

namespace {

constexpr unsigned bounded_nodes = 64;
constexpr double most_seconds = 60, most_megabytes = 250;

// One round over a torus of `side` nodes in each dimension; the instructions of all cores.
std::uint64_t all_to_all(benchmark::State& state, const host::rdma_node::parts& parts) {
    std::uint64_t packets = 0, callbacks = 0, instructions = 0;
    double megabytes = 0.0, seconds = 0.0;
    bool bounded = false;
    for (auto _ : state) {
        const double begun = processor_seconds();
        core::simulation sim{core::time_source::scheduler};
        observe::statistics statistics;
        host::rdma_cluster::spec s;
        s.torus.nodes.assign(3, static_cast<std::uint32_t>(state.range(0)));
        s.node.memory = {1u << 20};
        s.node.gpu.values.memory = {1u << 20};
        s.node.gpu.values.aperture = {1u << 20};
        host::rdma_cluster cluster("", sim.events(), statistics, s, parts);
        std::vector<nic::position> positions;
        for (unsigned n = 0; n < cluster.nodes(); ++n) positions.push_back(cluster.position(n));
        const auto program = node_programs::make_exchange({.rounds = 1}, positions);
        node_programs::program_run run(sim.events(), cluster, *program);
        sim.run();
        run.start();
        sim.run();
        if (const std::string wrong = run.problem(); !wrong.empty()) {
            state.SkipWithError(wrong.c_str());
            return 0;
        }
        packets += program->counts().messages;
        callbacks += sim.events().executed();
        megabytes = resident_megabytes();
        seconds = std::max(seconds, processor_seconds() - begun);
        bounded = cluster.nodes() == bounded_nodes;
        for (unsigned n = 0; n < cluster.nodes(); ++n)
            if (const auto* core = dynamic_cast<const nic_levels::nic_core*>(&cluster.node(n).nic().core()))
                instructions += core->core().instructions();
    }
    state.counters["packets/s"] = benchmark::Counter(static_cast<double>(packets), benchmark::Counter::kIsRate);
    state.counters["callbacks/packet"] = static_cast<double>(callbacks) / static_cast<double>(packets);
    state.counters["s"] = seconds;
    state.counters["MB"] = megabytes;
    if (bounded && seconds > most_seconds) state.SkipWithError("64 nodes take more than 60 s");
    if (bounded && megabytes > most_megabytes) state.SkipWithError("64 nodes take more than 250 MB");
    return instructions;
}

void in_hardware(benchmark::State& state) {
    const nic::datapath_factory make_receive = nic::make_hardware_datapath;
    all_to_all(state, {make_receive});
}
BENCHMARK(in_hardware)->Arg(2)->Arg(4)->Unit(benchmark::kMillisecond);

void by_firmware(benchmark::State& state) {
    const iss::elf_file program = nic_levels::built_in_firmware();
    nic_levels::core_options options;
    options.program = &program;
    nic_levels::level_difference difference;
    const nic::datapath_factory make_receive =
        nic_levels::receive_factory(nic_levels::receive_level::firmware, options, difference);
    const nic::core_factory make_core = nic_levels::firmware_core(options);
    const std::uint64_t instructions = all_to_all(state, {make_receive, &make_core});
    state.counters["instructions/s"] =
        benchmark::Counter(static_cast<double>(instructions), benchmark::Counter::kIsRate);
}
BENCHMARK(by_firmware)->Arg(2)->Arg(4)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
