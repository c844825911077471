// SPDX-License-Identifier: Apache-2.0
#include "nic_replay/replay_report.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "iss/routine_profile.h"
#include "replay/played_cases.h"

namespace contraflow::nic_replay {
namespace {

std::int64_t whole(std::uint64_t n) { return static_cast<std::int64_t>(n); }
double us(core::sim_time t) { return static_cast<double>(t.ps) * 1e-6; }

std::uint64_t dropped(const nic::receive_counters& c) {
    return std::accumulate(c.drops.begin(), c.drops.end(), std::uint64_t{0});
}

using replay::verdict;

face::table as_table(const std::vector<played_case>& played) {
    face::table t;
    t.id = "cases";
    t.title = "Cases";
    t.columns = {{"case", ""},    {"packets", ""},      {"actions", ""}, {"accepted", ""},        {"to the core", ""},
                 {"dropped", ""}, {"payload", "bytes"}, {"time", "us"},  {"against expected", ""}};
    for (const played_case& p : played) {
        const auto& c = p.outcome.result.counters;
        t.rows.push_back({p.given->name, whole(p.given->packets.size()), whole(p.outcome.result.actions.size()),
                          whole(c.accepted), whole(c.mailbox), whole(dropped(c)), whole(c.bytes), us(p.outcome.time),
                          verdict(p)});
    }
    return t;
}

// Routines in which cycles were spent, the longest first.
std::vector<iss::routine_profile::row> busiest(const nic_levels::core_profile& profile) {
    auto rows = profile.rows;
    std::erase_if(rows, [](const auto& r) { return r.cycles == 0; });
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.cycles > b.cycles; });
    return rows;
}

// All cycles belong to a routine or to waiting; shares are relative to the cycles of routines.
face::section firmware_section(const nic_levels::core_profile& profile) {
    face::table t;
    t.id = "routines";
    t.title = "Cycles of the core by routine";
    t.columns = {{"routine", ""}, {"cycles", ""}, {"share of the work", "%"}, {"entries", ""}};
    t.note = "since the first packet; set-up of buffers and rings is not part of it";
    face::chart c;
    c.id = "routine_shares";
    c.title = "Where the core's cycles go";
    c.type = face::chart::kind::bar;
    c.x = {"routine", "", false};
    c.y = {"cycles", "", false};
    c.series = {{"cycles", {}}};
    const std::string& idle = profile.rows.at(iss::routine_profile::idle).name;
    const auto rows = busiest(profile);
    double work = 0;
    for (const auto& r : rows) work += r.name == idle ? 0 : static_cast<double>(r.cycles);
    for (const auto& r : rows) {
        const bool waits = r.name == idle;
        t.rows.push_back({r.name, whole(r.cycles),
                          waits ? face::cell{"-"} : face::cell{100 * static_cast<double>(r.cycles) / work},
                          whole(r.entries)});
        if (waits) continue;
        c.series[0].points.emplace_back(static_cast<double>(c.categories.size()), static_cast<double>(r.cycles));
        c.categories.push_back(r.name);
    }
    return {"firmware", "Firmware", {c, t}};
}

nlohmann::ordered_json as_json(const std::vector<played_case>& played) {
    auto list = nlohmann::ordered_json::array();
    for (const played_case& p : played)
        list.push_back({{"name", p.given->name},
                        {"packets", p.given->packets.size()},
                        {"actions", p.outcome.result.actions.size()},
                        {"time_us", us(p.outcome.time)},
                        {"verdict", verdict(p)},
                        {"difference", p.difference}});
    return list;
}

nlohmann::ordered_json as_json(const nic_levels::core_profile& profile, double lookup) {
    auto routines = nlohmann::ordered_json::array();
    for (const auto& r : profile.rows)
        routines.push_back({{"name", r.name}, {"cycles", r.cycles}, {"entries", r.entries}});
    return {{"lookups", profile.packets}, {"lookup_us", lookup}, {"routines", routines}};
}

}  // namespace

std::size_t fill(face::report_data& report, nic_levels::receive_level level, const std::vector<played_case>& played,
                 std::size_t all, const nic_levels::core_profile& profile) {
    const replay::case_count n = replay::report_cases(report, "nic_replay", "receive datapath",
                                                      std::string(title_of(level)), played, all, as_table(played));
    if (n.wrong != 0) report.warnings.push_back(fmt::format("{} cases differ from what is expected", n.wrong));
    report.results["cases"] = as_json(played);
    if (has_core(level) && !profile.rows.empty()) {
        const double mean = profile.packets == 0 ? 0
                                                 : static_cast<double>(profile.lookup_time) * 1e-6 /
                                                       static_cast<double>(profile.packets);
        if (profile.packets != 0)
            report.headline.push_back(
                fmt::format("Firmware takes {:.3g} us a put, from when its look-up can begin to its result.", mean));
        report.sections.push_back(firmware_section(profile));
        report.results["firmware"] = as_json(profile, mean);
    }
    return n.wrong;
}

}  // namespace contraflow::nic_replay
