// SPDX-License-Identifier: Apache-2.0
// G10: a step that is left out gives wrong data; with all steps, no interleaving does.
#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "litmus/player.h"
#include "ordering/test_file.h"
#include "shipped_yaml.h"
#include "validate/table/rows.h"

namespace contraflow::validate {
namespace {

bool shows_forbidden(const ordering::litmus_test& test, const litmus::play_result& played) {
    return std::ranges::any_of(test.forbidden, [&](const ordering::outcome_pattern& wrong) {
        return std::ranges::any_of(played.outcomes, [&](const auto& reached) { return wrong.matches(reached.result); });
    });
}

}  // namespace

measurement steps_left_out(const run_environment& environment) {
    const auto file = ordering::parse_tests(steps_json);
    if (!file.problems.empty()) throw std::runtime_error("steps.json: " + file.problems.front().message);
    constexpr std::uint64_t most_states = 20'000'000;
    const auto player = litmus::make_player(litmus::play_level::model, {most_states, {}});
    double left_out = 0, shown = 0, complete = 0, wrong = 0, states = 0;
    for (const ordering::litmus_test& test : file.cases) {
        const auto played =
            player->play(test, [&](std::uint64_t) { return !environment.keep_going || environment.keep_going(); });
        environment.check();
        if (!played.stopped_while.empty())
            throw std::runtime_error(test.name + ": stopped while " + played.stopped_while);
        const bool bad = shows_forbidden(test, played);
        states += static_cast<double>(played.states);
        if (test.step.empty()) {
            ++complete;
            wrong += bad;
        } else {
            ++left_out;
            shown += bad;
        }
    }
    return {{shown / left_out * 100, wrong / complete * 100},
            fmt::format("The tests of platforms/litmus/steps.json on the small machine, every interleaving of each: "
                        "{:.0f} leave a step out, {:.0f} have all; {:.0f} states.",
                        left_out, complete, states),
            {},
            {}};
}

}  // namespace contraflow::validate
