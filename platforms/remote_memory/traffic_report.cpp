// SPDX-License-Identifier: Apache-2.0
#include "remote_memory/traffic_report.h"

#include <algorithm>

#include <fmt/format.h>

#include "pcie_report/address_table.h"

namespace contraflow::remote_memory {
namespace {

constexpr std::size_t most_cells = 100;  // in a row of the heat map

using points = std::vector<std::pair<double, double>>;

void add_to(points& sum, const points& more) {
    if (sum.empty())
        sum = more;
    else
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i].second += more[i].second;
}

// Means over wider windows, so that there are few enough, and the end of the last window.
points coarser(const points& fine, double end) {
    const std::size_t group = (fine.size() + most_cells - 1) / most_cells;
    points coarse;
    for (std::size_t i = 0; i < fine.size(); i += group) {
        double data = 0, next = end;
        for (std::size_t k = i; k < std::min(i + group, fine.size()); ++k) {
            next = k + 1 < fine.size() ? fine[k + 1].first : end;
            data += fine[k].second * (next - fine[k].first);
        }
        coarse.emplace_back(fine[i].first, data / (next - fine[i].first));
    }
    coarse.emplace_back(end, 0.0);
    return coarse;
}

face::table matrix_table(const comparison& c, const compared_run& run) {
    const auto& t = run.result.traffic;
    face::table table;
    table.id = c.id(run) + "-traffic";
    table.title = fmt::format("{}, {}: data between GPUs", c.workload, name_of(run.kind));
    table.columns = {{"from", ""}};
    for (unsigned to = 0; to < t.gpus(); ++to) table.columns.push_back({fmt::format("to GPU {}", to + 1), "MB"});
    for (unsigned from = 0; from < t.gpus(); ++from) {
        std::vector<face::cell> row{fmt::format("GPU {}", from + 1)};
        for (unsigned to = 0; to < t.gpus(); ++to) row.emplace_back(static_cast<double>(t.total(from, to)) * 1e-6);
        table.rows.push_back(std::move(row));
    }
    table.note =
        "what arrives there, whole lines of caches included, as the links of the network count it; without headers";
    table.on_terminal = false;
    return table;
}

face::chart chart_over_time(const comparison& c, const compared_run& run, const char* id, const char* what) {
    face::chart chart;
    chart.id = c.id(run) + id;
    chart.title = fmt::format("{}, {}: {}", c.workload, name_of(run.kind), what);
    chart.x = {"time", "us"};
    chart.y = {"bandwidth", "GB/s"};
    return chart;
}

// The matrix over time: too many pairs for lines.
face::chart pairs_chart(const comparison& c, const compared_run& run) {
    const auto& r = run.result;
    auto chart = chart_over_time(c, run, "-traffic-by-time", "data from GPU to GPU over time");
    chart.type = face::chart::kind::heat;
    for (unsigned from = 0; from < r.traffic.gpus(); ++from)
        for (unsigned to = 0; to < r.traffic.gpus(); ++to)
            if (r.traffic.total(from, to) > 0)
                chart.series.push_back({fmt::format("GPU {} to GPU {}", from + 1, to + 1),
                                        coarser(r.traffic.rate(from, to, r.end), us(r.end))});
    chart.note = "without headers; pairs of GPUs that send nothing are not shown";
    return chart;
}

// The total that each GPU sends, or receives.
face::chart gpus_chart(const comparison& c, const compared_run& run, bool sent) {
    const auto& r = run.result;
    auto chart =
        chart_over_time(c, run, sent ? "-sent" : "-received",
                        sent ? "bytes that each GPU sends, over time" : "bytes that each GPU receives, over time");
    chart.type = face::chart::kind::step;
    for (unsigned gpu = 0; gpu < r.traffic.gpus(); ++gpu) {
        points sum;
        for (unsigned other = 0; other < r.traffic.gpus(); ++other)
            add_to(sum, sent ? r.traffic.rate(gpu, other, r.end) : r.traffic.rate(other, gpu, r.end));
        if (!sum.empty()) sum.emplace_back(us(r.end), sum.back().second);  // the last window has a width, too
        chart.series.push_back({fmt::format("GPU {}", gpu + 1), std::move(sum)});
    }
    study::mark_kernels(chart, r.kernels, 100);
    chart.note = "to and from all others, without headers; a dashed line is the start of a kernel";
    return chart;
}

face::table network_table(const comparison& c) {
    face::table table;
    table.id = c.workload + "-network";
    table.title = fmt::format("{}: links, by direction", c.workload);
    table.columns = {{"pages", ""}, {"direction", ""}, {"data", "MB"}, {"on the wires", "MB"}, {"busy", "%"}};
    for (const auto& run : c.runs)
        for (const auto& d : run.result.network)
            table.rows.push_back({std::string(name_of(run.kind)), d.name, static_cast<double>(d.payload_bytes) * 1e-6,
                                  static_cast<double>(d.wire_bytes) * 1e-6, d.busy * 100});
    table.note = "on the wires: with headers, padding and what the link itself sends; busy: share of the time";
    table.on_terminal = false;
    return table;
}

// The address map of the first run with a tree: a run on one GPU has none.
void add_addresses(const comparison& c, face::section& to) {
    const auto run = std::ranges::find_if(c.runs, [](const auto& r) { return !r.result.addresses.empty(); });
    if (run == c.runs.end()) return;
    to.items.emplace_back(
        pcie_report::address_table(run->result.addresses, c.workload + "-addresses",
                                   fmt::format("{}: PCIe address map, as the tree was enumerated", c.workload)));
}

}  // namespace

void add_traffic(const comparison& c, face::section& to) {
    for (const auto& run : c.runs) {
        if (run.result.traffic.all() == 0) continue;
        to.items.emplace_back(matrix_table(c, run));
        to.items.emplace_back(pairs_chart(c, run));
        for (const bool sent : {true, false}) to.items.emplace_back(gpus_chart(c, run, sent));
    }
    if (auto links = network_table(c); !links.rows.empty()) to.items.emplace_back(std::move(links));
    add_addresses(c, to);
}

}  // namespace contraflow::remote_memory
