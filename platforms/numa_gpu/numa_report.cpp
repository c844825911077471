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
