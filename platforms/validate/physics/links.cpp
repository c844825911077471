// SPDX-License-Identifier: Apache-2.0
// link: bandwidth by direction, lanes and rate; latency by parts and hops; credits; fairness.
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "validate/physics/gpu_probe.h"
#include "validate/table/experiments.h"

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

constexpr chain far{1, 0, 512};

answer parts_of_a_remote_load(const run_environment& environment) {
    const double before = latency_ns(machine_of(pair_of("")), far, environment);
    const auto added = [&](const std::string& link, const std::string& lanes) {
        return latency_ns(machine_of(pair_of(link, lanes)), far, environment) - before;
    };
    // A lane drains for at least the time of a bit along it.
    return {{20, 20}, {added("propagation: 14ns", "drain: 14cycles"), added("pipeline: 30ns", "policy: static")}, ""};
}

// On a ring of eight GPUs, each link further.
answer by_hops(const run_environment& environment) {
    const auto s = machine_of("gpus: 8, network: {kind: ring}");
    const auto& link = s.network.link;
    // A request of a header, and an answer of a line and its header.
    const double ns_of_bytes = (line + 2 * static_cast<double>(link.header.count)) / raw_gb_per_s(s);
    const double hop = 2 * (link.propagation + link.pipeline).seconds() * 1e9 + ns_of_bytes;
    answer a;
    double before = latency_ns(s, {1, 0, 512}, environment);
    for (unsigned hops = 2; hops <= 4; ++hops) {
        const double ns = latency_ns(s, {hops, 0, 512}, environment);
        a.expected.push_back(hop);
        a.measured.push_back(ns - before);
        before = ns;
    }
    return a;
}

// The sender has credits for the receive buffer. A credit is back after the packet and the way there and back.
answer by_credits(const run_environment& environment) {
    const auto rate = [&](unsigned packets) {
        const auto s = machine_of(pair_of(fmt::format("receive_buffer: {}B", packets * 144)));
        return flow_of(s, from_next(), environment).gb_per_s;
    };
    const auto s = machine_of(pair_of(""));
    const auto& link = s.network.link;
    const double packet = line + static_cast<double>(link.header.count);
    const double loop_ns = 2 * (link.propagation + link.pipeline).seconds() * 1e9 + packet / raw_gb_per_s(s);
    answer a;
    for (const unsigned packets : {2u, 4u, 8u}) {
        a.expected.push_back(packets * line / loop_ns);
        a.measured.push_back(rate(packets));
    }
    a.detail = fmt::format("a credit is back after {:.4g} ns", loop_ns);
    return a;
}

// One direction is full, and its lanes may turn. Each line that comes has a request that goes, which needs lanes too.
answer turned(const run_environment& environment) {
    auto s = machine_of(pair_of("", "sample_time: 500cycles"));
    s.network.link.lanes.policy = "published";
    stream t = from_next();
    t.passes = 2;
    const auto& lanes = s.network.link.lanes;
    const double header = static_cast<double>(s.network.link.header.count);
    const double most = std::floor(2.0 * lanes.lanes_per_direction / (1 + header / (line + header)));
    return {{raw_gb_per_s(s) / lanes.lanes_per_direction * most * data_share(s)},
            {flow_of(s, t, environment).gb_per_s},
            fmt::format("{} lanes", most)};
}

// Three GPUs read the fourth one's memory, whose link is full.
answer fair_readers(const run_environment& environment) {
    const auto s = machine_of("network: {kind: switch}");
    stream t = from_next(3);
    t.at = 3;
    const auto f = flow_of(s, t, environment);
    // All of it leaves by one link.
    const double lines = 2.0 * t.gpus * t.ctas * t.waves * static_cast<double>(t.lines);
    const double least = lines * (line + static_cast<double>(s.network.link.header.count)) / raw_gb_per_s(s);
    return {{least, least, least}, {f.ns[0], f.ns[1], f.ns[2]}, "when each has read the same"};
}

// The same access from each GPU of a symmetric machine takes the same time.
answer symmetric_gpus(const run_environment& environment) {
    answer a;
    for (const char* const kind : {"switch", "fully_connected", "ring", "torus"}) {
        const auto s = machine_of(fmt::format("network: {{kind: {}}}", kind));
        const double first = latency_ns(s, {1, 0, 512}, environment);
        for (unsigned by = 1; by < 4; ++by) {
            // On a torus of 2 x 2 the next GPU is the neighbour in the row.
            const unsigned home = std::string_view(kind) == "torus" ? by ^ 1u : (by + 1) % 4;
            a.expected.push_back(first);
            a.measured.push_back(latency_ns(s, {home, by, 512}, environment));
        }
    }
    return a;
}

}  // namespace

std::vector<experiment> link_experiments() {
    return {
        {"link.reads", "reads of another GPU's memory over one link", "lanes x rate x line / (line + header)", "GB/s",
         relation::equal, 0.02, reads},
        {"link.writes", "writes to another GPU's memory over one link", "lanes x rate x line / (line + header)", "GB/s",
         relation::equal, 0.03, writes},
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
        {"link.hops", "loads over links of a ring: what the second, third and fourth add",
         "2 (propagation + pipeline) + (line + 2 headers) / rate, within a cycle", "ns", relation::equal, 0.025,
         by_hops},
        {"link.credits", "reads with a receive buffer of 2, 4 and 8 packets",
         "packets x line / (2 (propagation + pipeline) + packet / rate)", "GB/s", relation::equal, 0.03, by_credits},
        {"link.turned", "reads over one link whose lanes turn",
         "lanes x rate x line / (line + header), with as many of all lanes as leave enough for the requests", "GB/s",
         relation::equal, 0.05, turned},
        {"link.fair", "three GPUs read as much of the fourth one's memory",
         "lines x (line + header) / the link's rate, for each", "ns", relation::equal, 0.02, fair_readers},
        {"link.symmetry", "a load of the next GPU's memory by each GPU: switch, pairs, ring, torus",
         "as long as by GPU 0", "ns", relation::equal, 0.001, symmetric_gpus},
    };
}

}  // namespace contraflow::validate
