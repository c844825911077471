// SPDX-License-Identifier: Apache-2.0
#include "gpu_shmem/results/scheme_report.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/counted.h"
#include "gpu_shmem/results/published_points.h"
#include "gpu_shmem/results/put_report.h"
#include "pcie_report/address_table.h"

namespace contraflow::gpu_shmem {
namespace {

using config::name_of;
using face::us;

const scheme_result* find(const std::vector<scheme_result>& runs, scheme s) {
    const auto found = std::ranges::find_if(
        runs, [s](const scheme_result& r) { return r.how == s && r.complete() && r.step != core::sim_time{}; });
    return found == runs.end() ? nullptr : &*found;
}

// By how much gio is faster, in %: the other's time over its own, less 1.
std::optional<double> gain_over(const std::vector<scheme_result>& runs, const scheme_result& other) {
    const scheme_result* const gio = find(runs, scheme::gio);
    if (gio == nullptr || &other == gio || other.step == core::sim_time{}) return std::nullopt;
    return (us(other.step) / us(gio->step) - 1) * 100;
}

face::table step_table(const std::vector<scheme_result>& runs, const char* id, const char* title, const char* note) {
    face::table t;
    t.id = id;
    t.title = title;
    t.note = note;
    t.columns = {{"scheme", ""}, {"step", "us"},   {"gio is faster by", "%"},
                 {"all", "us"},  {"messages", ""}, {"result", ""}};
    for (const scheme_result& r : runs) {
        const auto gain = gain_over(runs, r);
        t.rows.push_back({std::string(name_of(r.how)), us(r.step), gain ? face::cell{*gain} : face::cell{"-"},
                          us(r.time), face::whole(r.messages), runner::verdict_text(r)});
    }
    return t;
}

nlohmann::ordered_json as_json(const std::vector<scheme_result>& runs) {
    auto list = nlohmann::ordered_json::array();
    for (const scheme_result& r : runs) {
        nlohmann::ordered_json one{{"scheme", name_of(r.how)}, {"verdict", runner::verdict_text(r)},
                                   {"step_us", us(r.step)},    {"time_us", us(r.time)},
                                   {"messages", r.messages},   {"sent_again", r.sent_again},
                                   {"callbacks", r.callbacks}};
        if (const auto gain = gain_over(runs, r)) one["gio_gain_percent"] = *gain;
        list.push_back(std::move(one));
    }
    return list;
}

std::string steps_text(const std::vector<scheme_result>& runs) {
    std::vector<std::string> parts;
    for (const scheme_result& r : runs) {
        if (!r.complete()) continue;
        const auto gain = gain_over(runs, r);
        parts.push_back(
            fmt::format("{} {:.2f} us{}", name_of(r.how), us(r.step), gain ? fmt::format(" ({:+.0f} %)", *gain) : ""));
    }
    return parts.empty() ? "no run has ended" : fmt::format("{}", fmt::join(parts, ", "));
}

face::chart step_chart(const experiment& e, const std::vector<scheme_result>& runs) {
    face::chart c;
    c.id = "jacobi_steps";
    c.title = "Time of a step of Jacobi, by scheme";
    c.type = face::chart::kind::bar;
    c.x = {"scheme", ""};
    c.y = {"time of a step", "us"};
    c.series.push_back({"step", {}});
    for (const scheme_result& r : runs) {
        c.series.back().points.emplace_back(static_cast<double>(c.categories.size()), us(r.step));
        c.categories.emplace_back(name_of(r.how));
    }
    // Relative to this run's gio: the source gives gains only.
    const auto gain = published_jacobi_gain(e.jacobi.rows);
    const scheme_result* const gio = find(runs, scheme::gio);
    const auto inter_k = std::ranges::find(runs, scheme::inter_k, &scheme_result::how);
    if (gain && gio != nullptr && inter_k != runs.end() && e.jacobi.columns == e.jacobi.rows && e.cluster.nodes == 4)
        c.marks.push_back({static_cast<double>(inter_k - runs.begin()), us(gio->step) * (1 + *gain / 100),
                           fmt::format("published: gio is faster than inter_k by {:g} %", *gain)});
    return c;
}

void add_addresses(face::report_data& report, const std::vector<scheme_result>& runs) {
    if (!runs.back().addresses.empty())
        report.sections.push_back({"addresses",
                                   "PCIe address map",
                                   {pcie_report::address_table(runs.back().addresses, "addresses",
                                                               "PCIe address map of each node, as the tree was "
                                                               "enumerated")}});
}

}  // namespace

void fill_jacobi(face::report_data& report, const experiment& e, const std::vector<scheme_result>& runs) {
    const std::string what = fmt::format("jacobi, {} x {} points a GPU, {}", e.jacobi.columns, e.jacobi.rows,
                                         core::counted(e.cluster.nodes, "node"));
    report.title = report.title.empty() ? what : fmt::format("{}; {}", report.title, what);
    report.levels = levels_of();
    if (runs.empty()) return;
    const std::string line = fmt::format("gpu_shmem: {}: a step takes: {}.", what, steps_text(runs));
    report.headline.insert(
        report.headline.begin() + (report.headline.empty() || e.kind == experiment_kind::jacobi ? 0 : 1), line);
    report.sections.push_back(
        {"jacobi",
         "Jacobi",
         {step_table(runs, "jacobi", "Jacobi by scheme",
                     "mean of the steps after the first two, until the last PE has ended it; each run is compared with "
                     "one processor's, bit by bit"),
          step_chart(e, runs)}});
    add_addresses(report, runs);
    report.results["jacobi"] = as_json(runs);
}

void fill_ping_pong(face::report_data& report, const experiment& e, const std::vector<scheme_result>& runs) {
    report.title =
        fmt::format("ping-pong of {} between two of {} nodes", core::to_text(e.ping_pong.size), e.cluster.nodes);
    report.levels = levels_of();
    if (runs.empty()) return;
    report.headline.insert(report.headline.begin(),
                           fmt::format("gpu_shmem: {}: one way takes: {}.", report.title, steps_text(runs)));
    report.sections.push_back({"ping_pong",
                               "Ping-pong",
                               {step_table(runs, "ping_pong", "One way by scheme",
                                           "a put, its fence and a flag, until the other PE has seen the flag, added "
                                           "one to each byte, and begins to answer")}});
    add_addresses(report, runs);
    report.results["ping_pong"] = as_json(runs);
}

}  // namespace contraflow::gpu_shmem
