// SPDX-License-Identifier: Apache-2.0
#include "gpu_shmem/results/all_reduce_report.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gpu_shmem/results/put_report.h"

namespace contraflow::gpu_shmem {
namespace {

using config::name_of;
using face::us;

// What each PE has to send and to receive at least, over the time: so it can be compared with a link, whatever the
// number of PEs.
double bus_gb_per_s(const all_reduce_result& r) {
    if (!r.complete() || r.time == core::sim_time{}) return 0;
    const double n = r.variant.nodes, bytes = static_cast<double>(r.variant.size.count);
    return 2 * (n - 1) / n * bytes / r.time.seconds() * 1e-9;
}
double wire_percent(const experiment& e, const all_reduce_result& r) {
    return bus_gb_per_s(r) / e.cluster.network.rate.gb_per_s() * 100;
}

face::table all_reduce_table(const experiment& e, const std::vector<all_reduce_result>& runs) {
    face::table t;
    t.id = "all_reduce";
    t.title = "All-reduce";
    t.note = "from the start until the last PE has the sum, with the launches of kernels; bus: 2 (n - 1) / n of the "
             "vector over the time, also in % of a link's rate; each sum is compared with the host's, bit by bit";
    t.columns = {{"way", ""},     {"scheme", ""},     {"nodes", ""},    {"vector", ""},        {"time", "us"},
                 {"bus", "GB/s"}, {"of a link", "%"}, {"messages", ""}, {"on the wire", "KB"}, {"result", ""}};
    for (const all_reduce_result& r : runs)
        t.rows.push_back({std::string(name_of(r.variant.way)), std::string(name_of(r.variant.how)),
                          face::whole(r.variant.nodes), core::to_text(r.variant.size), us(r.time), bus_gb_per_s(r),
                          wire_percent(e, r), face::whole(r.messages), static_cast<double>(r.wire_bytes) / 1000,
                          runner::verdict_text(r)});
    return t;
}

// A line for each way, scheme and number of nodes.
face::chart bus_chart(const experiment& e, const std::vector<all_reduce_result>& runs) {
    face::chart c;
    c.id = "all_reduce_bus";
    c.title = "Bus bandwidth of all-reduce by the size of the vectors";
    c.x = {"vector", "bytes", true};
    c.y = {"bus bandwidth", "GB/s", true};
    for (const all_reduce_result& r : runs) {
        if (!r.complete()) continue;
        const std::string name =
            fmt::format("{}, {}", name_of(r.variant.way), static_cast<const program_variant&>(r.variant).text());
        if (c.series.empty() || c.series.back().name != name) c.series.push_back({name, {}});
        c.series.back().points.emplace_back(static_cast<double>(r.variant.size.count), bus_gb_per_s(r));
    }
    for (auto& s : c.series) std::ranges::sort(s.points);
    c.note = fmt::format("a link has {:.4g} GB/s, with packets' headers", e.cluster.network.rate.gb_per_s());
    return c;
}

nlohmann::ordered_json as_json(const experiment& e, const std::vector<all_reduce_result>& runs) {
    auto list = nlohmann::ordered_json::array();
    for (const all_reduce_result& r : runs)
        list.push_back({{"way", name_of(r.variant.way)},
                        {"scheme", name_of(r.variant.how)},
                        {"nodes", r.variant.nodes},
                        {"bytes", r.variant.size.count},
                        {"verdict", runner::verdict_text(r)},
                        {"time_us", us(r.time)},
                        {"bus_gb_per_s", bus_gb_per_s(r)},
                        {"wire_percent", wire_percent(e, r)},
                        {"messages", r.messages},
                        {"wire_bytes", r.wire_bytes},
                        {"sent_again", r.sent_again},
                        {"callbacks", r.callbacks}});
    return list;
}

// Of the largest vectors on the most nodes.
std::string headline(const experiment& e, const std::vector<all_reduce_result>& runs) {
    const core::bytes size = std::ranges::max(e.all_reduce.sizes);
    const unsigned nodes = e.on_nodes.empty() ? e.cluster.nodes : std::ranges::max(e.on_nodes);
    std::vector<std::string> parts;
    for (const all_reduce_result& r : runs)
        if (r.complete() && r.variant.size == size && r.variant.nodes == nodes)
            parts.push_back(fmt::format("{} by {} {:.1f} us ({:.1f} % of a link)", name_of(r.variant.way),
                                        name_of(r.variant.how), us(r.time), wire_percent(e, r)));
    return parts.empty() ? "gpu_shmem: no all-reduce has ended."
                         : fmt::format("gpu_shmem: an all-reduce of {} on {} nodes takes: {}.", core::to_text(size),
                                       nodes, fmt::join(parts, ", "));
}

}  // namespace

void fill_all_reduce(face::report_data& report, const experiment& e, const std::vector<all_reduce_result>& runs) {
    report.title = "all-reduce of vectors of floats";
    report.levels = levels_of();
    if (runs.empty()) return;
    report.headline.insert(report.headline.begin(), headline(e, runs));
    report.sections.push_back({"all_reduce", "All-reduce", {all_reduce_table(e, runs), bus_chart(e, runs)}});
    report.results["all_reduce"] = as_json(e, runs);
}

}  // namespace contraflow::gpu_shmem
