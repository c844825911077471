// SPDX-License-Identifier: Apache-2.0
// The report on litmus tests: which step is left out, whether the forbidden outcome shows, and how.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "face/results/report_data.h"
#include "litmus/litmus_spec.h"
#include "litmus/player.h"
#include "ordering/litmus_test.h"

namespace contraflow::litmus {

struct played_test {
    played_test(const ordering::litmus_test& t, play_result r, play_level level);
    // A line of outcomes.json.
    std::string as_outcomes() const { return ordering::to_json(*given, outcomes); }

    const ordering::litmus_test* given;
    play_result result;
    std::vector<ordering::outcome> outcomes;
    std::string difference;  // from what the test says; empty if there is none

    bool sampled() const { return result.runs != 0; }
    // Runs with a forbidden outcome; at level model, outcomes.
    std::uint64_t forbidden() const;
};

// Reports the tests that were played, out of `all`, and the work on the one in which the run was stopped. Returns the
// number of those that differ from what they say.
std::size_t fill(face::report_data& report, const litmus_spec& spec, const std::vector<played_test>& played,
                 const play_result& unfinished, std::size_t all);

// See face::program_if::results_form(). The outcomes are known after a run only.
nlohmann::ordered_json results_form(const litmus_spec& spec, std::vector<ordering::litmus_test> tests);

}  // namespace contraflow::litmus
