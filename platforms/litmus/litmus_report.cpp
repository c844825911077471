// SPDX-License-Identifier: Apache-2.0
#include "litmus/litmus_report.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "replay/played_cases.h"

namespace contraflow::litmus {
namespace {

using face::whole;

bool is_forbidden(const played_test& p, const ordering::outcome& o) {
    return std::any_of(p.given->forbidden.begin(), p.given->forbidden.end(),
                       [&](const ordering::outcome_pattern& f) { return f.matches(o); });
}
bool shows_forbidden(const played_test& p) { return p.forbidden() != 0; }

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

bool in_set(const played_test& p, const ordering::outcome& o) {
    return std::ranges::find(*p.given->expected, o) != p.given->expected->end();
}

std::string against_set(const played_test& p) {
    if (p.difference.empty()) return "inside";
    if (!p.result.failure.empty()) return "failed";
    const bool inside = std::ranges::all_of(p.outcomes, [&](const ordering::outcome& o) { return in_set(p, o); });
    return inside && !p.given->step.empty() ? "not shown" : "OUTSIDE";
}

face::table as_counted_table(const std::vector<played_test>& played) {
    face::table t;
    t.id = "tests";
    t.title = "Tests";
    t.columns = {{"test", ""},      {"step left out", ""}, {"outcomes seen", ""}, {"in the set", ""},
                 {"forbidden", ""}, {"times", ""},         {"of runs", ""},       {"against the set", ""}};
    for (const played_test& p : played) {
        const bool asks = !p.given->forbidden.empty();
        t.rows.push_back({p.given->name, step_text(*p.given), whole(p.outcomes.size()),
                          whole(p.given->expected->size()), forbidden_text(p),
                          asks ? face::cell(whole(p.forbidden())) : face::cell("-"), whole(p.result.runs),
                          against_set(p)});
    }
    t.note = "Times: runs with the forbidden outcome. It must be seen where a step is left out, and nowhere else; not "
             "shown: it was not seen where it should be.";
    return t;
}

// Every outcome of the set, and those beside it.
face::table as_outcome_table(const std::vector<played_test>& played) {
    face::table t;
    t.id = "outcomes";
    t.title = "How often each outcome was seen";
    t.columns = {{"test", ""}, {"step left out", ""}, {"outcome", ""}, {"times", ""}, {"of runs", ""}, {"", ""}};
    t.on_terminal = false;
    for (const played_test& p : played) {
        std::vector<ordering::outcome> all = *p.given->expected;
        all.insert(all.end(), p.outcomes.begin(), p.outcomes.end());
        ordering::sort_by_text(*p.given, all);
        for (const ordering::outcome& o : all) {
            const auto seen = std::find(p.outcomes.begin(), p.outcomes.end(), o);
            const std::uint64_t times =
                seen == p.outcomes.end() ? 0 : p.result.times[static_cast<std::size_t>(seen - p.outcomes.begin())];
            t.rows.push_back({p.given->name, step_text(*p.given), ordering::to_json(*p.given, o), whole(times),
                              whole(p.result.runs),
                              !in_set(p, o)        ? "not in the set"
                              : is_forbidden(p, o) ? "forbidden"
                                                   : ""});
        }
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
        for (std::size_t i = 0; i < p.result.outcomes.size(); ++i) {
            const auto& o = p.result.outcomes[i];
            outcomes.push_back({{"outcome", nlohmann::ordered_json::parse(ordering::to_json(*p.given, o.result))}});
            if (p.sampled())
                outcomes.back()["times"] = p.result.times[i];
            else
                outcomes.back()["witness"] = o.witness;
        }
        list.push_back({{"name", p.given->name}, {"about", p.given->about}, {"step", p.given->step}});
        if (p.sampled())
            list.back().update({{"runs", p.result.runs}, {"forbidden_times", p.forbidden()}});
        else
            list.back().update({{"states", p.result.states}, {"steps", p.result.steps}});
        list.back().update({{"forbidden_shown", shows_forbidden(p)},
                            {"outcomes", std::move(outcomes)},
                            {"verdict", p.sampled() ? against_set(p) : replay::verdict(p)},
                            {"difference", p.difference}});
    }
    return list;
}

// "12 of 12 tests without a step show what is forbidden", and those with all steps.
// `unfinished`: of the test in which the run was stopped; its work counts.
void add_headlines(face::report_data& report, const std::vector<played_test>& played, const play_result& unfinished,
                   bool sampled) {
    std::size_t without = 0, shown = 0, with = 0, never = 0;
    std::uint64_t states = unfinished.states, steps = unfinished.steps, runs = unfinished.runs;
    const played_test* rarest = nullptr;  // that shows what is forbidden
    for (const played_test& p : played) {
        states += p.result.states;
        steps += p.result.steps;
        runs += p.result.runs;
        if (p.given->forbidden.empty()) continue;
        const bool shows = shows_forbidden(p);
        (p.given->step.empty() ? with : without) += 1;
        if (p.given->step.empty()) {
            never += shows ? 0 : 1;
        } else {
            shown += shows ? 1 : 0;
            if (shows && (rarest == nullptr || p.forbidden() < rarest->forbidden())) rarest = &p;
        }
    }
    if (without != 0)
        report.headline.push_back(fmt::format(
            "With a step left out, the forbidden outcome {} in {} of {} tests{}.", sampled ? "was seen" : "can happen",
            shown, without,
            sampled && rarest != nullptr ? fmt::format(", least often in {} of {} runs ({})", rarest->forbidden(),
                                                       rarest->result.runs, rarest->given->name)
                                         : ""));
    if (with != 0)
        report.headline.push_back(fmt::format("With all steps, it {} in {} of {} tests.",
                                              sampled ? "was never seen" : "never happens", never, with));
    report.headline.push_back(sampled ? fmt::format("{} runs.", runs)
                                      : fmt::format("{} states, {} steps between them.", states, steps));
}

}  // namespace

played_test::played_test(const ordering::litmus_test& t, play_result r, play_level level)
    : given(&t),
      result(std::move(r)) {
    for (const auto& o : result.outcomes) outcomes.push_back(o.result);
    difference = level == play_level::model ? ordering::first_difference(t, outcomes)
                 : result.failure.empty()   ? ordering::first_outside(t, outcomes)
                                            : result.failure;
}

std::uint64_t played_test::forbidden() const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < outcomes.size(); ++i)
        if (is_forbidden(*this, outcomes[i])) sum += sampled() ? result.times[i] : 1;
    return sum;
}

