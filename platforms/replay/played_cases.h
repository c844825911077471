// SPDX-License-Identifier: Apache-2.0
// Report and verdict on played cases: whether each result is the expected one, and the differences.
// A played case has `given`, a pointer to the case with its `name` and an optional `expected`, and `difference`, a text
// that is empty if there is none.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/counted.h"
#include "face/results/report_data.h"
#include "runner/run.h"

namespace contraflow::replay {

inline std::string cases_text(std::size_t n) { return core::counted(n, "case"); }

template <class Played> std::string verdict(const Played& p) {
    if (!p.difference.empty()) return "differs";
    return p.given->expected ? "matches" : "-";
}

template <class Played> face::table differences(const std::vector<Played>& played) {
    face::table t;
    t.id = "differences";
    t.title = "Where a result first differs";
    t.columns = {{"case", ""}, {"difference", ""}};
    for (const Played& p : played)
        if (!p.difference.empty()) t.rows.push_back({p.given->name, p.difference});
    return t;
}

struct case_count {
    std::size_t expected = 0, wrong = 0;  // with an expectation; with a difference
};

// "1 case differs from the expected results".
inline std::string wrong_text(std::size_t n) {
    return core::counted(n, "case differs", "cases differ") + " from the expected results";
}

// Title, level, headline and the section of cases; `part` is the part with the level, `all` the number of cases to
// play, `agree` what those do that are as expected.
template <class Played>
case_count report_cases(face::report_data& report, std::string_view program, std::string_view part,
                        const std::string& level, const std::vector<Played>& played, std::size_t all, face::table cases,
                        std::string_view agree = "match what is expected") {
    const auto count = [&](auto which) {
        return static_cast<std::size_t>(std::count_if(played.begin(), played.end(), which));
    };
    const case_count n{count([](const Played& p) { return p.given->expected.has_value(); }),
                       count([](const Played& p) { return !p.difference.empty(); })};
    report.title = cases_text(all);
    report.levels = {{std::string(part), level}};
    std::string headline = fmt::format("{}: {} of {} played{}, {}", program, played.size(), cases_text(all),
                                       played.size() < all ? " to the end" : "", level);
    if (n.expected != 0)
        headline += fmt::format("; {} of {} {}",
                                count([](const Played& p) { return p.given->expected && p.difference.empty(); }),
                                n.expected, agree);
    report.headline.push_back(headline + ".");
    report.sections.push_back({"cases", "Cases", {std::move(cases)}});
    if (n.wrong != 0) report.sections.back().items.emplace_back(differences(played));
    return n;
}

// The exit code of all cases: that of `last`, the case that ended the run early, or of the differences. A case that did
// not come to its end is not among those that were played.
template <class Case>
int judge(runner::run_outcome& last, const std::vector<Case>& cases, std::size_t played, std::size_t wrong,
          face::run_context& context) {
    if (!last.complete() || !last.difference.empty()) return runner::judge(last, cases[played].name, context);
    if (played < cases.size())
        last.verdict = observe::watchdog::verdict::stopped;
    else if (wrong != 0)
        last.wrong = wrong_text(wrong);
    return runner::exit_code_of(last);
}

}  // namespace contraflow::replay
