// SPDX-License-Identifier: Apache-2.0
// M4 and M5: the path of a read of another GPU's memory, and its time on an idle machine.
#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "validate/table/rows.h"
#include "validate/unified_gpu/remote_read.h"

namespace contraflow::validate {
namespace {

using gpu::network_kind;
using gpu::of_links;
using net::topology;

constexpr unsigned far_home = 4;

// The path in the published form: without crossbars, and with all parts of a network as one instance.
std::vector<std::string> published_path(unsigned by, bool in_l2) {
    const auto on = [](unsigned number, std::initializer_list<const char*> parts) {
        std::vector<std::string> all;
        for (const char* p : parts) all.push_back(fmt::format("{} of GPU {}", p, number));
        return all;
    };
    std::vector<std::string> path;
    const auto then = [&path](const std::vector<std::string>& more) {
        path.insert(path.end(), more.begin(), more.end());
    };
    then(on(by, {"CU", "translator", "L1 TLB", "L2 TLB"}));
    then({"IOMMU"});
    then(on(by, {"L2 TLB", "L1 TLB", "translator", "L1", "ToL1", "ToOutside"}));
    then({"network"});
    then(on(far_home, {"ToOutside", "ToL2", "L2"}));
    if (!in_l2) then(on(far_home, {"DRAM", "L2"}));
    then(on(far_home, {"ToL2", "ToOutside"}));
    then({"network"});
    then(on(by, {"ToOutside", "ToL1", "L1", "CU"}));
    return path;
}

std::vector<std::string> taken_path(const remote_read& r) {
    std::vector<std::string> path;
    for (const auto& p : r.path) {
        if (p.part == "crossbar") continue;
        const std::string name = p.at_gpu == 0 ? p.part : fmt::format("{} of GPU {}", p.part, p.at_gpu);
        if (name != "network" || path.empty() || path.back() != name) path.push_back(name);
    }
    return path;
}

std::size_t places_apart(const std::vector<std::string>& a, const std::vector<std::string>& b) {
    const std::size_t both = std::min(a.size(), b.size());
    std::size_t apart = std::max(a.size(), b.size()) - both;
    for (std::size_t i = 0; i < both; ++i) apart += a[i] == b[i] ? 0 : 1;
    return apart;
}

// Reads a line that no cache has, in a closed row of memory, by a unit that has the page's translation.
remote_read read_without_load(network_kind kind, unsigned home, const run_environment& environment) {
    return remote_reads(joined_by(kind), home, {{1, 0}, {1, 8}}, environment)[1];
}

std::string stages_of(const remote_read& r) {
    const auto ns = [&](std::initializer_list<const char*> parts) {
        double sum = 0;
        for (const char* p : parts) sum += r.ns_in(p);
        return sum;
    };
    return fmt::format(
        "translation {:.4g}, first level {:.4g}, crossbars {:.4g}, RDMA engines {:.4g}, network {:.4g}, second level "
        "{:.4g}, memory {:.4g}",
        ns({"CU", "translator", "L1 TLB", "L2 TLB", "IOMMU"}), ns({"L1"}), ns({"crossbar"}),
        ns({"ToL1", "ToOutside", "ToL2"}), ns({"network"}), ns({"L2"}), ns({"DRAM"}));
}

double cycles_of(const remote_read& r) { return r.total_ns / (few_units(1).cycle().seconds() * 1e9); }

}  // namespace

measurement remote_path_deviations(const run_environment& environment) {
    std::size_t missed = 0, in_l2 = 0;
    std::vector<std::string> shown;
    for (const network_kind kind : {of_links(topology::central_switch), of_links(topology::fully_connected),
                                    of_links(topology::ring), of_links(topology::mesh), network_kind::pcie}) {
        // GPU 2 finds the line in the second level, and its own TLBs empty.
        const auto reads = remote_reads(joined_by(kind), far_home, {{1, 0}, {2, 0}}, environment);
        shown = taken_path(reads[0]);
        missed += places_apart(shown, published_path(1, false));
        in_l2 += places_apart(taken_path(reads[1]), published_path(2, true));
    }
    return {
        {static_cast<double>(missed), static_cast<double>(in_l2)},
        fmt::format("What a request itself records, by every kind of network: {}. The crossbars of both GPUs, which "
                    "the source leaves out, are left out; the network is one place, whatever it is made of. An answer "
                    "needs no translation. A line that no cache has, and one that the home's second level has.",
                    fmt::join(shown, " - ")),
        {},
        {}};
}

measurement remote_access_cycles(const run_environment& environment) {
    const auto pairs_read = read_without_load(of_links(topology::fully_connected), far_home, environment);
    const auto switch_read = read_without_load(of_links(topology::central_switch), far_home, environment);
    return {
        {cycles_of(pairs_read), cycles_of(switch_read)},
        fmt::format("unified_gpu's defaults, links of 64 GB/s a direction; a line that no cache has, a page in the "
                    "unit's TLB. In cycles of 1 ns, measured on the path. By a link for each pair: {}. By a switch: "
                    "{}.",
                    stages_of(pairs_read), stages_of(switch_read)),
        {},
        {}};
}

measurement network_part_of_remote_access(const run_environment& environment) {
    measurement m;
    std::vector<double> without;
    for (const network_kind kind : {of_links(topology::fully_connected), of_links(topology::central_switch)}) {
        const auto read = read_without_load(kind, far_home, environment);
        const double cycle = few_units(1).cycle().seconds() * 1e9;
        m.values.push_back(read.ns_in("network") / cycle);
        without.push_back((read.total_ns - read.ns_in("network")) / cycle);
    }
    m.values.insert(m.values.end(), without.begin(), without.end());
    m.how =
        "The reads of M5a. Each of the two ways over a link takes 24 ns and the packet's phits on all its lanes; by a "
        "switch there are two links. The rest is what the same access would take by a network of no latency: caches, "
        "crossbars, engines and memory. Nothing is published about the parts, and the figure of 600 is for the whole.";
    return m;
}

measurement remote_access_elsewhere(const run_environment& environment) {
    const auto beside = read_without_load(of_links(topology::mesh), 2, environment);
    const auto across = read_without_load(of_links(topology::mesh), far_home, environment);
    const auto near = read_without_load(network_kind::pcie, 2, environment);
    const auto far = read_without_load(network_kind::pcie, far_home, environment);
    return {{cycles_of(beside), cycles_of(across), cycles_of(near), cycles_of(far)},
            fmt::format("As M5a. By the root complex: {}.", stages_of(far)),
            "The published value is of links of the NVLink class.",
            {}};
}

}  // namespace contraflow::validate
