// SPDX-License-Identifier: Apache-2.0
#include "remote_memory/latency_report.h"

#include <algorithm>

#include <fmt/format.h>

#include "study/stage_chart.h"

namespace contraflow::remote_memory {
namespace {

constexpr std::array shown{reach::local, reach::remote, reach::held};

// ": migrate, own memory: 214 ns there, 2421 ns here"
std::string example(const comparison& c) {
    std::string text;
    for (const auto& run : c.runs)
        for (const reach where : {reach::local, reach::held}) {
            const auto& loads = run.result.loads_of(where);
            // One value of each kind is enough. The last run has both kinds.
            if (loads.count > 0 && &run == &c.runs.back())
                text += fmt::format("{} {}, {}: {:.0f} ns there, {:.0f} ns here", text.empty() ? ":" : ";",
                                    name_of(run.kind), reach_name(where), loads.beyond_unit_ns(), loads.mean_ns());
        }
    return text;
}

face::chart where_chart(const comparison& c) {
    std::vector<study::stage_bar> bars;
    for (const auto& run : c.runs)
        for (const reach where : shown)
            if (const auto& loads = run.result.loads_of(where); loads.count > 0)
                bars.push_back({fmt::format("{}, {}", name_of(run.kind), reach_name(where)), loads.count, loads.spent});
    auto chart = study::stage_chart(study::life_parts(study::part_grain::coarse), bars);
    chart.id = c.workload + "-where";
    chart.title = fmt::format("{}: where loads spend their time", c.workload);
    chart.x = {"pages, and where the one that is loaded from is", ""};
    chart.y = {"mean time of a load", "ns"};
    chart.note = fmt::format(
        "loads that the first level does not answer; both ways; the parts of a load sum to its life exactly. The "
        "first table's times are shorter: they count from leaving the unit to coming back, here that is the parts "
        "from \"page moving\" on, and not what a load waits in its unit and first level behind others, nor for "
        "translation (TLBs, walkers){}. All stages by themselves, of stores and atomic operations as well: "
        "statistics, requests.*.stages",
        example(c));
    return chart;
}

face::chart distribution_chart(const comparison& c) {
    face::chart chart;
    chart.id = c.workload + "-latency";
    chart.title = fmt::format("{}: how long loads take", c.workload);
    chart.x = {"from the coalescer to the answer", "ns", true};
    chart.y = {"share of these loads", ""};
    for (const auto& run : c.runs)
        for (const reach where : shown)
            if (run.result.loads_of(where).count > 0)
                chart.series.push_back({fmt::format("{}, {}", name_of(run.kind), reach_name(where)),
                                        run.result.loads_of(where).distribution()});
    chart.note = "with the wait in the unit and for translation; four steps an octave; each line sums to 1";
    return chart;
}

}  // namespace

void add_latency(const comparison& c, face::section& to) {
    to.items.emplace_back(where_chart(c));
    to.items.emplace_back(distribution_chart(c));
}

// Shows the run with direct cache access, or else one in which a load went to another GPU.
void add_path(const comparison& c, face::section& to) {
    const compared_run* run = c.find(memory_policy::dca);
    if (run == nullptr || run->result.path.empty())
        for (const auto& r : c.runs)
            if (!r.result.path.empty()) run = &r;
    if (run == nullptr || run->result.path.empty()) return;
    const auto& path = run->result.path;
    const core::sim_time begin = path.front().at;
    face::timeline t;
    t.id = c.workload + "-path";
    t.title =
        fmt::format("{}: the path of one remote load, {} ns", c.workload, (run->result.path_end - begin).ps / 1000);
    t.x = {"time", "ns"};
    const auto ns = [&](core::sim_time at) { return static_cast<double>((at - begin).ps) * 1e-3; };
    for (std::size_t i = 0; i < path.size(); ++i) {
        if (std::find(t.rows.begin(), t.rows.end(), path[i].where) == t.rows.end()) t.rows.push_back(path[i].where);
        const core::sim_time end = i + 1 < path.size() ? path[i + 1].at : run->result.path_end;
        t.bars.push_back({path[i].where, fmt::format("{}", i + 1), "", fmt::format("step {} of its path", i + 1),
                          ns(path[i].at), ns(end)});
    }
    t.note =
        fmt::format("run {}; of the first loads that were followed, the one that passed most components. Components "
                    "stand in the order in which the load reached them; its steps are numbered from the request to "
                    "the response. The time of what lies between two components, such as a link, belongs to the "
                    "one before",
                    name_of(run->kind));
    to.items.emplace_back(std::move(t));
}

}  // namespace contraflow::remote_memory