std::size_t fill(face::report_data& report, const litmus_spec& spec, const std::vector<played_test>& played,
                 const play_result& unfinished, std::size_t all) {
    const bool sampled = spec.level == play_level::tlm;
    const bool all_shown = std::ranges::none_of(played, [](const auto& p) { return against_set(p) == "not shown"; });
    const char* const holds = !sampled    ? "match what is expected"
                              : all_shown ? "stay inside the set of their outcomes"
                                          : "stay inside the set of their outcomes and show what they say";
    const replay::case_count n =
        replay::report_cases(report, "litmus", "machine", title_of(spec.level, spec.runs), played, all,
                             sampled ? as_counted_table(played) : as_table(played), holds);
    add_headlines(report, played, unfinished, sampled);
    if (n.wrong != 0)
        report.warnings.push_back(n.wrong == 1 ? "1 test differs from what it says"
                                               : fmt::format("{} tests differ from what they say", n.wrong));
    if (sampled)
        report.sections.back().items.emplace_back(as_outcome_table(played));
    else
        report.sections.push_back(witnesses(played, spec.witness));
    report.results["tests"] = as_json(played);
    return n.wrong;
}

nlohmann::ordered_json results_form(const litmus_spec& spec, std::vector<ordering::litmus_test> tests) {
    std::vector<played_test> none;
    for (ordering::litmus_test& t : tests) {
        t.expected.emplace();
        play_result nothing;
        nothing.runs = spec.level == play_level::tlm ? spec.runs : 0;
        none.emplace_back(t, std::move(nothing), spec.level);
    }
    return {{"tests", as_json(none)}};
}

}  // namespace contraflow::litmus
