// SPDX-License-Identifier: Apache-2.0
// Nodes with an RDMA NIC on a torus: all-to-all of messages of 4 KiB between GPUs, verified. Packets a second of host
// time, callbacks a packet, resident memory; with firmware, the instructions that all cores execute. 64 nodes that take
// more time or memory than the bounds below are an error.
#include <algorithm>
#include <string>

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

struct outcome {
    std::uint64_t packets = 0, callbacks = 0, instructions = 0;  // of all cores
    unsigned nodes = 0;
    double seconds = 0.0, megabytes = 0.0;
    std::string problem;
};

// One round over a torus of `side` nodes in each dimension.
outcome round_of(std::uint32_t side, const host::rdma_node::parts& parts) {
    const double begun = processor_seconds();
    core::simulation sim{core::time_source::scheduler};
    observe::statistics statistics;
    host::rdma_cluster::spec s;
    s.torus.nodes.assign(3, side);
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
    outcome o;
    o.problem = run.problem();
    o.packets = program->counts().messages;
    o.callbacks = sim.events().executed();
    o.nodes = cluster.nodes();
    for (unsigned n = 0; n < cluster.nodes(); ++n)
        if (const auto* core = dynamic_cast<const nic_levels::nic_core*>(&cluster.node(n).nic().core()))
            o.instructions += core->core().instructions();
    o.megabytes = resident_megabytes();
    o.seconds = processor_seconds() - begun;
    return o;
}

// The instructions of all cores.
std::uint64_t all_to_all(benchmark::State& state, const host::rdma_node::parts& parts) {
    std::uint64_t packets = 0, callbacks = 0, instructions = 0;
    outcome last;
    double seconds = 0.0;
    for (auto _ : state) {
        last = round_of(static_cast<std::uint32_t>(state.range(0)), parts);
        if (!last.problem.empty()) {
            state.SkipWithError(last.problem.c_str());
            return 0;
        }
        packets += last.packets;
        callbacks += last.callbacks;
        instructions += last.instructions;
        seconds = std::max(seconds, last.seconds);
    }
    state.counters["packets/s"] = benchmark::Counter(static_cast<double>(packets), benchmark::Counter::kIsRate);
    state.counters["callbacks/packet"] = static_cast<double>(callbacks) / static_cast<double>(packets);
    state.counters["s"] = seconds;
    state.counters["MB"] = last.megabytes;
    const bool bounded = last.nodes == bounded_nodes;
    if (bounded && seconds > most_seconds) state.SkipWithError("64 nodes take more than 60 s");
    if (bounded && last.megabytes > most_megabytes) state.SkipWithError("64 nodes take more than 250 MB");
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

// What RTL in each receive side costs: the same run at both levels in turn.
void rtl_against_tlm(benchmark::State& state) {
    nic_levels::core_options options;
    nic_levels::level_difference difference;
    const nic::datapath_factory models =
        nic_levels::receive_factory(nic_levels::receive_level::tlm, options, difference);
    const nic::datapath_factory blocks =
        nic_levels::receive_factory(nic_levels::receive_level::rtl, options, difference);
    const auto side = static_cast<std::uint32_t>(state.range(0));
    double tlm = 1e9, rtl = 1e9;
    for (auto _ : state) {
        const outcome model = round_of(side, {models}), block = round_of(side, {blocks});
        if (!model.problem.empty() || !block.problem.empty()) state.SkipWithError("a wrong result");
        tlm = std::min(tlm, model.seconds);
        rtl = std::min(rtl, block.seconds);
    }
    state.counters["tlm_s"] = tlm;
    state.counters["rtl_s"] = rtl;
    state.counters["rtl/tlm"] = rtl / tlm;
}
BENCHMARK(rtl_against_tlm)->Arg(2)->Iterations(5)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
