// SPDX-License-Identifier: Apache-2.0
#include "lane_replay/lane_replay_platform.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "config/text/json_position.h"
#include "cosim/lane_player.h"
#include "cosim/lane_waves.h"
#include "face/run/run_directory.h"
#include "lane_replay/replay_report.h"
#include "lanes/lane_levels.h"
#include "runner/run.h"

namespace contraflow::lane_replay {
namespace {

// The run directory holds its input, so that its configuration can be run again wherever it is.
constexpr const char* copied_cases = "cases.json";

// In waves, a cycle is a nanosecond.
constexpr core::sim_time cycle{1000};
constexpr const char* link_name = "link";

cosim::controller_level level_named(const std::string& word) {
    for (const auto& [level, name] : config::enum_names<cosim::controller_level>::names)
        if (word == name) return level;
    throw face::usage_error(
        fmt::format("--level {}: there is no such level; tlm, rtl and lockstep are", config::quoted(word)));
}

bool is_configuration(const std::string& word) { return word.ends_with(".yaml") || word.ends_with(".yml"); }

}  // namespace

void lane_replay_platform::options(CLI::App& app) {
    app_ = &app;
    // What ends in .yaml is left to the face: a configuration.
    app.validate_positionals();
    app.add_option("FILE", file_, "JSON file of cases")
        ->check([](const std::string& word) { return is_configuration(word) ? "a configuration" : ""; }, "")
        ->type_name("");
    app.add_option("--level", level_, "which lane controller decides: the model, the RTL, or both compared")
        ->option_text("tlm|rtl|lockstep");
    app.add_option("--only", only_, "the one case to play")->option_text("NAME");
}

void lane_replay_platform::prepare(config::loaded<replay_spec>& loaded, config::diagnostics& diag) {
    replay_spec& spec = loaded.value;
    if (app_->count("--level") != 0) {
        spec.level = level_named(level_);
        loaded.mark_computed("level");
    }
    if (app_->count("--only") != 0) {
        spec.only = only_;
        loaded.mark_computed("only");
    }
    std::string file = file_;
    if (file.empty() && spec.cases) {
        const config::location at = loaded.where("cases");
        file = (std::filesystem::path(at.file).parent_path() / *spec.cases).string();
    }
    const bool only_printed = app_->count("--print-config") != 0;
    if (file.empty() && only_printed) return;
    if (file.empty())
        throw face::usage_error("nothing to play; give a JSON file of cases, or a configuration that names one");
    const auto source = config::read_source(file, diag);
    if (!source) return;
    auto parsed = link::parse_lane_cases(source->text);
    diag.add_source(file, source->text);
    for (const auto& p : parsed.problems)
        diag.error({file, p.line, p.column}, p.path.empty() ? p.message : fmt::format("{}: {}", p.path, p.message));
    cases_ = std::move(parsed.cases);
    if (spec.only && parsed.problems.empty()) choose(*spec.only);
    for (std::size_t i = 0; parsed.problems.empty() && i < cases_.size(); ++i)
        if (const auto problem = problem_of(spec.level, cases_[i].spec)) {
            const auto& suspect = problem->suspects.front();
            const auto path = fmt::format("[{}].parameters.{}", spec.only ? chosen_ : i, suspect.path);
            const auto [line, column] =
                config::line_and_column(source->text, config::find_json_value(source->text, path));
            diag.error({file, line, column}, fmt::format("{}: {}", path, problem->message),
                       fmt::format("{}, or --level tlm", suspect.allowed));
        }
    text_ = source->text;
    if (!file_.empty() || app_->count("--out") != 0) {
        spec.cases = only_printed ? file : copied_cases;
        loaded.mark_computed("cases");
    }
}

void lane_replay_platform::choose(const std::string& name) {
    std::vector<std::string> names;
    for (const link::lane_case& c : cases_) names.push_back(c.name);
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) {
        const std::string near = config::nearest(name, names);
        throw face::usage_error(fmt::format("--only {}: there is no such case{}", config::quoted(name),
                                            near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near)));
    }
    chosen_ = static_cast<std::size_t>(at - names.begin());
    cases_ = {cases_[chosen_]};
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
    if (context.waves() != nullptr && (level == cosim::controller_level::tlm || cases_.size() != 1))
        throw face::usage_error("--wave shows one case, and its RTL: --only NAME, --level rtl or lockstep");
    std::vector<played_case> played;
    std::string windows = "[", difference;
    runner::one_by_one(context, cases_.size(), "cases", [&](std::size_t i) {
        const link::lane_case& c = cases_[i];
        cosim::controller_set controllers(level, context.waves() != nullptr || context.out());
        const auto lanes = controllers.factory()(link_name, c.spec, 1);
        const auto& differs = controllers.difference();
        auto result = link::replay(*lanes, c.trace, [&] { return !differs && context.keep_going(); });
        if (differs) {
            difference = fmt::format("{}: {}", c.name, lanes::tell_difference(context, controllers, cycle));
            return false;
        }
        if (!result.complete) return false;
        if (context.waves() != nullptr) show(c, result, controllers, context);
        windows += fmt::format("{}{}", played.empty() ? "\n" : ",\n", link::to_json(c.name, result));
        played.emplace_back(c, std::move(result));
        return true;
    });
    const std::size_t wrong = fill(context.report(), level, played, cases_.size());
    if (!difference.empty()) context.report().headline.push_back(difference);
    if (context.out()) {
        face::write_file(*context.out() / "windows.json", windows + "\n]\n");
        face::write_file(*context.out() / copied_cases, text_);
    }
    if (!difference.empty()) return face::exit_checks_failed;
    if (played.size() < cases_.size()) return face::exit_stopped;
    return wrong == 0 ? face::exit_ok : face::exit_checks_failed;
}

}  // namespace contraflow::lane_replay
