// SPDX-License-Identifier: Apache-2.0
#include "sweep/sweep_platform.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <system_error>
#include <thread>
#include <utility>

#include <CLI/App.hpp>
#include <fmt/format.h>

#include "core/counted.h"
#include "face/command_line/command_line.h"
#include "face/run/run_directory.h"
#include "sweep/figures.h"
#include "sweep/results_form.h"
#include "sweep/start.h"

namespace contraflow::sweep {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_on_terminal = 40;  // rows of the table of points

// The folder of the sweep's file, or the current folder without a file.
std::string own_folder(const config::loaded<sweep_spec>& spec) {
    const auto& file = spec.origins.file();
    const fs::path folder = file ? fs::absolute(file->where(file->root()).file).parent_path() : fs::current_path();
    return folder.lexically_normal().string();
}

void complain(const std::vector<missing_value>& missing, const config::loaded<sweep_spec>& spec,
              config::diagnostics& diag) {
    for (const missing_value& m : missing) diag.error(spec.where(m.field), m.message, m.hint);
}

// Errors that only the results show.
[[noreturn]] void refuse(const missing_value& m, const config::loaded<sweep_spec>& spec) {
    throw face::usage_error(fmt::format("{}: {}{}; correct it and start again: nothing is run twice",
                                        config::to_text(spec.where(m.field)), m.message,
                                        m.hint.empty() ? "" : fmt::format(" ({})", m.hint)));
}

nlohmann::ordered_json read_report(const fs::path& directory) {
    std::ifstream in(directory / "report.json");
    auto report = nlohmann::ordered_json::parse(in, nullptr, false);
    return report.is_object() ? std::move(report) : nlohmann::ordered_json::object();
}

std::vector<point_result> read_results(const plan& of, const point_store& store) {
    std::vector<point_result> out;
    for (const point& p : of.points) {
        point_result r{&p, store.judge(of, p), {}, name_of(of, p)};
        if (r.how.end == ending::finished) r.report = read_report(store.run_directory(p));
        out.push_back(std::move(r));
    }
    return out;
}

std::size_t count(const std::vector<point_result>& results, ending end) {
    return static_cast<std::size_t>(
        std::count_if(results.begin(), results.end(), [end](const point_result& r) { return r.how.end == end; }));
}

std::string count_text(const std::vector<point_result>& results, const std::string& platform) {
    std::string text = fmt::format("{} of {}: {} finished", core::counted(results.size(), "point"), platform,
                                   count(results, ending::finished));
    if (const auto n = count(results, ending::failed); n > 0) text += fmt::format(", {} failed", n);
    if (const auto n = count(results, ending::not_run); n > 0) text += fmt::format(", {} not run", n);
    return text + ".";
}

// The models with which the points ran.
std::vector<std::pair<std::string, std::string>> levels_of(const std::vector<point_result>& results) {
    std::vector<std::pair<std::string, std::string>> out;
    for (const point_result& r : results) {
        if (!r.report.contains("levels")) continue;
        for (const auto& level : r.report["levels"].items()) {
            const std::string text =
                level.value().is_string() ? level.value().get<std::string>() : level.value().dump();
            auto known = std::find_if(out.begin(), out.end(), [&](const auto& l) { return l.first == level.key(); });
            if (known == out.end())
                out.emplace_back(level.key(), text);
            else if ((", " + known->second + ",").find(", " + text + ",") == std::string::npos)
                known->second += ", " + text;
        }
    }
    return out;
}

nlohmann::ordered_json as_json(const result_frame& frame) {
    auto out = nlohmann::ordered_json::array();
    for (const auto& row : frame.rows) {
        auto& object = out.emplace_back(nlohmann::ordered_json::object());
        for (std::size_t i = 0; i < row.size(); ++i) object[frame.columns[i].name] = row[i];
    }
    return out;
}

// `which`: "given" by the sweep's file, or "common" as well, by the platform's configuration and defaults.
face::table settings_table(const plan& of, const std::string& which) {
    const bool given = which == "given";
    face::table t;
    t.id = which + "-settings";
    t.title = given ? "Given by the sweep" : "All others that are the same in all points";
    t.columns = {{"key", ""}, {"value", ""}};
    for (const auto& setting : given ? of.given : of.common)
        if (given ||
            std::none_of(of.given.begin(), of.given.end(), [&](const auto& g) { return g.first == setting.first; }))
            t.rows.push_back({setting.first, setting.second});
    t.on_terminal = given;
    return t;
}

std::vector<face::item> settings_of(const plan& of) {
    std::vector<face::item> out;
    for (const char* which : {"given", "common"})
        if (face::table t = settings_table(of, which); !t.rows.empty()) out.emplace_back(std::move(t));
    return out;
}

}  // namespace

void sweep_platform::options(CLI::App& app) {
    app_ = &app;
    app.add_option("--engine", engine_, "'local': the cores of this machine, --jobs of them; 'slurm': arrays of jobs")
        ->option_text("local|slurm")
        ->group(face::execution_group);
}

fs::path sweep_platform::result_directory() const {
    std::error_code error;
    const fs::path wanted = app_->get_option("--out")->as<std::string>();
    fs::path out = fs::weakly_canonical(fs::absolute(wanted), error);
    return out.has_filename() ? out : out.parent_path();
}

