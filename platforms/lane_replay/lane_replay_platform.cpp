// SPDX-License-Identifier: Apache-2.0
#include "lane_replay/lane_replay_platform.h"

#include <utility>

#include <CLI/App.hpp>
#include <fmt/format.h>

#include "cosim/lane_player.h"
#include "cosim/lane_waves.h"
#include "face/run/run_directory.h"
#include "lane_replay/start.h"
#include "lanes/lane_levels.h"
#include "replay/played_cases.h"
#include "runner/run.h"

namespace contraflow::lane_replay {
namespace {

// In waves, a cycle is a nanosecond.
constexpr core::sim_time cycle{1000};
constexpr const char* link_name = "link";

}  // namespace

void lane_replay_platform::options(CLI::App& app) {
    input_.add_to(app, "which lane controller decides: the model, the RTL, or both compared", "tlm|rtl|lockstep");
}

void lane_replay_platform::prepare(config::loaded<replay_spec>& loaded, config::diagnostics& diag) {
    input_.prepare(loaded, diag, link::parse_lane_cases);
    const auto& cases = input_.cases();
    for (std::size_t i = 0; input_.fit() && i < cases.size(); ++i)
        if (const auto problem = problem_of(loaded.value.level, cases[i].spec)) {
            const auto& suspect = problem->suspects.front();
            input_.report(fmt::format("[{}].parameters.{}", input_.place(i), suspect.path), problem->message,
                          fmt::format("{}, or --level tlm", suspect.allowed), diag);
        }
}

// The case once more, as waves.
void lane_replay_platform::show(const link::lane_case& c, const link::replay_result& result,
                                const cosim::controller_set& controllers, face::run_context& context) const {
    if (!context.wave_event().empty()) {
        lanes::keep_around_turn(*context.waves(), context.wave_event(), c.spec, cycle);
        for (const auto& w : result.windows)
            if (w.lanes.decision != link::lane_decision::none)
                context.waves()->event("first_turn", cycle * w.lanes.end);
    }
    context.add_wave_source(std::make_unique<cosim::lane_waves>(link_name, c.spec,
                                                                cosim::player_of(controllers.records().front()->told),
                                                                cycle, cycle * result.drained, &c.trace));
}

int lane_replay_platform::run(const config::loaded<replay_spec>& loaded, face::run_context& context) {
    const auto level = loaded.value.level;
    const auto& cases = input_.cases();
    if (context.waves() != nullptr && (level == cosim::controller_level::tlm || cases.size() != 1))
        throw face::usage_error("--wave shows one case, and its RTL: --only NAME, --level rtl or lockstep");
    std::vector<played_case> played;
    std::string windows = "[";
    runner::run_outcome last;
    runner::one_by_one(context, cases.size(), "cases", [&](std::size_t i) {
        const link::lane_case& c = cases[i];
        cosim::controller_set controllers(level, context.waves() != nullptr || context.out());
        const auto lanes = controllers.factory()(link_name, c.spec, 1);
        const auto& differs = controllers.difference();
        auto result = link::replay(*lanes, c.trace, [&] { return !differs && context.keep_going(); });
        if (differs) {
            last.difference = lanes::tell_difference(context, controllers, cycle);
            return false;
        }
        if (!result.complete) {
            last.verdict = observe::watchdog::verdict::stopped;
            last.end = cycle * result.drained;
            return false;
        }
        if (context.waves() != nullptr) show(c, result, controllers, context);
        windows += fmt::format("{}{}", played.empty() ? "\n" : ",\n", link::to_json(c.name, result));
        played.emplace_back(c, std::move(result));
        return true;
    });
    const std::size_t wrong = fill(context.report(), level, played, cases.size());
    const int code = replay::judge(last, cases, played.size(), wrong, context);
    if (context.out()) {
        face::write_file(*context.out() / "windows.json", windows + "\n]\n");
        input_.keep(*context.out());
    }
    return code;
}

int start(int argc, char** argv) {
    lane_replay_platform platform;
    return face::main(argc, argv, platform);
}

}  // namespace contraflow::lane_replay
