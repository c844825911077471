// SPDX-License-Identifier: Apache-2.0
#include "gpu_shmem/results/scaling_report.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/counted.h"
#include "gpu_shmem/results/put_report.h"
#include "workloads/sparse/triangle.h"

namespace contraflow::gpu_shmem {
namespace {

using config::name_of;
using face::us;

const scaled_result* find(const std::vector<scaled_result>& runs, scheme how, unsigned nodes) {
    const auto found = std::ranges::find_if(runs, [&](const scaled_result& r) {
        return r.variant.how == how && r.variant.nodes == nodes && r.complete() && r.measured != core::sim_time{};
    });
    return found == runs.end() ? nullptr : &*found;
}

// How many times faster `r` is than the other run; none: it has not ended, or is the same one.
std::optional<double> times_faster(const scaled_result& r, const scaled_result* than) {
    if (than == nullptr || than == &r || !r.complete() || r.measured == core::sim_time{}) return std::nullopt;
    return us(than->measured) / us(r.measured);
}
std::optional<double> over_one_node(const std::vector<scaled_result>& runs, const scaled_result& r) {
    return times_faster(r, find(runs, r.variant.how, 1));
}
// By how much gio is faster on as many nodes, in %: the other's time over its own, less 1.
std::optional<double> gain_of_gio(const std::vector<scaled_result>& runs, const scaled_result& r) {
    const scaled_result* const gio = find(runs, scheme::gio, r.variant.nodes);
    if (gio == nullptr || gio == &r || !r.complete()) return std::nullopt;
    return (us(r.measured) / us(gio->measured) - 1) * 100;
}

face::cell or_dash(std::optional<double> value) { return value ? face::cell{*value} : face::cell{"-"}; }

face::table time_table(const std::vector<scaled_result>& runs, const char* id, const char* title,
                       const std::string& note) {
    face::table t;
    t.id = id;
    t.title = title;
    t.note = note;
    t.columns = {
        {"scheme", ""},   {"nodes", ""},         {"time", "us"}, {"over one node", "x"}, {"gio is faster by", "%"},
        {"messages", ""}, {"on the wire", "KB"}, {"result", ""}};
    for (const scaled_result& r : runs)
        t.rows.push_back({std::string(name_of(r.variant.how)), face::whole(r.variant.nodes), us(r.measured),
                          or_dash(over_one_node(runs, r)), or_dash(gain_of_gio(runs, r)), face::whole(r.messages),
                          static_cast<double>(r.wire_bytes) / 1000, runner::verdict_text(r)});
    return t;
}

face::chart time_chart(const std::vector<scaled_result>& runs, const char* id, const char* title) {
    face::chart c;
    c.id = id;
    c.title = title;
    c.x = {"nodes", "", true};
    c.y = {"time", "us", true};
    for (const scaled_result& r : runs) {
        const std::string name(name_of(r.variant.how));
        if (c.series.empty() || c.series.back().name != name) c.series.push_back({name, {}});
        if (r.complete()) c.series.back().points.emplace_back(r.variant.nodes, us(r.measured));
    }
    for (auto& s : c.series) std::ranges::sort(s.points);
    return c;
}

nlohmann::ordered_json as_json(const std::vector<scaled_result>& runs) {
    auto list = nlohmann::ordered_json::array();
    for (const scaled_result& r : runs) {
        nlohmann::ordered_json one{{"scheme", name_of(r.variant.how)},
                                   {"nodes", r.variant.nodes},
                                   {"verdict", runner::verdict_text(r)},
                                   {"time_us", us(r.time)},
                                   {"messages", r.messages},
                                   {"wire_bytes", r.wire_bytes},
                                   {"sent_again", r.sent_again},
                                   {"callbacks", r.callbacks}};
        if (const auto x = over_one_node(runs, r)) one["over_one_node"] = *x;
        if (const auto gain = gain_of_gio(runs, r)) one["gio_gain_percent"] = *gain;
        list.push_back(std::move(one));
    }
    return list;
}

std::string times_text(const std::vector<scaled_result>& runs) {
    std::vector<std::string> parts;
    for (const scaled_result& r : runs) {
        if (!r.complete()) continue;
        const auto x = over_one_node(runs, r);
        parts.push_back(fmt::format("{} {:.1f} us{}", r.variant.text(), us(r.measured),
                                    x ? fmt::format(" ({:.2f} times as fast as one node)", *x) : ""));
    }
    return parts.empty() ? "no run has ended" : fmt::format("{}", fmt::join(parts, "; "));
}

std::string name_of_matrix(const workloads::matrix_choice& m) {
    if (m.preset != workloads::matrix_preset::none) return fmt::format("as {}", name_of(m.preset));
    return m.values.kind == workloads::matrix_kind::file ? m.values.file : std::string(name_of(m.values.kind));
}

}  // namespace

void fill_jacobi_scaling(face::report_data& report, const experiment& e, const std::vector<scaled_result>& runs) {
    const std::string what =
        e.strong ? fmt::format("jacobi, {} x {} points in all, strong scaling", e.jacobi.columns, e.jacobi.rows)
                 : fmt::format("jacobi, {} x {} points a GPU, weak scaling", e.jacobi.columns, e.jacobi.rows);
    report.title = what;
    report.levels = levels_of();
    if (runs.empty()) return;
    face::table t =
        time_table(runs, "jacobi_scaling", "A step of Jacobi by scheme and number of nodes",
                   "mean of the steps after the first two, until the last PE has ended it; ideal: with as many "
                   "nodes, a step of weak scaling takes as long as on one, and one of strong scaling as much less; "
                   "each run is compared with one processor's, bit by bit");
    t.columns[2].name = "step";
    t.columns.insert(t.columns.begin() + 4, {"of ideal", "%"});
    auto json = as_json(runs);
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const auto x = over_one_node(runs, runs[i]);
        const double share = x ? *x * 100 / (e.strong ? runs[i].variant.nodes : 1) : 0;
        t.rows[i].insert(t.rows[i].begin() + 4, x ? face::cell{share} : face::cell{"-"});
        if (x) json[i]["of_ideal_percent"] = share;
        json[i]["step_us"] = us(runs[i].step);
    }
    report.headline.insert(report.headline.begin(),
                           fmt::format("gpu_shmem: {}: a step takes: {}.", what, times_text(runs)));
    report.sections.push_back(
        {"jacobi_scaling",
         "Jacobi on several numbers of nodes",
         {std::move(t), time_chart(runs, "jacobi_by_nodes", "Time of a step by the number of nodes")}});
    report.results["jacobi_scaling"] = std::move(json);
}

