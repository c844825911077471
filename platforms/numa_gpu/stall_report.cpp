// SPDX-License-Identifier: Apache-2.0
// Where line requests spend their lives: every moment of each belongs to one stage.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "numa_gpu/numa_report.h"

namespace contraflow::numa_gpu {
namespace {

std::array<core::sim_time, memory::stage_count> spent_by(const run_result& r, bool remote) {
    auto sum = r.loads[remote ? 1 : 0].spent;
    const auto& others = r.others[remote ? 1 : 0].spent;
    for (std::size_t s = 0; s < sum.size(); ++s) sum[s] += others[s];
    return sum;
}

using memory::stage;

// Stages of the way there and of the way back side by side: a colour for each.
struct part_of_life {
    const char* name;
    std::vector<stage> stages;
};
const std::vector<part_of_life> parts{
    {"unit", {stage::coalescer}},
    {"L1", {stage::l1}},
    {"line already asked for", {stage::merge}},
    {"crossbars", {stage::crossbar, stage::response_crossbar}},
    {"waiting for a link", {stage::link_queue, stage::response_link_queue}},
    {"on a link", {stage::link, stage::response_link}},
    {"second level", {stage::l2, stage::remote_l2}},
    {"DRAM", {stage::dram, stage::remote_dram}},
};

}  // namespace

face::chart stall_chart(const std::vector<comparison>& all, bool remote, const std::string& id) {
    face::chart c;
    c.id = id;
    c.title = remote ? "Where requests to other sockets spend their time"
                     : "Where requests to the own socket spend their time";
    c.type = face::chart::kind::stacked_bar;
    c.x = {"workload and links", ""};
    c.y = {"mean time of a request", "ns"};
    for (const auto& part : parts) {
        face::point_series one{part.name, {}};
        std::size_t place = 0;
        for (const auto& w : all)
            for (const auto& run : w.runs) {
                const auto& r = run.result;
                const auto count = r.loads[remote ? 1 : 0].count + r.others[remote ? 1 : 0].count;
                core::sim_time spent{};
                for (const auto s : part.stages) spent += spent_by(r, remote)[static_cast<std::size_t>(s)];
                const double mean = count == 0 ? 0 : static_cast<double>(spent.ps) * 1e-3 / static_cast<double>(count);
                one.points.emplace_back(static_cast<double>(place++), mean);
            }
        c.series.push_back(std::move(one));
    }
    for (const auto& w : all)
        for (const auto& run : w.runs) c.categories.push_back(fmt::format("{}, {}", w.workload, name_of(run.kind)));
    c.note = "loads, stores and atomic operations, by line; both ways; the parts of a request sum to its life exactly. "
             "All stages by themselves: statistics, requests.*.stages";
    return c;
}

std::string where_remote_loads_wait(const run_result& r) {
    const auto& loads = r.loads[1];
    const auto total = static_cast<double>(loads.total().ps);
    if (total == 0) return {};
    std::array<std::size_t, memory::stage_count> order{};
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return loads.spent[a] > loads.spent[b]; });
    std::string text;
    double named = 0;
    constexpr std::size_t shown = 5;
    for (std::size_t i = 0; i < shown; ++i) {
        const double share = static_cast<double>(loads.spent[order[i]].ps) / total;
        named += share;
        text += fmt::format("{}{} {:.0f} %", i == 0 ? "" : ", ",
                            memory::stage_name(static_cast<memory::stage>(order[i])), share * 100);
    }
    return fmt::format("{}, other {:.0f} %", text, (1 - named) * 100);
}

}  // namespace contraflow::numa_gpu
