// SPDX-License-Identifier: Apache-2.0
#include "numa_gpu/numa_report.h"

#include <algorithm>

#include <fmt/format.h>

#include "lanes/link_report.h"

namespace contraflow::numa_gpu {
namespace {

using memory::stage;

const std::vector<study::life_part> parts{
    {"unit", {stage::coalescer}},
    {"L1", {stage::l1}},
    {"line already asked for", {stage::merge}},
    {"crossbars", {stage::crossbar, stage::response_crossbar}},
    {"waiting for a link", {stage::link_queue, stage::response_link_queue}},
    {"on a link", {stage::link, stage::response_link}},
    {"second level", {stage::l2, stage::remote_l2}},
    {"DRAM", {stage::dram, stage::remote_dram}},
};

// The faults of that link that took effect: the others found no lane, or the run had ended.
std::vector<lane_fault> faults_of(const run_result& r, const lanes::link_result& l, std::vector<lane_fault> faults) {
    std::erase_if(faults, [&](const lane_fault& f) { return f.link != l.name || f.at >= r.end; });
    std::stable_sort(faults.begin(), faults.end(), [](const auto& x, const auto& y) { return x.at < y.at; });
    faults.resize(std::min<std::size_t>(faults.size(), l.failed_lanes));
    return faults;
}

face::chart bandwidth_chart(const run_result& r, const lanes::link_result& l, const std::vector<lane_fault>& faults,
                            const std::string& id) {
    auto c = lanes::bandwidth_chart(l, id);
    study::mark_kernels(c, r.kernels, 400);
    for (const auto& f : faults)
        c.moments.push_back(
            {f.at.seconds() * 1e6,
             fmt::format("a lane {} fails", l.directions[f.direction == link::direction::ab ? 0 : 1].name)});
    c.note = fmt::format("header and padding included; a dashed line is the start of a kernel{}",
                         faults.empty() ? "" : ", or a lane's failure");
    return c;
}

double gigabytes(const run_result& r, std::size_t direction) {
    std::uint64_t bytes = 0;
    for (const auto& l : r.links) bytes += l.directions[direction].payload_bytes;
    return static_cast<double>(bytes) * 1e-9;
}

}  // namespace

face::table comparison_table(const comparison& c, const std::string& id) {
    face::table t;
    t.id = id;
    t.title = fmt::format("{}: {}", c.workload, c.parameters);
    t.columns = {{"links", ""},    {"time", "ms"}, {"speed-up", "x"}, {"result", ""},   {"both", "%"},   {"one", "%"},
                 {"neither", "%"}, {"turns", ""},  {"a to b", "MB"},  {"b to a", "MB"}, {"energy", "mJ"}};
    for (const auto& run : c.runs) {
        const auto& r = run.result;
        const auto saturated = r.saturation();
        t.rows.push_back({std::string(name_of(run.kind)), r.end.seconds() * 1e3, c.speed_up(c.runs.front(), run),
                          verdict_text(r), saturated[0] * 100, saturated[1] * 100, saturated[2] * 100,
                          static_cast<std::int64_t>(r.turns()), gigabytes(r, 0) * 1e3, gigabytes(r, 1) * 1e3,
                          r.energy_joule() * 1e3});
    }
    t.note =
        "both, one, neither: share of the time of all links in which so many directions were saturated in a window of "
        "series_window, as busy as the links' saturation says; a to b: from sockets towards the switch, or to the "
        "higher number; data "
        "without headers, once for each link it passes";
    return t;
}

void add_links(const comparison& c, const compared_run& run, const std::vector<lane_fault>& faults,
               face::section& section, const std::string& id) {
    const auto& r = run.result;
    std::vector<lanes::links_of_run> all;
    for (const auto& one : c.runs) all.push_back({std::string(name_of(one.kind)), one.result.links});
    if (!r.links.empty()) section.items.emplace_back(lanes::link_table(all, id));
    section.items.emplace_back(
        study::kernel_timeline(r.kernels, id, "at each one's beginning the lanes return to symmetric"));
    for (const auto& l : r.links) section.items.emplace_back(bandwidth_chart(r, l, faults_of(r, l, faults), id));
}

face::chart stall_chart(const std::vector<comparison>& all, bool remote, const std::string& id) {
    std::vector<study::stage_bar> bars;
    for (const auto& w : all)
        for (const auto& run : w.runs) {
            const std::size_t where = remote ? 1 : 0;
            auto bar = run.result.loads[where];
            const auto& others = run.result.others[where];
            bar.category = fmt::format("{}, {}", w.workload, name_of(run.kind));
            bar.count += others.count;
            for (std::size_t s = 0; s < bar.spent.size(); ++s) bar.spent[s] += others.spent[s];
            bars.push_back(std::move(bar));
        }
    auto c = study::stage_chart(parts, bars);
    c.id = id;
    c.title = remote ? "Where requests to other sockets spend their time"
                     : "Where requests to the own socket spend their time";
    c.x = {"workload and links", ""};
    c.y = {"mean time of a request", "ns"};
    c.note = "loads, stores and atomic operations, by line; both ways; the parts of a request sum to its life exactly. "
             "All stages by themselves: statistics, requests.*.stages";
    return c;
}

std::string where_remote_loads_wait(const run_result& r) { return study::longest_stages(r.loads[1]); }

nlohmann::ordered_json results_of_run(const comparison& c, const compared_run& run) {
    nlohmann::ordered_json out;
    const auto& r = run.result;
    if (r.complete()) {
        const auto saturated = r.saturation();
        out["time_ms"] = r.end.seconds() * 1e3;
        if (c.runs.front().result.complete()) out["speed_up"] = c.speed_up(c.runs.front(), run);
        out["saturated_both"] = saturated[0];
        out["saturated_one"] = saturated[1];
        out["saturated_none"] = saturated[2];
        out["turns"] = r.turns();
        out["link_energy_mj"] = r.energy_joule() * 1e3;
        out["local_requests"] = r.loads[0].count + r.others[0].count;
        out["remote_requests"] = r.loads[1].count + r.others[1].count;
        out["verified"] = r.wrong.empty();
    }
    auto by_link = nlohmann::ordered_json::array();
    for (const auto& l : r.links)
        by_link.push_back({{"name", l.name},
                           {"a_to_b_bytes", l.directions[0].payload_bytes},
                           {"b_to_a_bytes", l.directions[1].payload_bytes},
                           {"turns", l.turns},
                           {"energy_mj", l.energy.total() * 1e3},
                           {"area_mm2", l.energy.area}});
    out["by_link"] = std::move(by_link);
    return out;
}

}  // namespace contraflow::numa_gpu
