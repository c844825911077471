// SPDX-License-Identifier: Apache-2.0
#include "numa_gpu/numa_report.h"

#include <fmt/format.h>

#include "lanes/link_report.h"

namespace contraflow::numa_gpu {
namespace {

double megabytes(const run_result& r, link::direction d) {
    return static_cast<double>(lanes::payload_of(r.links, d)) * 1e-6;
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
        t.rows.push_back({std::string(name_of(run.kind)), r.end.seconds() * 1e3, c.speed_up_cell(c.runs.front(), run),
                          verdict_text(r), saturated[0] * 100, saturated[1] * 100, saturated[2] * 100,
                          static_cast<std::int64_t>(r.turns()), megabytes(r, link::direction::ab),
                          megabytes(r, link::direction::ba), r.energy_joule() * 1e3});
    }
    t.note = "both, one, neither: share of the time of all links in which both, one or no direction was saturated in a "
             "window of "
             "series_window, as busy as the links' saturation says; a to b: from sockets towards the switch, or to the "
             "higher number; data "
             "without headers, once for each link it passes";
    return t;
}

void add_links(const comparison& c, const compared_run& run, const std::vector<lanes::lane_fault>& faults,
               face::section& section, const std::string& id) {
    const auto& r = run.result;
    std::vector<lanes::links_of_run> all;
    for (const auto& one : c.runs) all.push_back({std::string(name_of(one.kind)), one.result.links});
    if (!r.links.empty()) section.items.emplace_back(lanes::link_table(all, id));
    section.items.emplace_back(
        study::kernel_timeline(r.kernels, id, "at each one's beginning the lanes return to symmetric"));
    for (const auto& l : r.links) {
        auto chart = lanes::bandwidth_chart(l, id);
        chart.note = "header and padding included; a dashed line is the start of a kernel";
        study::mark_kernels(chart, r.kernels, 400);
        lanes::mark_faults(chart, faults, l, r.end);
        section.items.emplace_back(std::move(chart));
    }
}

face::chart stall_chart(const std::vector<comparison>& all, bool remote, const std::string& id) {
    std::vector<study::stage_bar> bars;
    for (const auto& w : all)
        for (const auto& run : w.runs) {
            bars.push_back(run.result.requests.all(remote));
            bars.back().category = fmt::format("{}, {}", w.workload, name_of(run.kind));
        }
    return study::request_chart(bars, remote, id);
}

std::string where_remote_loads_wait(const run_result& r) { return study::longest_stages(r.requests.loads[1]); }

std::string why_none_turned(const compared_run& run, const link::lane_spec& lanes) {
    if (run.kind != links::dynamic || run.result.turns() != 0) return {};
    if (lanes.policy == "static") return ": no lane turned, as network.link.lanes.policy is static";
    if (lanes.min_lanes >= lanes.lanes_per_direction)
        return fmt::format(": no lane turned, as min_lanes is {} of {}", lanes.min_lanes, lanes.lanes_per_direction);
    std::uint64_t windows = 0, one_way = 0;
    for (const auto& l : run.result.links) {
        windows += l.windows;
        one_way += l.one_way_windows;
    }
    const std::string length = core::to_text(lanes.sample_time);
    if (windows == 0) return fmt::format(": no lane turned, as no kernel was as long as sample_time ({})", length);
    if (one_way > 0)
        return fmt::format(
            ": no lane turned: in {} of {} windows of sample_time one direction alone was saturated, and "
            "the policy {} kept the lanes as they were",
            one_way, windows, lanes.policy);
    std::string text =
        fmt::format(": no lane turned, as in none of {} windows of sample_time ({}) one direction alone was saturated",
                    windows, length);
    if (const double share = run.result.saturation()[1]; share >= 0.005)
        text += fmt::format("; in shorter ones, of series_window, it was for {:.1f} % of the links' time", share * 100);
    return text;
}

std::string what_turning_could_bring(const comparison& c, const compared_run& run, const link::lane_spec& lanes) {
    const auto& first = c.runs.front();
    if (run.kind != links::dynamic || run.result.turns() == 0 || first.kind != links::fixed) return {};
    const double share = first.result.one_way_somewhere();
    return fmt::format(
        "; with static links some link had one direction alone saturated for {:.0f} % of the time, by windows "
        "of series_window, for which Amdahl's law gives {:.2f}",
        share * 100, lanes::amdahl_of_turning(share, lanes));
}

nlohmann::ordered_json results_of_run(const comparison& c, const compared_run& run, const link::lane_spec& lanes) {
    nlohmann::ordered_json out;
    const auto& r = run.result;
    if (r.complete()) {
        const auto saturated = r.saturation();
        out["time_ms"] = r.end.seconds() * 1e3;
        if (c.runs.front().result.complete()) out["speed_up"] = c.speed_up(c.runs.front(), run);
        out["saturated_both"] = saturated[0];
        out["saturated_one"] = saturated[1];
        out["saturated_none"] = saturated[2];
        out["one_way_somewhere"] = r.one_way_somewhere();
        if (run.kind == links::fixed) out["amdahl_of_turning"] = lanes::amdahl_of_turning(r.one_way_somewhere(), lanes);
        out["turns"] = r.turns();
        out["link_energy_mj"] = r.energy_joule() * 1e3;
        out["local_requests"] = r.requests.all(false).count;
        out["remote_requests"] = r.requests.all(true).count;
        out["verified"] = r.wrong.empty();
    }
    out["by_link"] = lanes::json_of(r.links);
    return out;
}

}  // namespace contraflow::numa_gpu
