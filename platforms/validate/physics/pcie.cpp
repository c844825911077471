// SPDX-License-Identifier: Apache-2.0
// pcie: bandwidth by payload, generation and width; latency by parts; sharing; tags and credits.
#include <fmt/format.h>

#include "pcie/link/link_rate.h"
#include "validate/pcie_tree/pcie_setup.h"
#include "validate/table/experiments.h"

namespace contraflow::validate {
namespace {

using pcie::fabric_spec;

// Four devices under one switch, and four under another; the root complex above both.
pcie::topology two_switches(const std::string& rate) {
    const auto yaml = fmt::format(
        "{{tree: {{name: rc, kind: root_complex, children: ["
        "{{name: s0, kind: switch, children: [{{name: gpu0}}, {{name: gpu1}}, {{name: gpu2}}, {{name: gpu3}}]}}, "
        "{{name: s1, kind: switch, children: [{{name: gpu4}}, {{name: gpu5}}, {{name: gpu6}}, {{name: gpu7}}]}}]}}, "
        "link: {}, communications: [{{name: a, from: gpu0, to: gpu1, size: 1MiB}}], search: {{mode: none}}}}\n",
        rate);
    return tree_of("experiment", yaml.c_str());
}

// No piece is cut at the root complex.
fabric_spec unbound() {
    fabric_spec spec;
    spec.root_complex_payload = spec.max_payload;
    return spec;
}

double time_s(const pcie::topology& tree, unsigned from, unsigned to, core::bytes size, const fabric_spec& spec,
              const run_environment& environment) {
    return tlm_times(tree, {send(tree, from, to, size)}, environment, spec).front();
}
// Of a long send; the time of a short one, which is latency, is taken off.
double gb_per_s(const pcie::topology& tree, unsigned from, unsigned to, const fabric_spec& spec,
                const run_environment& environment) {
    const core::bytes some{256u << 10}, more{1u << 20};
    const double apart =
        time_s(tree, from, to, more, spec, environment) - time_s(tree, from, to, some, spec, environment);
    return static_cast<double>(more.count - some.count) * 1e-9 / apart;
}

constexpr double header = 16, framing = 8;
double share_of_data(double payload) { return payload / (payload + header + framing); }

answer by_payload(const run_environment& environment) {
    answer a;
    const auto tree = two_switches("gen3 x16");
    for (const unsigned payload : {64u, 128u, 256u, 512u}) {
        fabric_spec spec = unbound();
        spec.max_payload = spec.root_complex_payload = {payload};
        a.expected.push_back(pcie::link_rate{3, 16}.raw().bytes_per_s * 1e-9 * share_of_data(payload));
        a.measured.push_back(gb_per_s(tree, 0, 1, spec, environment));
    }
    return a;
}
answer by_generation(const run_environment& environment) {
    answer a;
    for (const unsigned generation : {1u, 2u, 3u, 4u, 5u}) {
        a.expected.push_back(pcie::link_rate{generation, 16}.raw().bytes_per_s * 1e-9 * share_of_data(128));
        a.measured.push_back(
            gb_per_s(two_switches(fmt::format("gen{} x16", generation)), 0, 1, unbound(), environment));
    }
    return a;
}
answer by_width(const run_environment& environment) {
    answer a;
    for (const unsigned lanes : {1u, 2u, 4u, 8u}) {
        a.expected.push_back(pcie::link_rate{3, lanes}.raw().bytes_per_s * 1e-9 * share_of_data(128));
        a.measured.push_back(gb_per_s(two_switches(fmt::format("gen3 x{}", lanes)), 0, 1, unbound(), environment));
    }
    return a;
}
std::vector<double> together(const std::vector<std::pair<unsigned, unsigned>>& sends,
                             const run_environment& environment) {
    const auto tree = two_switches("gen3 x16");
    std::vector<pcie::model::communication> all;
    for (const auto& [from, to] : sends) all.push_back(send(tree, from, to, mib));
    return tlm_times(tree, all, environment, unbound());
}
answer shared_uplink(const run_environment& environment) {
    const double alone = together({{0, 4}}, environment)[0];
    const auto two = together({{0, 4}, {1, 5}}, environment);
    const auto four = together({{0, 4}, {1, 5}, {2, 6}, {3, 7}}, environment);
    answer a{{2, 2, 4, 4, 4, 4}, {}, ""};
    for (const double t : two) a.measured.push_back(t / alone);
    for (const double t : four) a.measured.push_back(t / alone);
    return a;
}
answer separate_links(const run_environment& environment) {
    const double alone = together({{0, 1}}, environment)[0];
    answer a{{1, 1}, {}, ""};
    for (const double t : together({{0, 1}, {2, 3}}, environment)) a.measured.push_back(t / alone);
    return a;
}
// Acknowledgements and credits of one direction take a little of the other.
answer both_directions(const run_environment& environment) {
    const double alone = together({{0, 1}}, environment)[0];
    answer a{{1, 1}, {}, ""};
    for (const double t : together({{0, 1}, {1, 0}}, environment)) a.measured.push_back(t / alone);
    return a;
}
answer fair_senders(const run_environment& environment) {
    const auto three = together({{1, 0}, {2, 0}, {3, 0}}, environment);
    const double least =
        3 * static_cast<double>(mib.count) / (pcie::link_rate{3, 16}.raw().bytes_per_s * share_of_data(128));
    return {{least, least, least}, three, ""};
}
answer mirrored(const run_environment& environment) {
    const auto there = together({{0, 1}, {2, 1}, {0, 4}}, environment);
    const auto mirror = together({{4, 5}, {6, 5}, {4, 0}}, environment);
    return {there, mirror, "s"};
}

// What 10 ns more of a part add to 64 bytes from one switch to the other.
answer parts_of_a_packet(const run_environment& environment) {
    const auto tree = two_switches("gen3 x16");
    const core::bytes size{64};
    const core::sim_time ten = core::sim_time::from_ns(10);
    const auto ns = [&](const fabric_spec& spec) { return time_s(tree, 0, 4, size, spec, environment) * 1e9; };
    const double before = ns(unbound());
    std::vector<double> added;
    for (core::sim_time fabric_spec::*part :
         {static_cast<core::sim_time fabric_spec::*>(&fabric_spec::propagation),
          static_cast<core::sim_time fabric_spec::*>(&fabric_spec::switch_latency),
          static_cast<core::sim_time fabric_spec::*>(&fabric_spec::root_complex_latency),
          static_cast<core::sim_time fabric_spec::*>(&fabric_spec::endpoint_latency)}) {
        fabric_spec spec = unbound();
        spec.*part = spec.*part + ten;
        added.push_back(ns(spec) - before);
    }
    return {{40, 20, 10, 10}, added, fmt::format("{:.4g} ns before; 4 links, 2 switches, a root complex", before)};
}

// Reads with so many tags: a read is answered after the way there and back.
answer by_tags(const run_environment& environment) {
    const auto tree = two_switches("gen3 x16");
    const auto rate = [&](unsigned tags) {
        fabric_spec spec = unbound();
        spec.transfers = pcie::transfer_mode::pull;
        spec.tags = tags;
        return gb_per_s(tree, 0, 4, spec, environment);
    };
    fabric_spec alone = unbound();
    alone.transfers = pcie::transfer_mode::pull;
    const core::bytes request = alone.max_read_request;
    const double ns = time_s(tree, 0, 4, request, alone, environment) * 1e9;
    answer a;
    for (const unsigned tags : {1u, 2u, 4u}) {
        a.expected.push_back(tags * static_cast<double>(request.count) / ns);
        a.measured.push_back(rate(tags));
    }
    a.detail = fmt::format("a read of {} alone takes {:.4g} ns", core::to_text(request), ns);
    return a;
}

}  // namespace

std::vector<experiment> pcie_experiments() {
    return {
        {"pcie.payloads", "writes of 64, 128, 256 and 512 bytes, gen3 x16", "raw rate x payload / (payload + 24)",
         "GB/s", relation::equal, 0.01, by_payload},
        {"pcie.generations", "gen1 to gen5 x16", "raw rate x payload / (payload + 24)", "GB/s", relation::equal, 0.01,
         by_generation},
        {"pcie.widths", "gen3 x1, x2, x4 and x8", "raw rate x payload / (payload + 24)", "GB/s", relation::equal, 0.01,
         by_width},
        {"pcie.uplink", "two and four sends over one uplink, over one alone", "2 and 4 times as long", "x",
         relation::equal, 0.02, shared_uplink},
        {"pcie.separate", "two sends that share no link", "as long as alone", "x", relation::equal, 0.001,
         separate_links},
        {"pcie.both_ways", "two devices that send to each other", "as long as alone", "x", relation::equal, 0.05,
         both_directions},
        {"pcie.fair", "three devices under a switch send as much to a fourth",
         "3 x size / (raw rate x payload / (payload + 24)), for each", "s", relation::equal, 0.01, fair_senders},
        {"pcie.symmetry", "three sends, and their mirror image on the other switch", "as long", "s", relation::equal,
         1e-9, mirrored},
        {"pcie.parts",
         "64 bytes through two switches and the root complex, with 10 ns more of propagation, switch, "
         "root complex, endpoint",
         "10 ns for each link, switch, root complex, endpoint on the way", "ns", relation::equal, 0.001,
         parts_of_a_packet},
        {"pcie.tags", "reads with 1, 2 and 4 tags", "tags x request / the time of one read (Little's law)", "GB/s",
         relation::equal, 0.02, by_tags},
    };
}

}  // namespace contraflow::validate
