// SPDX-License-Identifier: Apache-2.0
// F1 to F5: predictions for machines that the source does not measure.
#include <utility>

#include <fmt/format.h>

#include "validate/table/rows.h"
#include "validate/torus_nic/torus_setup.h"

namespace contraflow::validate {
namespace {

using enum torus_nic::memory_pair;

const char* const prediction = "A prediction: nothing is published.";
const changes in_hardware{"receive.level=tlm"};

double all_to_all_us(const char* nodes, const run_environment& environment) {
    return time_of_program({shipped_experiment::programs,
                            {fmt::format("torus.nodes={}", nodes), "programs.run=[all_to_all]", "programs.rounds=1",
                             "node.gpu.memory=1MiB", "node.gpu.aperture=1MiB"}},
                           environment)
               .seconds() *
           1e6;
}

}  // namespace

measurement receive_in_hardware(const run_environment& environment) {
    return {{half_round_trip_us(host_host, environment, in_hardware),
             half_round_trip_us(gpu_gpu, environment, in_hardware),
             loop_back_gb_per_s(host_host, environment, in_hardware),
             loop_back_gb_per_s(gpu_gpu, environment, in_hardware)},
            "Receive level tlm, whose core takes no time: look-ups of both sides are hardware's. Latencies as A9, "
            "bandwidths as A7.",
            prediction,
            {}};
}

measurement places_of_the_nic(const run_environment& environment) {
    measurement m;
    for (const char* place : {"beside_gpu", "across_root_complex", "other_socket"})
        m.values.push_back(read_gb_per_s("{reading: bar1}", environment,
                                         {"node.gpu.preset=kepler", fmt::format("node.nic_at={}", place)}));
    m.how = "Reads of 1 MiB of a Kepler GPU by BAR1 with the NIC under a switch with it, under the same root complex, "
            "and under another socket's.";
    m.reason = prediction;
    return m;
}

measurement all_to_all_times(const run_environment& environment) {
    const double small = all_to_all_us("[4, 2]", environment), large = all_to_all_us("[4, 4, 4]", environment);
    return {
        {small, large},
        fmt::format("One round: each node puts 4 KiB from its GPU to each other one's. {:.2f} and {:.2f} GB/s a node: "
                    "the firmware that receives is the limit of both.",
                    7 * 4096 / small / 1e3, 63 * 4096 / large / 1e3),
        prediction,
        {}};
}

measurement ways_to_be_faster(const run_environment& environment) {
    struct way {
        const char* what;
        changes sets;
    };
    const std::vector<way> ways{
        {"look-ups in hardware", in_hardware},
        {"v3", {"node.transmit.generation=v3"}},
        {"no time of the host", {"node.process.put=0ns", "node.process.completion=0ns"}},
        {"windows that move at once", {"node.gpu.window_move=0ns"}},
        {"a GPU that answers at once and twice as fast",
         {"node.gpu.read_latency=0ns", "node.gpu.read_rate=3GiB/s", "node.transmit.request_interval=40ns"}},
        {"16 lanes of the NIC", {"node.nic_link=gen2 x16"}},
    };
    const double latency = half_round_trip_us(gpu_gpu, environment), rate = loop_back_gb_per_s(gpu_gpu, environment);
    measurement m;
    changes all;
    std::string list;
    const auto add = [&](const char* what, const changes& sets) {
        const double faster = latency / half_round_trip_us(gpu_gpu, environment, sets),
                     wider = loop_back_gb_per_s(gpu_gpu, environment, sets) / rate;
        list += fmt::format("{}{} {:.2f} and {:.2f}", list.empty() ? "" : ", ", what, faster, wider);
        m.values.insert(m.values.end(), {faster, wider});
    };
    for (const way& w : ways) {
        add(w.what, w.sets);
        all = joined(std::move(all), w.sets);
    }
    add("all", all);
    m.how = fmt::format("GPU to GPU, gain by one change alone: of half a round trip of 32 bytes, and of 1 MiB in "
                        "loop-back: {}.",
                        list);
    m.reason = prediction;
    return m;
}

measurement staging_by_a_host_nic(const run_environment& environment) {
    const changes one_piece = joined(reference, {"messages.piece=1MiB"});
    return {
        {half_round_trip_us(gpu_gpu, environment, reference), one_way_gb_per_s(gpu_gpu, "1MiB", environment, one_piece),
         one_way_gb_per_s(gpu_gpu, "1MiB", environment, reference)},
        "A NIC that moves the hosts' memory only and looks up in hardware; GPU to GPU through it: half a round trip of "
        "32 bytes, 1 MiB in one piece, and in pieces of 64 KiB that overlap.",
        "The published value is InfiniBand's. Its own latency between hosts is not given to the model.",
        {}};
}

}  // namespace contraflow::validate
