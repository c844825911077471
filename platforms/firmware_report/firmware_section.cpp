// SPDX-License-Identifier: Apache-2.0
#include "firmware_report/firmware_section.h"

#include <algorithm>

#include "iss/routine_profile.h"

namespace contraflow::firmware_report {
namespace {

using face::whole;

// Routines in which cycles were spent, the longest first.
std::vector<iss::routine_profile::row> busiest(const nic_levels::core_profile& profile) {
    auto rows = profile.rows;
    std::erase_if(rows, [](const auto& r) { return r.cycles == 0; });
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.cycles > b.cycles; });
    return rows;
}

}  // namespace

face::section firmware_section(const nic_levels::core_profile& profile) {
    face::table t;
    t.id = "routines";
    t.title = "Cycles of the core by routine";
    t.columns = {{"routine", ""}, {"cycles", ""}, {"share of the work", "%"}, {"entries", ""}};
    t.note = "from each core's first packet or message on, without its set-up before";
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

double mean_lookup_us(const nic_levels::core_profile& profile) {
    return profile.packets == 0
               ? 0
               : static_cast<double>(profile.lookup_time) * 1e-6 / static_cast<double>(profile.packets);
}

nlohmann::ordered_json as_json(const nic_levels::core_profile& profile) {
    auto routines = nlohmann::ordered_json::array();
    for (const auto& r : profile.rows)
        routines.push_back({{"name", r.name}, {"cycles", r.cycles}, {"entries", r.entries}});
    return {{"lookups", profile.packets}, {"lookup_us", mean_lookup_us(profile)}, {"routines", routines}};
}

}  // namespace contraflow::firmware_report
