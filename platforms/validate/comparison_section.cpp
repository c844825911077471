// SPDX-License-Identifier: Apache-2.0
// The report's section that compares both levels.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "validate/pcie_tree/level_comparison.h"

namespace contraflow::validate {
namespace {

constexpr std::size_t furthest = 12;

face::chart scatter(const level_comparison& comparison) {
    face::chart c;
    c.id = "slowdowns";
    c.title = "Slowdown of each communication, TLM over closed form";
    c.type = face::chart::kind::scatter;
    c.x = {"slowdown by the closed form", "x"};
    c.y = {"slowdown in TLM", "x"};
    for (const auto& r : summarise_rules(comparison)) {
        face::point_series series{rule_text(r.rule), {}};
        for (const auto& s : comparison.sends)
            if (s.rule == r.rule) series.points.emplace_back(s.closed_form, s.tlm);
        c.series.push_back(std::move(series));
    }
    c.note = "A point below the diagonal is faster in TLM. Coloured by what cost it most time in the closed form.";
    return c;
}

face::chart cumulative(const level_comparison& comparison) {
    face::chart c;
    c.id = "agreement";
    c.title = "How many communications agree how well";
    c.type = face::chart::kind::line;
    c.x = {"difference of the slowdowns, at most", "%"};
    c.y = {"share of communications", "%"};
    std::vector<double> differences;
    for (const auto& s : comparison.sends) differences.push_back(std::abs(s.difference()));
    std::sort(differences.begin(), differences.end());
    face::point_series series{"closed form and TLM", {}};
    for (std::size_t i = 0; i < differences.size(); ++i)
        series.points.emplace_back(differences[i] * 100,
                                   100.0 * static_cast<double>(i + 1) / static_cast<double>(differences.size()));
    c.series.push_back(std::move(series));
    for (const double d : {0.05, 0.10, far_apart}) {
        const double share = comparison.share_within(d) * 100;
        c.marks.push_back({d * 100, share, fmt::format("{:.1f} % within {:.0f} %", share, d * 100)});
    }
    return c;
}

face::table by_rule(const level_comparison& comparison) {
    face::table t;
    t.id = "rules";
    t.title = "By the rule that cost most in the closed form";
    t.columns = {{"rule", ""},   {"communications", ""}, {"over 15 % apart", ""}, {"mean difference", "%"},
                 {"least", "%"}, {"greatest", "%"}};
    for (const auto& r : summarise_rules(comparison))
        t.rows.push_back({rule_text(r.rule), static_cast<std::int64_t>(r.sends), static_cast<std::int64_t>(r.apart),
                          r.mean_difference * 100, r.least * 100, r.greatest * 100});
    t.note = "difference: slowdown in TLM over that of the closed form; below 0, TLM is faster";
    t.on_terminal = false;
    return t;
}

face::table furthest_apart(const level_comparison& comparison) {
    std::vector<std::size_t> order(comparison.sends.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return std::abs(comparison.sends[a].difference()) > std::abs(comparison.sends[b].difference());
    });
    face::table t;
    t.id = "furthest";
    t.title = "Furthest apart";
    t.columns = {{"tree", ""},         {"seed", ""}, {"communications", ""}, {"communication", ""},
                 {"closed form", "x"}, {"TLM", "x"}, {"difference", "%"},    {"rule", ""}};
    for (std::size_t i = 0; i < std::min(furthest, order.size()); ++i) {
        const auto& s = comparison.sends[order[i]];
        t.rows.push_back({s.tree, static_cast<std::int64_t>(s.seed), static_cast<std::int64_t>(s.communications),
                          s.name, s.closed_form, s.tlm, s.difference() * 100, rule_text(s.rule)});
    }
    t.note = "The random pattern of pcie_tree with this seed and count makes the graph again.";
    t.on_terminal = false;
    return t;
}

}  // namespace

face::section comparison_section(const level_comparison& comparison) {
    face::section s{"levels", "P11: closed form and TLM over random graphs", {}};
    s.items.emplace_back(scatter(comparison));
    s.items.emplace_back(cumulative(comparison));
    s.items.emplace_back(by_rule(comparison));
    s.items.emplace_back(furthest_apart(comparison));
    return s;
}

}  // namespace contraflow::validate
