// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "numa_gpu/numa_report.h"

namespace contraflow::numa_gpu {
namespace {

constexpr std::size_t most_kernels = 400;
constexpr std::size_t most_links_on_terminal = 6;

// Those of that link that came to something: the others found no lane, or the run had ended.
std::vector<lane_fault> faults_of(const run_result& r, const link_result& l, std::vector<lane_fault> faults) {
    std::erase_if(faults, [&](const lane_fault& f) { return f.link != l.name || f.at >= r.end; });
    std::stable_sort(faults.begin(), faults.end(), [](const auto& x, const auto& y) { return x.at < y.at; });
    faults.resize(std::min<std::size_t>(faults.size(), l.failed_lanes));
    return faults;
}

face::chart bandwidth_chart(const run_result& r, const link_result& l, const std::vector<lane_fault>& faults,
                            const std::string& id) {
    face::chart c;
    c.id = fmt::format("{}-{}", id, l.name);
    c.title = fmt::format("{}: bandwidth by direction, and what its lanes allow", l.name);
    c.type = face::chart::kind::step;
    c.x = {"time", "us"};
    c.y = {"bandwidth", "GB/s"};
    for (const auto& d : l.directions) {
        c.series.push_back({d.name, d.rate});
        c.series.push_back({fmt::format("lanes {}", d.name), d.limit});
    }
    for (const auto& k : r.kernels) {
        if (c.moments.size() == most_kernels) break;
        c.moments.push_back({k.begun.seconds() * 1e6, k.name});
    }
    for (const auto& f : faults)
        c.moments.push_back(
            {f.at.seconds() * 1e6,
             fmt::format("a lane {} fails", l.directions[f.direction == link::direction::ab ? 0 : 1].name)});
    c.note = fmt::format("header and padding included; a dashed line is the start of a kernel{}",
                         faults.empty() ? "" : ", or a lane's failure");
    return c;
}

face::timeline kernel_timeline(const run_result& r, const std::string& id) {
    face::timeline t;
    t.id = id + "-kernels";
    t.title = "Kernels";
    t.x = {"time", "us"};
    t.rows = {"kernels"};
    for (const auto& k : r.kernels) {
        if (t.bars.size() == most_kernels) break;
        t.bars.push_back({"kernels", k.name, k.name, {}, k.begun.seconds() * 1e6, k.ended.seconds() * 1e6});
    }
    t.note = r.kernels.size() > most_kernels ? fmt::format("the first {} of {}", most_kernels, r.kernels.size())
                                             : "at each one's beginning the lanes return to symmetric";
    return t;
}

face::table link_table(const comparison& c, const std::string& id) {
    face::table t;
    t.id = id + "-links";
    t.title = "Links, by direction";
    t.columns = {{"links", ""}, {"link", ""},  {"a to b", "MB"},       {"busy", "%"},         {"b to a", "MB"},
                 {"busy", "%"}, {"turns", ""}, {"transferring", "mJ"}, {"switched on", "mJ"}, {"area", "mm2"}};
    for (const auto& run : c.runs)
        for (const auto& l : run.result.links) {
            const auto& [ab, ba] = l.directions;
            t.rows.push_back({std::string(name_of(run.kind)), l.name, static_cast<double>(ab.payload_bytes) * 1e-6,
                              ab.utilisation * 100, static_cast<double>(ba.payload_bytes) * 1e-6, ba.utilisation * 100,
                              static_cast<std::int64_t>(l.turns), l.energy.transferred * 1e3,
                              l.energy.switched_on * 1e3, l.energy.area});
        }
    t.note = "busy: of the lane-time that served the direction; energy and area of the wires: 0.5 pJ/b, and 1.5 W and "
             "3.3 mm2 for 8 lanes";
    t.on_terminal = c.runs.front().result.links.size() <= most_links_on_terminal;
    return t;
}

}  // namespace

void add_links(const comparison& c, const compared_run& run, const std::vector<lane_fault>& faults,
               face::section& section, const std::string& id) {
    const auto& r = run.result;
    if (!r.links.empty()) section.items.emplace_back(link_table(c, id));
    section.items.emplace_back(kernel_timeline(r, id));
    for (const auto& l : r.links) section.items.emplace_back(bandwidth_chart(r, l, faults_of(r, l, faults), id));
}

}  // namespace contraflow::numa_gpu
