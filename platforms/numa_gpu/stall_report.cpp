// SPDX-License-Identifier: Apache-2.0
// Where line requests spend their lives.
#include <fmt/format.h>

#include "numa_gpu/numa_report.h"
#include "study/stage_chart.h"

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

study::stage_bar bar_of(std::string name, const request_result& requests) {
    study::stage_bar b{std::move(name), requests.count, {}};
    for (std::size_t s = 0; s < b.spent.size(); ++s) b.spent[s] = requests.spent[s].ps;
    return b;
}

}  // namespace

face::chart stall_chart(const std::vector<comparison>& all, bool remote, const std::string& id) {
    std::vector<study::stage_bar> bars;
    for (const auto& w : all)
        for (const auto& run : w.runs) {
            const std::size_t where = remote ? 1 : 0;
            auto bar = bar_of(fmt::format("{}, {}", w.workload, name_of(run.kind)), run.result.loads[where]);
            const auto others = bar_of({}, run.result.others[where]);
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

std::string where_remote_loads_wait(const run_result& r) { return study::longest_stages(bar_of({}, r.loads[1])); }

}  // namespace contraflow::numa_gpu
