// SPDX-License-Identifier: Apache-2.0
// link: bandwidth by direction, lanes and rate; latency by parts and hops; credits; fairness.
#include <string_view>

#include <fmt/format.h>

#include "validate/physics/experiments.h"
#include "validate/physics/gpu_probe.h"

namespace contraflow::validate {
namespace {

constexpr double line = 128;

// Two GPUs and one link, and how its keys are changed.
std::string pair_of(const std::string& link, const std::string& lanes = "policy: static") {
    return fmt::format("gpus: 2, network: {{kind: fully_connected, link: {{lanes: {{{}}}{}{}}}}}", lanes,
                       link.empty() ? "" : ", ", link);
}

stream from_next(unsigned gpus = 1) {
    stream t;
    t.gpus = gpus;
    t.ctas = 64;
    t.waves = 4;
    t.lines = 128;
    t.in_flight = 4;
    t.from = 1;
    return t;
}

double raw_gb_per_s(const gpu::gpu_spec& s) {
    const auto& link = s.network.link;
    return link.lane_rate.bytes_per_s * 1e-9 * link.lanes.lanes_per_direction;
}
// Of the link's bytes, those that are data of lines.
double data_share(const gpu::gpu_spec& s) { return line / (line + static_cast<double>(s.network.link.header.count)); }

answer reads(const run_environment& environment) {
    const auto s = machine_of(pair_of(""));
    return {{raw_gb_per_s(s) * data_share(s)},
            {flow_of(s, from_next(), environment).gb_per_s},
            fmt::format("{:.4g} GB/s, headers of {} bytes", raw_gb_per_s(s), s.network.link.header.count)};
}
answer writes(const run_environment& environment) {
    const auto s = machine_of(pair_of(""));
    stream t = from_next();
    t.kind = stream::access::write;
    t.in_flight = 1;
    return {{raw_gb_per_s(s) * data_share(s)}, {flow_of(s, t, environment).gb_per_s}, ""};
}
// Requests of one direction take the other's room: a header for a line and its header.
answer reads_both_ways(const run_environment& environment) {
    const auto s = machine_of(pair_of(""));
    const double header = static_cast<double>(s.network.link.header.count);
    return {{2 * raw_gb_per_s(s) * line / (line + 2 * header)},
            {flow_of(s, from_next(2), environment).gb_per_s},
            "both directions together"};
}
answer by_lanes(const run_environment& environment) {
    answer a;
    for (const unsigned lanes : {1u, 2u, 4u, 16u}) {
        const auto s = machine_of(pair_of("", fmt::format("lanes_per_direction: {}", lanes)));
        a.expected.push_back(raw_gb_per_s(s) * data_share(s));
        a.measured.push_back(flow_of(s, from_next(), environment).gb_per_s);
    }
    return a;
}
answer by_lane_rate(const run_environment& environment) {
    answer a;
    for (const unsigned rate : {1u, 2u, 4u}) {
        const auto s = machine_of(pair_of(fmt::format("lane_rate: {}GB/s", rate)));
        a.expected.push_back(raw_gb_per_s(s) * data_share(s));
        a.measured.push_back(flow_of(s, from_next(), environment).gb_per_s);
    }
    return a;
}
answer by_header(const run_environment& environment) {
    answer a;
    for (const unsigned header : {0u, 32u, 128u}) {
        const auto s = machine_of(pair_of(fmt::format("header: {}B", header)));
        a.expected.push_back(raw_gb_per_s(s) * data_share(s));
        a.measured.push_back(flow_of(s, from_next(), environment).gb_per_s);
    }
    return a;
}

constexpr chain far{1, 0, 512, 128};

answer parts_of_a_remote_load(const run_environment& environment) {
    const double before = latency_ns(machine_of(pair_of("")), far, environment);
    const auto added = [&](const std::string& link, const std::string& lanes) {
        return latency_ns(machine_of(pair_of(link, lanes)), far, environment) - before;
    };
    // A lane drains for at least the time of a bit along it.
    return {{20, 20}, {added("propagation: 14ns", "drain: 14cycles"), added("pipeline: 30ns", "policy: static")}, ""};
}

// Neighbours on a ring of eight GPUs; each link further adds the same.
answer by_hops(const run_environment& environment) {
    const auto s = machine_of("gpus: 8, network: {kind: ring}");
    std::vector<double> ns;
    for (unsigned hops = 1; hops <= 4; ++hops) ns.push_back(latency_ns(s, {hops, 0, 512, 128}, environment));
    return {{ns[1] - ns[0], ns[1] - ns[0]},
            {ns[2] - ns[1], ns[3] - ns[2]},
            fmt::format("one hop {:.4g} ns, two {:.4g} ns", ns[0], ns[1])};
}

// The sender has credits for the receive buffer. A credit is back after the way there and back, so the rate is the
// buffer over that time: from two buffers follows the time, and from the time the rate of a third.
answer by_credits(const run_environment& environment) {
    const auto rate = [&](unsigned packets) {
        const auto s = machine_of(pair_of(fmt::format("receive_buffer: {}B", packets * 144)));
        return flow_of(s, from_next(), environment).gb_per_s;
    };
    const double one = rate(2);
    return {{2 * one, 4 * one}, {rate(4), rate(8)}, fmt::format("two packets: {:.4g} GB/s", one)};
}

// Three GPUs read the fourth one's memory, whose link is full.
answer fair_readers(const run_environment& environment) {
    const auto s = machine_of("network: {kind: switch}");
    stream t = from_next(3);
    t.at = 3;
    const auto f = flow_of(s, t, environment);
    return {{f.ns[0], f.ns[0]}, {f.ns[1], f.ns[2]}, "when each has read the same"};
}

// The same access from each GPU of a symmetric machine takes the same time.
answer symmetric_gpus(const run_environment& environment) {
    answer a;
    for (const char* const kind : {"switch", "fully_connected", "ring", "torus"}) {
        const auto s = machine_of(fmt::format("network: {{kind: {}}}", kind));
        const double first = latency_ns(s, {1, 0, 512, 128}, environment);
        for (unsigned by = 1; by < 4; ++by) {
            // On a torus of 2 x 2 the next GPU is the neighbour in the row.
            const unsigned home = std::string_view(kind) == "torus" ? by ^ 1u : (by + 1) % 4;
            a.expected.push_back(first);
            a.measured.push_back(latency_ns(s, {home, by, 512, 128}, environment));
        }
    }
    return a;
}

}  // namespace

std::vector<experiment> link_experiments() {
    return {
        {"link.reads", "reads of another GPU's memory over one link", "lanes x rate x line / (line + header)", "GB/s",
         relation::equal, 0.02, reads},
        {"link.writes", "writes to another GPU's memory over one link", "lanes x rate x line / (line + header)",
         "GB/s", relation::equal, 0.03, writes},
        {"link.both_ways", "two GPUs that read each other's memory", "2 x lanes x rate x line / (line + 2 headers)",
         "GB/s", relation::equal, 0.03, reads_both_ways},
        {"link.lanes", "reads over 1, 2, 4 and 16 lanes", "lanes x rate x line / (line + header)", "GB/s",
         relation::equal, 0.02, by_lanes},
        {"link.rates", "reads over lanes of 1, 2 and 4 GB/s", "lanes x rate x line / (line + header)", "GB/s",
         relation::equal, 0.02, by_lane_rate},
        {"link.headers", "reads with headers of 0, 32 and 128 bytes", "lanes x rate x line / (line + header)", "GB/s",
         relation::equal, 0.02, by_header},
        {"link.parts", "a load of another GPU's memory, with 10 ns more of propagation, of pipeline",
         "each adds 10 ns there and 10 ns back", "ns", relation::equal, 0.01, parts_of_a_remote_load},
        {"link.hops", "loads over 2, 3 and 4 links of a ring: what the third and the fourth add",
         "as much as the second, within a cycle", "ns", relation::equal, 0.025, by_hops},
        {"link.credits", "reads with a receive buffer of 4 and 8 packets", "2 and 4 times the rate of 2 packets",
         "GB/s", relation::equal, 0.03, by_credits},
        {"link.fair", "three GPUs read as much of the fourth one's memory", "all end when the first one does", "ns",
         relation::equal, 0.02, fair_readers},
        {"link.symmetry", "a load of the next GPU's memory by each GPU: switch, pairs, ring, torus",
         "as long as by GPU 0", "ns", relation::equal, 0.001, symmetric_gpus},
    };
}

}  // namespace contraflow::validate