void fill_triangular_solve(face::report_data& report, const experiment& e, const workloads::csr_matrix& lower,
                           const std::vector<scaled_result>& runs) {
    const std::string what = fmt::format("triangular solve, {}, {}", name_of_matrix(e.triangular_solve.matrix),
                                         core::counted(lower.rows, "row"));
    report.title = what;
    report.levels = levels_of();
    if (runs.empty()) return;
    const std::uint32_t below = lower.row_begin.back() - lower.rows, levels = workloads::levels_of(lower);
    report.headline.insert(report.headline.begin(), fmt::format("gpu_shmem: {}: {}.", what, times_text(runs)));
    report.sections.push_back(
        {"triangular_solve",
         "Triangular solve",
         {time_table(
              runs, "triangular_solve", "A sparse triangular system by scheme and number of nodes",
              fmt::format("{} entries below the diagonal, {} levels; from the start of the kernels until the last PE "
                          "has ended; each solution is compared with the host's",
                          below, levels)),
          time_chart(runs, "triangular_solve_by_nodes", "Time of a triangular solve by the number of nodes")}});
    report.results["matrix"] = {{"rows", lower.rows}, {"entries_below_diagonal", below}, {"levels", levels}};
    report.results["triangular_solve"] = as_json(runs);
}

void fill_bfs(face::report_data& report, const experiment& e, const workloads::csr_graph& graph,
              const std::vector<scaled_result>& runs) {
    const std::string what = fmt::format("breadth-first search, {}, {}", name_of(e.bfs.graph.kind),
                                         core::counted(graph.vertices, "vertex", "vertices"));
    report.title = what;
    report.levels = levels_of();
    if (runs.empty()) return;
    const auto level = workloads::levels_from(graph, workloads::busiest_vertex(graph));
    std::uint64_t ends = 0, reached = 0;
    std::uint32_t levels = 0;
    for (std::uint32_t v = 0; v < graph.vertices; ++v) {
        if (level[v] == workloads::not_reached) continue;
        ends += graph.degree(v);
        ++reached;
        levels = std::max(levels, level[v] + 1);
    }
    const std::uint64_t edges = e.bfs.graph.directed ? ends : ends / 2;
    const auto rate = [&](const scaled_result& r) {
        return r.complete() && r.measured != core::sim_time{} ? static_cast<double>(edges) / r.measured.seconds() : 0;
    };
    face::table t =
        time_table(runs, "bfs", "Breadth-first search by scheme and number of nodes",
                   fmt::format("{} vertices are reached in {} levels, over {} edges; from the start of the "
                               "kernels until the last PE has ended; each level is compared with the host's",
                               reached, levels, edges));
    t.columns.insert(t.columns.begin() + 3, {"edges", "million/s"});
    auto json = as_json(runs);
    for (std::size_t i = 0; i < runs.size(); ++i) {
        t.rows[i].insert(t.rows[i].begin() + 3, rate(runs[i]) * 1e-6);
        json[i]["edges_per_s"] = rate(runs[i]);
    }
    report.headline.insert(report.headline.begin(), fmt::format("gpu_shmem: {}: {}.", what, times_text(runs)));
    report.sections.push_back(
        {"bfs",
         "Breadth-first search",
         {std::move(t), time_chart(runs, "bfs_by_nodes", "Time of a search by the number of nodes")}});
    report.results["graph"] = {
        {"vertices", graph.vertices}, {"reached", reached}, {"edges", edges}, {"levels", levels}};
    report.results["bfs"] = std::move(json);
}

}  // namespace contraflow::gpu_shmem
