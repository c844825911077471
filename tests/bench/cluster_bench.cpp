// SPDX-License-Identifier: Apache-2.0
// Nodes with an RDMA NIC on a torus: all-to-all of messages of 4 KiB between GPUs, verified. Packets a second of host
// time, callbacks a packet, and resident memory.
#include <benchmark/benchmark.h>

#include "core/simulation.h"
#include "nic/receive/receive_pipeline.h"
#include "node_programs/pattern_exchange.h"
#include "node_programs/program_run.h"
#include "resident.h"

using namespace contraflow;

namespace {

void all_to_all(benchmark::State& state) {
    std::uint64_t packets = 0, callbacks = 0;
    double megabytes = 0.0;
    for (auto _ : state) {
        core::simulation sim;
        observe::statistics statistics;
        host::rdma_cluster::spec s;
        s.torus.nodes.assign(3, static_cast<std::uint32_t>(state.range(0)));
        s.node.memory = {1u << 20};
        s.node.gpu.values.memory = {1u << 20};
        s.node.gpu.values.aperture = {1u << 20};
        const nic::datapath_factory make_receive = nic::make_hardware_datapath;
        host::rdma_cluster cluster("", sim.events(), statistics, s, host::rdma_node::parts{make_receive});
        std::vector<nic::position> positions;
        for (unsigned n = 0; n < cluster.nodes(); ++n) positions.push_back(cluster.position(n));
        const auto program = node_programs::make_exchange({.rounds = 1}, positions);
        node_programs::program_run run(sim.events(), cluster, *program);
        sim.run();
        run.start();
        sim.run();
        if (const std::string wrong = run.problem(); !wrong.empty()) return state.SkipWithError(wrong.c_str());
        packets += program->counts().messages;
        callbacks += sim.events().executed();
        megabytes = resident_megabytes();
    }
    state.counters["packets/s"] = benchmark::Counter(static_cast<double>(packets), benchmark::Counter::kIsRate);
    state.counters["callbacks/packet"] = static_cast<double>(callbacks) / static_cast<double>(packets);
    state.counters["MB"] = megabytes;
}
BENCHMARK(all_to_all)->Arg(2)->Arg(4)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
