// SPDX-License-Identifier: Apache-2.0
#include "numa_gpu/numa_report.h"

#include <algorithm>

#include <fmt/format.h>

namespace contraflow::numa_gpu {
namespace {

double gigabytes(const run_result& r, std::size_t direction) {
    std::uint64_t bytes = 0;
    for (const auto& l : r.links) bytes += l.directions[direction].payload_bytes;
    return static_cast<double>(bytes) * 1e-9;
}

nlohmann::ordered_json results_of_run(const comparison& c, std::size_t run) {
    nlohmann::ordered_json out;
    const auto& r = c.runs[run].result;
    if (r.complete()) {
        const auto saturated = r.saturation();
        out["time_ms"] = r.end.seconds() * 1e3;
        if (c.runs.front().result.complete()) out["speed_up"] = c.speed_up(run);
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

}  // namespace

double comparison::speed_up(std::size_t run) const {
    const auto& first = runs.front().result;
    const auto& r = runs[run].result;
    return first.complete() && r.complete() && r.end.ps != 0 ? first.end.seconds() / r.end.seconds() : 0;
}

const compared_run* comparison::find(links kind) const {
    const auto found = std::find_if(runs.begin(), runs.end(), [kind](const auto& r) { return r.kind == kind; });
    return found == runs.end() ? nullptr : &*found;
}

face::table comparison_table(const comparison& c, const std::string& id) {
    face::table t;
    t.id = id;
    t.title = fmt::format("{}: {}", c.workload, c.parameters);
    t.columns = {{"links", ""},    {"time", "ms"}, {"speed-up", "x"}, {"result", ""},   {"both", "%"},   {"one", "%"},
                 {"neither", "%"}, {"turns", ""},  {"a to b", "MB"},  {"b to a", "MB"}, {"energy", "mJ"}};
    for (std::size_t i = 0; i < c.runs.size(); ++i) {
        const auto& r = c.runs[i].result;
        const auto saturated = r.saturation();
        const std::string verdict = !r.complete() ? "not ended" : r.wrong.empty() ? "verified" : "WRONG";
        t.rows.push_back({std::string(name_of(c.runs[i].kind)), r.end.seconds() * 1e3, c.speed_up(i), verdict,
                          saturated[0] * 100, saturated[1] * 100, saturated[2] * 100,
                          static_cast<std::int64_t>(r.turns()), gigabytes(r, 0) * 1e3, gigabytes(r, 1) * 1e3,
                          r.energy_joule() * 1e3});
    }
    t.note =
        "both, one, neither: share of the time of all links in which so many directions were saturated in a window of "
        "series_window, that is as busy as the links' saturation says; a to b: from sockets towards the switch, or to "
        "the higher number; data "
        "without headers, once for each link it passes";
    return t;
}

nlohmann::ordered_json results_of(const comparison& c) {
    nlohmann::ordered_json out{{"workload", c.workload}, {"parameters", c.parameters}};
    for (std::size_t i = 0; i < c.runs.size(); ++i) out[std::string(name_of(c.runs[i].kind))] = results_of_run(c, i);
    return out;
}

}  // namespace contraflow::numa_gpu
