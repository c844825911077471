// SPDX-License-Identifier: Apache-2.0
#include "litmus/litmus_platform.h"

#include <utility>
#include <vector>

#include <CLI/App.hpp>
#include <fmt/format.h>

#include "face/command_line/errors.h"
#include "face/run/run_directory.h"
#include "litmus/start.h"
#include "ordering/test_file.h"
#include "replay/played_cases.h"
#include "runner/run.h"

namespace contraflow::litmus {
namespace {

play_options options_of(const litmus_spec& s) { return {s.states, s}; }

}  // namespace

void litmus_platform::options(CLI::App& app) {
    input_.add_to(app, "what plays the tests: the small machine, in every interleaving, or the platform's parts",
                  "model|tlm");
    app.add_flag("--witness", witness_, "print one shortest interleaving for each outcome");
}

void litmus_platform::prepare(config::loaded<litmus_spec>& loaded, config::diagnostics& diag) {
    input_.prepare(loaded, diag, ordering::parse_tests);
    if (witness_) {
        loaded.value.witness = true;
        loaded.mark_computed("witness");
    }
    for (const config::problem& p : problems_of(loaded.value)) loaded.report(p, diag);
    const auto player = make_player(loaded.value.level, options_of(loaded.value));
    for (std::size_t i = 0; input_.fit() && i < input_.cases().size(); ++i) {
        const std::string problem = player->problem_of(input_.cases()[i]);
        if (!problem.empty()) input_.report(fmt::format("[{}]", input_.place(i)), problem, {}, diag);
    }
}

int litmus_platform::run(const config::loaded<litmus_spec>& loaded, face::run_context& context) {
    const bool samples = loaded.value.level == play_level::tlm;
    tests_ = input_.cases();
    const auto& tests = tests_;
    const auto player = make_player(loaded.value.level, options_of(loaded.value));
    std::vector<played_test> played;
    std::string outcomes = "[";
    runner::run_outcome last;
    play_result unfinished;
    const auto stopped = [&](play_result& r) {
        if (r.stopped_while.empty()) return false;
        last.verdict = observe::watchdog::verdict::stopped;
        last.stopped_while = std::move(r.stopped_while);
        unfinished = std::move(r);
        return true;
    };
    runner::one_by_one(context, tests.size(), "tests", [&](std::size_t i) {
        const auto goes_on = [&](std::uint64_t done) {
            context.progress({}, done, samples ? loaded.value.runs : 0, samples ? "runs" : "states");
            return context.keep_going();
        };
        // A test that does not say its complete set gets it from the small machine.
        if (samples && !tests_[i].expected) {
            auto all = make_player(play_level::model, options_of(loaded.value))->play(tests[i], goes_on);
            if (stopped(all)) return false;
            tests_[i].expected.emplace();
            for (auto& o : all.outcomes) tests_[i].expected->push_back(std::move(o.result));
        }
        auto result = player->play(tests[i], goes_on);
        if (stopped(result)) return false;
        played.emplace_back(tests[i], std::move(result), loaded.value.level);
        outcomes += fmt::format("{}{}", i == 0 ? "\n" : ",\n", played.back().as_outcomes());
        return true;
    });
    const std::size_t wrong = fill(context.report(), loaded.value, played, unfinished, tests.size());
    const int code = replay::judge(last, tests, played.size(), wrong, context);
    if (context.out()) {
        face::write_file(*context.out() / "outcomes.json", outcomes + "\n]\n");
        input_.keep(*context.out());
    }
    return code;
}

int start(int argc, char** argv) {
    litmus_platform platform;
    return face::main(argc, argv, platform);
}

}  // namespace contraflow::litmus
