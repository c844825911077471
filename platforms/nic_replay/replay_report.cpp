// SPDX-License-Identifier: Apache-2.0
#include "nic_replay/replay_report.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "firmware_report/firmware_section.h"
#include "replay/played_cases.h"

namespace contraflow::nic_replay {
namespace {

using face::us;
using face::whole;

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

}  // namespace

std::size_t fill(face::report_data& report, const replay_spec& spec, const std::vector<played_case>& played,
                 std::size_t all, const nic_levels::core_profile& profile) {
    const replay::case_count n = replay::report_cases(report, "nic_replay", "receive datapath", title_of(spec.chosen()),
                                                      played, all, as_table(played));
    if (n.wrong != 0) report.warnings.push_back(replay::wrong_text(n.wrong));
    report.results["cases"] = as_json(played);
    if (has_core(spec.chosen()) && !profile.rows.empty()) {
        if (profile.packets != 0)
            report.headline.push_back(
                fmt::format("Firmware takes {:.3g} us a put, from when its look-up can begin to its result.",
                            firmware_report::mean_lookup_us(profile)));
        report.sections.push_back(firmware_report::firmware_section(profile));
        report.results["firmware"] = firmware_report::as_json(profile);
    }
    return n.wrong;
}

nlohmann::ordered_json results_form(const replay_spec& spec, const std::vector<nic::receive_case>& cases) {
    std::vector<played_case> none;
    for (const nic::receive_case& c : cases) none.emplace_back(c, nic::replay_outcome{});
    nlohmann::ordered_json form{{"cases", as_json(none)}};
    if (has_core(spec.chosen())) form["firmware"] = firmware_report::as_json({});
    return form;
}

}  // namespace contraflow::nic_replay