void sweep_platform::prepare(config::loaded<sweep_spec>& spec, config::diagnostics& diag) {
    if (engine_ != "local" && engine_ != "slurm") {
        throw face::usage_error(fmt::format("--engine {}: there are 'local' and 'slurm'", config::quoted(engine_)));
    }
    on_ = engine_ == "slurm" ? engine::slurm : engine::local;
    std::error_code error;
    if (!spec.value.folder.empty() && !fs::is_directory(spec.value.folder, error))
        diag.error(spec.where("folder"), fmt::format("there is no folder {}", config::quoted(spec.value.folder)));
    for (std::size_t f = 0; f < spec.value.figures.size(); ++f) {
        if (spec.value.figures[f].y.empty())
            diag.error(spec.where(fmt::format("figures[{}].y", f)), "the list is empty: there is nothing to draw");
    }
    if (spec.value.folder.empty()) {
        spec.value.folder = own_folder(spec);
        spec.mark_computed("folder");
    }
    planning how{spec.where("platform"), spec.where("configuration"), spec.value.folder, 1};
    how.jobs = std::max(1U, std::thread::hardware_concurrency());
    plan_ = make_plan(spec.value, how, diag);
    if (!plan_) return;
    complain(missing_columns(spec.value, plan_->keys), spec, diag);
    if (!diag.failed()) {
        const auto unknown = unknown_values(spec.value, *plan_);
        names_are_known_ = unknown.has_value();
        if (unknown) complain(*unknown, spec, diag);
    }
    if (is_given("--print-config") || diag.failed()) return;
    if (!is_given("--out")) throw face::usage_error("a sweep keeps what it has run: give it a place with --out DIR");
    check_engine(on_);
}

int sweep_platform::run(const config::loaded<sweep_spec>& spec, face::run_context& context) {
    point_store store(result_directory());
    std::string left_out;
    if (!store.unfinished(*plan_).empty()) {
        const execution_request how{on_, context.jobs(), is_given("--jobs"), spec.value.slurm.options};
        left_out = execute(*plan_, store, how, context);
    }
    store.link_newest(*plan_);
    const std::vector<point_result> results = read_results(*plan_, store);
    fill(spec, results, context);
    if (context.stopped() != face::stop_reason::none) return face::exit_stopped;
    if (!left_out.empty()) context.report().warnings.push_back(left_out + ".");
    return count(results, ending::finished) == results.size() ? face::exit_ok : face::exit_checks_failed;
}

void sweep_platform::fill(const config::loaded<sweep_spec>& spec, const std::vector<point_result>& results,
                          face::run_context& context) {
    face::report_data& report = context.report();
    report.title = spec.value.title.empty() ? fmt::format("sweep of {}", plan_->platform.name) : spec.value.title;
    report.levels = levels_of(results);
    report.headline.push_back(count_text(results, plan_->platform.name));
    for (const point_result& r : results) {
        if (r.how.end != ending::failed) continue;
        report.warnings.push_back(fmt::format("{} failed with exit status {}{}{}", name_of(*plan_, *r.of),
                                              r.how.exit_code, r.how.message.empty() ? "" : ": ", r.how.message));
    }

    std::vector<missing_value> missing;
    const result_frame frame = make_frame(spec.value, plan_->keys, results, missing);
    if (count(results, ending::finished) > 0) {
        // Some values are left by some runs only.
        for (const missing_value& m : names_are_known_ ? std::exchange(missing, {}) : std::vector<missing_value>{})
            report.warnings.push_back(fmt::format("{}: {} may leave it, and none of these runs did{}", m.message,
                                                  plan_->platform.name,
                                                  m.hint.empty() ? "" : fmt::format(" ({})", m.hint)));
        for (missing_value& m : missing_columns(spec.value, frame)) missing.push_back(std::move(m));
        if (!missing.empty()) refuse(missing.front(), spec);
    }

    face::section figures{"figures", "Figures", {}};
    auto& crossovers = report.results["crossovers"] = nlohmann::ordered_json::array();
    for (std::size_t f = 0; f < spec.value.figures.size(); ++f) {
        if (!missing.empty() || !missing_columns(spec.value, frame).empty()) continue;
        drawing drawn = draw(spec.value.figures[f], fmt::format("figure-{}", f + 1), frame, spec.value.figures);
        if (drawn.chart.series.empty() && count(results, ending::finished) > 0)
            report.warnings.push_back(
                fmt::format("nothing is drawn in {}: {}", config::quoted(drawn.chart.title), drawn.chart.note));
        for (const crossover& c : drawn.crossovers) {
            report.headline.push_back(to_text(c, drawn.chart) + ".");
            crossovers.push_back({{"figure", drawn.chart.title},
                                  {"curves", c.curves},
                                  {"x", c.x},
                                  {"y", c.y},
                                  {"from", c.from},
                                  {"to", c.to},
                                  {"interpolated", !c.is_point}});
        }
        figures.items.emplace_back(std::move(drawn.chart));
    }
    if (!figures.items.empty()) report.sections.push_back(std::move(figures));
    face::table table = to_table(frame);
    table.on_terminal = table.rows.size() <= longest_on_terminal;
    report.sections.push_back({"points", "Points", {std::move(table)}});
    if (auto settings = settings_of(*plan_); !settings.empty())
        report.sections.push_back({"settings", "Settings of all points", std::move(settings)});
    report.results["platform"] = plan_->platform.name;
    report.results["keys"] = plan_->keys;
    report.results["rows"] = as_json(frame);
    if (const auto out = context.out()) face::write_file(*out / "sweep.csv", to_csv(frame));
}

int start(int argc, char** argv) {
    sweep_platform platform;
    return face::main(argc, argv, platform);
}

}  // namespace contraflow::sweep
