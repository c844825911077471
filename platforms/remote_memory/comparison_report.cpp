// SPDX-License-Identifier: Apache-2.0
#include "remote_memory/comparison_report.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "remote_memory/migration_report.h"

namespace contraflow::remote_memory {
namespace {

face::cell time_of(const request_times& requests) {
    if (requests.count == 0) return std::string("-");
    return requests.beyond_unit_ns();
}

// The unit of the counts in a table, chosen so that the largest is readable.
struct scale {
    std::string unit;
    double one = 1;
    double operator()(std::uint64_t n) const { return static_cast<double>(n) / one; }
};
scale scale_of(std::uint64_t largest) {
    if (largest >= 10'000'000) return {"M", 1e6};
    if (largest >= 10'000) return {"k", 1e3};
    return {};
}

nlohmann::ordered_json migrations_json(const run_result& r) {
    const auto& m = r.migration;
    nlohmann::ordered_json steps;
    for (std::size_t i = 0; i < m.steps.size(); ++i)
        steps[std::string(step_name(static_cast<host::migration::step>(i)))] =
            m.ended() == 0 ? 0.0 : us(m.steps[i]) / static_cast<double>(m.ended());
    const auto uses = uses_of(r);
    return {{"moved", m.moved},         {"copied", m.duplicated},      {"collapsed", m.collapsed},
            {"bytes", m.bytes},         {"mean_us", us(m.mean())},     {"mean_closed_us", us(m.mean_closed())},
            {"mean_us_by_step", steps}, {"went_back", uses.went_back}, {"median_uses", uses.median()},
            {"pins", m.pins},           {"prevented", m.pinned},       {"outside_window", m.outside_window},
            {"no_frame", m.no_frame},   {"queue_full", m.queue_full},  {"claimed", m.claimed}};
}

}  // namespace

const compared_run& reference_of(const comparison& c) {
    const auto* const one = c.find(memory_policy::one_gpu);
    return one != nullptr ? *one : c.runs.front();
}

double speed_up(const comparison& c, const compared_run& run) { return comparison::speed_up(reference_of(c), run); }

face::table comparison_table(const comparison& c) {
    face::table t;
    t.id = c.workload;
    t.title = fmt::format("{}: {}", c.workload, c.parameters);
    std::uint64_t most = 0;
    for (const auto& run : c.runs) most = std::max({most, run.result.accesses.local, run.result.accesses.remote});
    const scale count = scale_of(most);
    t.columns = {{"pages", ""},         {"time", "us"},         {"speed-up", ""},     {"result", ""},
                 {"local", count.unit}, {"remote", count.unit}, {"remote", "%"},      {"own load", "ns"},
                 {"remote load", "ns"}, {"held load", "ns"},    {"held store", "ns"}, {"moves", ""},
                 {"sent", "MB"}};
    for (const auto& run : c.runs) {
        const auto& r = run.result;
        const auto& m = r.migration;
        t.rows.push_back({std::string(name_of(run.kind)), us(r.end), c.speed_up_cell(reference_of(c), run),
                          verdict_text(r), count(r.accesses.local), count(r.accesses.remote),
                          r.accesses.remote_share() * 100, time_of(r.loads_of(reach::local)),
                          time_of(r.loads_of(reach::remote)), time_of(r.loads_of(reach::held)), time_of(r.held_stores),
                          static_cast<std::int64_t>(m.moved + m.duplicated),
                          static_cast<double>(r.traffic.all()) * 1e-6});
    }
    std::string pages;
    for (const auto& run : c.runs)
        pages += fmt::format("{}{}: {}", pages.empty() ? "" : "; ", name_of(run.kind), what_pages_do(run.kind));
    t.note = fmt::format(
        "pages ({}); speed-up over {}; local, remote: the units' requests whose page is in the own GPU's memory and in "
        "another one's; then what a load takes on the average from leaving its unit to coming back, by where its page "
        "is: in the own GPU's memory, in another one's (remote), or moving (held); held store: the same of a store "
        "whose page is moving; sent: data between GPUs without headers, with pages that move",
        pages, name_of(reference_of(c).kind));
    return t;
}

face::table levels_table(const comparison& c) {
    face::table t;
    t.id = c.workload + "-levels";
    t.title = fmt::format("{}: hits by level", c.workload);
    t.columns = {{"pages", ""}};
    for (const auto& l : c.runs.front().result.levels) t.columns.push_back({l.name, "%"});
    t.columns.insert(t.columns.end(), {{"walks", ""}, {"busiest link", "%"}});
    for (const auto& run : c.runs) {
        const auto& r = run.result;
        if (r.levels.size() != t.columns.size() - 3) continue;  // it was stopped before it had any result
        std::vector<face::cell> row{std::string(name_of(run.kind))};
        for (const auto& l : r.levels) row.push_back(l.asked == 0 ? face::cell{"-"} : face::cell{l.rate() * 100});
        row.emplace_back(static_cast<std::int64_t>(r.walks));
        double most = 0;
        for (const auto& d : r.network) most = std::max(most, d.busy);
        row.emplace_back(most * 100);
        t.rows.push_back(std::move(row));
    }
    t.note = "of all GPUs together; first and second level: of reads; ";
    if (std::any_of(t.columns.begin(), t.columns.end(), [](const auto& l) { return l.name == "scalars"; }))
        t.note += "-: nobody asked; instructions, scalars: of lines of code and of arguments that wavefronts asked "
                  "for; a line that "
                  "another one has already asked for is no hit; ";
    t.note += "walks: of the page tables, by the IOMMU and by the GPUs' own walkers, where they have them";
    return t;
}

nlohmann::ordered_json results_of_run(const comparison& c, const compared_run& run) {
    const auto& r = run.result;
    nlohmann::ordered_json out;
    out["complete"] = r.complete();
    if (!r.fault.empty()) out["fault"] = r.fault;
    if (!r.complete()) return out;
    out["time_ms"] = r.end.seconds() * 1e3;
    out["speed_up"] = speed_up(c, run);
    if (const auto* const dca = c.find(memory_policy::dca); dca != nullptr && dca->result.complete())
        out["over_dca"] = dca->result.end.seconds() / r.end.seconds();
    out["verified"] = r.verified();
    out["local_requests"] = r.accesses.local;
    out["remote_requests"] = r.accesses.remote;
    for (const reach where : {reach::local, reach::remote, reach::held}) {
        const std::string key = where == reach::local ? "local" : where == reach::remote ? "remote" : "held";
        out[key + "_loads"] = r.loads_of(where).count;
        out[key + "_load_ns"] = r.loads_of(where).mean_ns();
        out[key + "_load_beyond_unit_ns"] = r.loads_of(where).beyond_unit_ns();
        out[key + "_load_least_ns"] = r.loads_of(where).least_ns;
    }
    for (const auto& [key, held] :
         {std::pair{"held_store", &r.held_stores}, std::pair{"held_atomic", &r.held_atomics}}) {
        out[fmt::format("{}s", key)] = held->count;
        out[fmt::format("{}_ns", key)] = held->mean_ns();
        out[fmt::format("{}_beyond_unit_ns", key)] = held->beyond_unit_ns();
    }
    for (const auto& l : r.levels) {
        std::string key = l.name;
        std::replace(key.begin(), key.end(), ' ', '_');
        std::erase(key, '\'');
        out["hit_rate_" + key] = l.rate();
    }
    out["walks"] = r.walks;
    out["between_gpus_bytes"] = r.traffic.all();
    out["migration"] = migrations_json(r);
    double most = 0;
    auto network = nlohmann::ordered_json::array();
    for (const auto& d : r.network) {
        most = std::max(most, d.busy);
        network.push_back({{"name", d.name}, {"payload_bytes", d.payload_bytes}, {"busy", d.busy}});
    }
    out["busiest_link"] = most;
    out["network"] = std::move(network);
    return out;
}

}  // namespace contraflow::remote_memory
