// SPDX-License-Identifier: Apache-2.0
// Which GPU sends how much data to which, when, and how busy that keeps the network.
#include <algorithm>

#include <fmt/format.h>

#include "unified_gpu/comparison.h"

namespace contraflow::unified_gpu {
namespace {

constexpr std::size_t most_pairs = 12;

struct pair {
    unsigned from, to;
    std::uint64_t bytes;
};

// From the most to the least.
std::vector<pair> pairs_of(const traffic_matrix& t) {
    std::vector<pair> all;
    for (unsigned from = 0; from < t.gpus(); ++from)
        for (unsigned to = 0; to < t.gpus(); ++to)
            if (t.total(from, to) > 0) all.push_back({from, to, t.total(from, to)});
    std::stable_sort(all.begin(), all.end(), [](const pair& a, const pair& b) { return a.bytes > b.bytes; });
    return all;
}

face::table matrix_table(const comparison& c, const compared_run& run) {
    const auto& t = run.result.traffic;
    face::table table;
    table.id = c.id(run) + "-traffic";
    table.title = fmt::format("{}, {}: data between GPUs", c.workload, name_of(run.policy));
    table.columns = {{"from", ""}};
    for (unsigned to = 0; to < t.gpus(); ++to) table.columns.push_back({fmt::format("to GPU {}", to + 1), "MB"});
    for (unsigned from = 0; from < t.gpus(); ++from) {
        std::vector<face::cell> row{fmt::format("GPU {}", from + 1)};
        for (unsigned to = 0; to < t.gpus(); ++to) row.emplace_back(static_cast<double>(t.total(from, to)) * 1e-6);
        table.rows.push_back(std::move(row));
    }
    table.note = "loads and pages that move: from who has them; stores: from who writes; without headers";
    table.on_terminal = false;
    return table;
}

face::chart rate_chart(const comparison& c, const compared_run& run) {
    const auto& r = run.result;
    face::chart chart;
    chart.id = c.id(run) + "-traffic-by-time";
    chart.title = fmt::format("{}, {}: data between GPUs over time", c.workload, name_of(run.policy));
    chart.type = face::chart::kind::step;
    chart.x = {"time", "us"};
    chart.y = {"bandwidth", "GB/s"};
    const auto pairs = pairs_of(r.traffic);
    for (const pair& p : pairs) {
        if (chart.series.size() == most_pairs) break;
        chart.series.push_back(
            {fmt::format("GPU {} to GPU {}", p.from + 1, p.to + 1), r.traffic.rate(p.from, p.to, r.end)});
    }
    for (const auto& k : r.kernels) {
        if (chart.moments.size() == 100) break;
        chart.moments.push_back({k.begun.seconds() * 1e6, k.name});
    }
    chart.note = fmt::format(
        "without headers{}; a dashed line is the start of a kernel",
        pairs.size() > most_pairs ? fmt::format("; the {} pairs of {} with most", most_pairs, pairs.size()) : "");
    return chart;
}

face::table network_table(const comparison& c) {
    face::table table;
    table.id = c.workload + "-network";
    table.title = fmt::format("{}: links, by direction", c.workload);
    table.columns = {{"pages", ""}, {"direction", ""}, {"data", "MB"}, {"on the wires", "MB"}, {"busy", "%"}};
    for (const auto& run : c.runs)
        for (const auto& d : run.result.network)
            table.rows.push_back({std::string(name_of(run.policy)), d.name, static_cast<double>(d.payload_bytes) * 1e-6,
                                  static_cast<double>(d.wire_bytes) * 1e-6, d.busy * 100});
    table.note = "on the wires: with headers, padding and what the link itself sends; busy: share of the time";
    table.on_terminal = false;
    return table;
}

}  // namespace

void add_traffic(const comparison& c, face::section& to) {
    for (const auto& run : c.runs) {
        if (run.result.traffic.all() == 0) continue;
        to.items.emplace_back(matrix_table(c, run));
        to.items.emplace_back(rate_chart(c, run));
    }
    if (auto links = network_table(c); !links.rows.empty()) to.items.emplace_back(std::move(links));
}

}  // namespace contraflow::unified_gpu
