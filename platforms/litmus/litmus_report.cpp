// SPDX-License-Identifier: Apache-2.0
#include "litmus/litmus_report.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "replay/played_cases.h"

namespace contraflow::litmus {
namespace {

using face::whole;

bool shows_forbidden(const played_test& p) {
    return std::any_of(p.outcomes.begin(), p.outcomes.end(), [&](const ordering::outcome& o) {
        return std::any_of(p.given->forbidden.begin(), p.given->forbidden.end(),
                           [&](const ordering::outcome_pattern& f) { return f.matches(o); });
    });
}

std::string forbidden_text(const played_test& p) {
    std::string text;
    for (const auto& f : p.given->forbidden)
        text += fmt::format("{}{}", text.empty() ? "" : " ", ordering::to_json(*p.given, f));
    return text.empty() ? "-" : text;
}

std::string step_text(const ordering::litmus_test& t) {
    if (!t.step.empty()) return t.step;
    return t.forbidden.empty() ? "-" : "none";
}

face::table as_table(const std::vector<played_test>& played) {
    face::table t;
    t.id = "tests";
    t.title = "Tests";
    t.columns = {{"test", ""},      {"step left out", ""}, {"outcomes", ""},        {"states", ""},
                 {"forbidden", ""}, {"can happen", ""},    {"against expected", ""}};
    for (const played_test& p : played) {
        const bool asks = !p.given->forbidden.empty();
        t.rows.push_back({p.given->name, step_text(*p.given), whole(p.outcomes.size()), whole(p.result.states),
                          forbidden_text(p), asks ? (shows_forbidden(p) ? "yes" : "never") : "-", replay::verdict(p)});
        if (asks)
            t.note = "A forbidden outcome is one with these values. It must be possible where a step is left out, and "
                     "nowhere else.";
    }
    return t;
}

face::section witnesses(const std::vector<played_test>& played, bool on_terminal) {
    face::section s{"witnesses", "How each outcome comes about", {}};
    for (std::size_t i = 0; i < played.size(); ++i) {
        const auto& outcomes = played[i].result.outcomes;
        for (std::size_t k = 0; k < outcomes.size(); ++k) {
            face::steps steps;
            steps.id = fmt::format("witness_{}_{}", i, k);
            steps.title =
                fmt::format("{}: {}", played[i].given->name, ordering::to_json(*played[i].given, outcomes[k].result));
            steps.items = outcomes[k].witness;
            steps.on_terminal = on_terminal;
            s.items.emplace_back(std::move(steps));
        }
    }
    return s;
}

nlohmann::ordered_json as_json(const std::vector<played_test>& played) {
    auto list = nlohmann::ordered_json::array();
    for (const played_test& p : played) {
        auto outcomes = nlohmann::ordered_json::array();
        for (const auto& o : p.result.outcomes)
            outcomes.push_back({{"outcome", nlohmann::ordered_json::parse(ordering::to_json(*p.given, o.result))},
                                {"witness", o.witness}});
        list.push_back({{"name", p.given->name},
                        {"about", p.given->about},
                        {"step", p.given->step},
                        {"states", p.result.states},
                        {"steps", p.result.steps},
                        {"forbidden_shown", shows_forbidden(p)},
                        {"outcomes", std::move(outcomes)},
                        {"verdict", replay::verdict(p)},
                        {"difference", p.difference}});
    }
    return list;
}

// "12 of 12 tests without a step show what is forbidden", and those with all steps.
void add_headlines(face::report_data& report, const std::vector<played_test>& played) {
    std::size_t without = 0, shown = 0, with = 0, never = 0;
    std::uint64_t states = 0, steps = 0;
    for (const played_test& p : played) {
        states += p.result.states;
        steps += p.result.steps;
        if (p.given->forbidden.empty()) continue;
        const bool shows = shows_forbidden(p);
        (p.given->step.empty() ? with : without) += 1;
        if (p.given->step.empty())
            never += shows ? 0 : 1;
        else
            shown += shows ? 1 : 0;
    }
    if (without != 0)
        report.headline.push_back(
            fmt::format("With a step left out, the forbidden outcome can happen in {} of {} tests.", shown, without));
    if (with != 0)
        report.headline.push_back(fmt::format("With all steps, it never happens in {} of {} tests.", never, with));
    report.headline.push_back(fmt::format("{} states, {} steps between them.", states, steps));
}

}  // namespace

played_test::played_test(const ordering::litmus_test& t, play_result r) : given(&t), result(std::move(r)) {
    for (const auto& o : result.outcomes) outcomes.push_back(o.result);
    difference = ordering::first_difference(t, outcomes);
}

std::size_t fill(face::report_data& report, const litmus_spec& spec, const std::vector<played_test>& played,
                 std::size_t all) {
    const replay::case_count n = replay::report_cases(report, "litmus", "machine", std::string(title_of(spec.level)),
                                                      played, all, as_table(played));
    add_headlines(report, played);
    if (n.wrong != 0) report.warnings.push_back(fmt::format("{} tests differ from what they say", n.wrong));
    report.sections.push_back(witnesses(played, spec.witness));
    report.results["tests"] = as_json(played);
    return n.wrong;
}

}  // namespace contraflow::litmus
