// SPDX-License-Identifier: Apache-2.0
#include "lane_replay/replay_report.h"

#include <fmt/format.h>

#include "replay/played_cases.h"

namespace contraflow::lane_replay {
namespace {

constexpr std::size_t most_charts = 24;
constexpr std::size_t most_points = 4096;

using face::whole;

using replay::verdict;

// "15 + 1": the lanes of each direction at the end of the last window.
std::string last_lanes(const link::replay_result& r) {
    if (r.windows.empty()) return "-";
    const auto& lanes = r.windows.back().lanes.lanes;
    return fmt::format("{} + {}", lanes.ab, lanes.ba);
}

// The mean time of a phit from its arrival until the cycle in which it is served.
double mean_wait(const link::replay_result& r) {
    const std::uint64_t served = r.served.ab + r.served.ba;
    return served == 0 ? 0 : (r.waited.ab + r.waited.ba) / static_cast<double>(served);
}

face::table as_table(const std::vector<played_case>& played) {
    face::table t;
    t.id = "cases";
    t.title = "Cases";
    t.columns = {{"case", ""},
                 {"policy", ""},
                 {"windows", ""},
                 {"turns", ""},
                 {"lanes at last", ""},
                 {"served ab", "phits"},
                 {"served ba", "phits"},
                 {"drained", "cycles"},
                 {"mean wait", "cycles"},
                 {"against expected", ""}};
    for (const played_case& p : played) {
        const link::replay_result& r = p.result;
        t.rows.push_back({p.given->name, p.given->spec.policy, whole(r.windows.size()), whole(r.turns), last_lanes(r),
                          whole(r.served.ab), whole(r.served.ba), whole(r.drained), mean_wait(r), verdict(p)});
    }
    return t;
}

face::chart lanes_over_time(const played_case& p, std::size_t number) {
    face::chart c;
    c.id = fmt::format("lanes_{}", number);
    c.title = fmt::format("Lanes at the end of each window: {}", p.given->name);
    c.type = face::chart::kind::step;
    c.x = {"window's end", "cycles", false};
    c.y = {"lanes", "", false};
    c.series = {{"A to B", {}}, {"B to A", {}}};
    for (const auto& w : p.result.windows) {
        const auto end = static_cast<double>(w.lanes.end);
        c.series[0].points.emplace_back(end, w.lanes.lanes.ab);
        c.series[1].points.emplace_back(end, w.lanes.lanes.ba);
    }
    return c;
}

face::section charts(const std::vector<played_case>& played) {
    face::section s{"lanes", "Lanes over time", {}};
    std::size_t left_out = 0;
    for (std::size_t i = 0; i < played.size(); ++i) {
        if (played[i].result.turns == 0) continue;
        if (s.items.size() < most_charts && played[i].result.windows.size() <= most_points)
            s.items.emplace_back(lanes_over_time(played[i], i));
        else
            ++left_out;
    }
    if (left_out != 0)
        s.items.emplace_back(
            face::text_block{fmt::format("{} cases more had turns; windows.json holds all of them.", left_out), false});
    return s;
}

nlohmann::ordered_json as_json(const std::vector<played_case>& played) {
    auto list = nlohmann::ordered_json::array();
    for (const played_case& p : played)
        list.push_back({{"name", p.given->name},
                        {"policy", p.given->spec.policy},
                        {"windows", p.result.windows.size()},
                        {"served_ab", p.result.served.ab},
                        {"served_ba", p.result.served.ba},
                        {"drained", p.result.drained},
                        {"turns", p.result.turns},
                        {"mean_wait_cycles", mean_wait(p.result)},
                        {"verdict", verdict(p)},
                        {"difference", p.difference}});
    return list;
}

}  // namespace

std::size_t fill(face::report_data& report, cosim::controller_level level, const std::vector<played_case>& played,
                 std::size_t all) {
    const replay::case_count n = replay::report_cases(report, "lane_replay", "lane controller",
                                                      std::string(title_of(level)), played, all, as_table(played));
    if (n.wrong != 0) report.warnings.push_back(replay::wrong_text(n.wrong));
    if (auto lanes = charts(played); !lanes.items.empty()) report.sections.push_back(std::move(lanes));
    report.results["cases"] = as_json(played);
    return n.wrong;
}

nlohmann::ordered_json results_form(const std::vector<link::lane_case>& cases) {
    std::vector<played_case> none;
    for (const link::lane_case& c : cases) none.emplace_back(c, link::replay_result{});
    return {{"cases", as_json(none)}};
}

}  // namespace contraflow::lane_replay
