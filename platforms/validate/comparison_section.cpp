// SPDX-License-Identifier: Apache-2.0
// The report's section that compares both levels.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "validate/pcie_tree/level_comparison.h"

namespace contraflow::validate {
namespace {

constexpr std::size_t furthest = 12;

double percent(std::size_t part, std::size_t all) {
    return all == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(all);
}

face::chart histogram(const level_comparison& comparison) {
    constexpr double width = 5, last = 32.5;  // %; one bar is around 0; what is farther apart is in the outermost ones
    constexpr int inner = 13;
    face::chart c;
    c.id = "differences";
    c.title = "How far closed form and TLM are apart";
    c.type = face::chart::kind::bar;
    c.x = {"difference of the slowdown in TLM from that of the closed form", "%"};
    c.y = {"share of communications", "%"};
    std::vector<std::size_t> counts(inner + 2);
    for (const auto& s : comparison.sends) {
        const double bar = std::floor((s.difference() * 100 + last) / width) + 1;
        ++counts[static_cast<std::size_t>(std::clamp(bar, 0.0, inner + 1.0))];
    }
    face::point_series series{"communications", {}};
    for (int i = 0; i < inner + 2; ++i) {
        const double from = -last + (i - 1) * width;
        c.categories.push_back(i == 0           ? fmt::format("< {:g}", -last)
                               : i == inner + 1 ? fmt::format(">= {:g}", last)
                                                : fmt::format("{:g} to {:g}", from, from + width));
        series.points.emplace_back(i, percent(counts[static_cast<std::size_t>(i)], comparison.sends.size()));
    }
    c.series.push_back(std::move(series));
    c.note = "Below 0, TLM is faster.";
    return c;
}

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
    t.columns = {{"rule", ""},           {"of all graphs", "%"},  {"of the sample", "%"},
                 {"communications", ""}, {"over 15 % apart", ""}, {"mean difference", "%"},
                 {"least", "%"},         {"greatest", "%"}};
    for (const auto& r : summarise_rules(comparison))
        t.rows.push_back({rule_text(r.rule), percent(r.predicted, comparison.predicted.size()),
                          percent(r.sends, comparison.sends.size()), face::whole(r.sends), face::whole(r.apart),
                          r.mean_difference * 100, r.least * 100, r.greatest * 100});
    t.note =
        "Of the sample, which is simulated; its shares of the rules against those of all graphs check it. Difference: "
        "slowdown in TLM over that of the closed form; below 0, TLM is faster";
    t.on_terminal = false;
    return t;
}

face::table by_size_of_graph(const level_comparison& comparison) {
    face::table t;
    t.id = "sizes";
    t.title = "By the number of communications of a graph";
    t.columns = {{"communications of a graph", ""},
                 {"in all graphs", ""},
                 {"mean slowdown", "x"},
                 {"greatest", "x"},
                 {"in the sample", ""},
                 {"within 15 %", "%"},
                 {"95 % confidence, +-", "%"}};
    struct row {
        std::size_t predicted = 0;
        double sum = 0.0, greatest = 0.0;
        level_comparison sample;
    };
    std::map<unsigned, row> rows;
    for (const auto& p : comparison.predicted) {
        row& r = rows[p.communications];
        ++r.predicted;
        r.sum += p.closed_form;
        r.greatest = std::max(r.greatest, p.closed_form);
    }
    for (const auto& s : comparison.sends) rows[s.communications].sample.sends.push_back(s);
    for (const auto& [communications, r] : rows)
        t.rows.push_back({face::whole(communications), face::whole(r.predicted),
                          r.sum / static_cast<double>(r.predicted), r.greatest, face::whole(r.sample.sends.size()),
                          r.sample.share_within(far_apart) * 100, r.sample.share_error(far_apart) * 100});
    t.note = "Slowdowns of all graphs by the closed form.";
    t.on_terminal = false;
    return t;
}

face::table furthest_apart(const comparison_spec& spec, const level_comparison& comparison) {
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
        t.rows.push_back({s.tree, face::whole(s.seed), face::whole(s.communications), s.name, s.closed_form, s.tlm,
                          s.difference() * 100, rule_text(s.rule)});
    }
    t.note = fmt::format("pcie_tree with communications=[], pattern.kind=random, this pattern.seed and pattern.count, "
                         "pattern.min_size={} and pattern.max_size={} makes the graph again.",
                         core::to_text(spec.least), core::to_text(spec.greatest));
    t.on_terminal = false;
    return t;
}

}  // namespace

face::section comparison_section(const comparison_spec& spec, const level_comparison& comparison) {
    face::section s{"levels", "P11: closed form and TLM over random graphs", {}};
    s.items.emplace_back(histogram(comparison));
    s.items.emplace_back(scatter(comparison));
    s.items.emplace_back(cumulative(comparison));
    s.items.emplace_back(by_rule(comparison));
    s.items.emplace_back(by_size_of_graph(comparison));
    s.items.emplace_back(furthest_apart(spec, comparison));
    return s;
}

}  // namespace contraflow::validate
