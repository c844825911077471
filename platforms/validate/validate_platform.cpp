// SPDX-License-Identifier: Apache-2.0
#include "validate/validate_platform.h"

#include <algorithm>

#include <CLI/App.hpp>
#include <fmt/format.h>

#include "core/counted.h"
#include "face/run/run_directory.h"
#include "validate/start.h"
#include "validate/table/experiments.h"
#include "validate/table/outcome.h"
#include "validate/table/rows.h"
#include "validate/table/tried.h"

namespace contraflow::validate {
namespace {

// "18 rows: 14 reproduced, 4 report only"
std::string count_text(const std::vector<outcome>& outcomes) {
    std::string text = core::counted(outcomes.size(), "row");
    const char* before = ": ";
    for (const verdict v : {verdict::reproduced, verdict::fitted, verdict::input, verdict::as_derived, verdict::holds,
                            verdict::not_reproduced, verdict::report_only, verdict::failed}) {
        const auto n = std::count_if(outcomes.begin(), outcomes.end(), [v](const outcome& o) { return o.said == v; });
        if (n == 0) continue;
        text += fmt::format("{}{} {}", before, n, to_text(v));
        before = ", ";
    }
    return text + ".";
}

void fill(face::report_data& report, const std::vector<outcome>& outcomes) {
    report.title = "the published numbers and ours";
    report.levels = {{"pcie", "closed form and TLM, as each row says"},
                     {"dram", "TLM"},
                     {"numa_gpu", "TLM"},
                     {"unified_gpu", "TLM"},
                     {"torus_nic", "TLM, its core by firmware"},
                     {"gpu_shmem", "TLM"}};
    report.headline.push_back(count_text(outcomes));
    report.sections.push_back({"table", "Validation table", {as_table(outcomes), notes_table(outcomes)}});
    for (const outcome& o : outcomes)
        report.sections.insert(report.sections.end(), o.measured.details.begin(), o.measured.details.end());
    report.results["rows"] = as_json(outcomes);
}

run_environment environment_of(face::run_context& context) {
    run_environment environment;
    environment.jobs = context.jobs();
    environment.keep_going = [&context] { return context.keep_going(); };
    return environment;
}

bool any(const std::vector<outcome>& outcomes, verdict v) {
    return std::any_of(outcomes.begin(), outcomes.end(), [v](const outcome& o) { return o.said == v; });
}

}  // namespace

void validate_platform::options(CLI::App& app) {
    // The face reads a name that ends in .yaml: the configuration of an earlier run.
    const auto is_id = [](const std::string& word) {
        return std::string(word.ends_with(".yaml") || word.ends_with(".yml") ? "a configuration" : "");
    };
    app.validate_positionals();
    app.add_option("ID", named_,
                   "rows to measure, such as P6, P6a or (with --physics) dram; all that are quick if none is named")
        ->check(is_id, "")
        ->type_name("");
    app.add_flag("--all", all_, "also the rows that take long");
    app.add_flag("--physics", asked_physics_, "experiments whose answer follows from the configuration by arithmetic");
    app.add_flag("--strict", strict_, "exit status 1 if a row is not reproduced");
    app.add_option("--doc", page_, "write the whole table as a Markdown page")->option_text("FILE");
}

template <class Row>
void validate_platform::check_names(config::loaded<selection>& wanted, const std::vector<Row>& table,
                                    config::diagnostics& diag) {
    std::vector<std::string> unknown;
    choose({named_}, table, unknown);
    if (!unknown.empty()) throw face::usage_error(unknown_text(unknown.front(), table));
    if (!named_.empty()) {
        wanted.value.rows = named_;
        wanted.mark_computed("rows");
    }
    for (std::size_t i = 0; i < wanted.value.rows.size(); ++i) {
        choose({{wanted.value.rows[i]}}, table, unknown);
        if (!unknown.empty())
            diag.error(wanted.where(fmt::format("rows[{}]", i)), unknown_text(unknown.front(), table));
        unknown.clear();
    }
}

void validate_platform::prepare(config::loaded<selection>& wanted, config::diagnostics& diag) {
    if (all_) {
        wanted.value.all = true;
        wanted.mark_computed("all");
    }
    if (asked_physics_) {
        wanted.value.physics = true;
        wanted.mark_computed("physics");
    }
    if (wanted.value.physics)
        check_names(wanted, physics_, diag);
    else
        check_names(wanted, table_, diag);
    if (strict_ && wanted.value.physics)
        throw face::usage_error(
            "--strict is for published numbers; an experiment that does not hold always ends with 1");
    if (page_ && !wanted.value.rows.empty())
        throw face::usage_error("--doc writes the whole table; name no rows with it");
}

template <class Row, class Measure>
bool validate_platform::one_by_one(const std::vector<const Row*>& chosen, face::run_context& context,
                                   const Measure& measure) {
    std::size_t done = 0;
    for (const Row* r : chosen) {
        context.progress({}, done++, chosen.size(), "rows");
        try {
            measure(*r);
        } catch (const stopped&) { return false; }
    }
    return true;
}

int validate_platform::run(const config::loaded<selection>& wanted, face::run_context& context) {
    return wanted.value.physics ? try_physics(wanted.value, context) : compare_published(wanted.value, context);
}

int validate_platform::compare_published(const selection& wanted, face::run_context& context) {
    std::vector<std::string> unknown;
    const auto environment = environment_of(context);
    std::vector<outcome> outcomes;
    const bool complete = one_by_one(choose(wanted, table_, unknown), context,
                                     [&](const row& r) { outcomes.push_back(measure(r, environment)); });
    fill(context.report(), outcomes);
    if (const auto out = context.out()) {
        face::write_file(*out / "validation.json", face::to_text(as_json(outcomes)));
        face::write_file(*out / "validation.md", as_page(outcomes));
    }
    if (!complete) return face::exit_stopped;
    if (page_) face::write_file(*page_, as_page(outcomes));
    if (any(outcomes, verdict::failed)) return face::exit_checks_failed;
    return strict_ && any(outcomes, verdict::not_reproduced) ? face::exit_checks_failed : face::exit_ok;
}

int validate_platform::try_physics(const selection& wanted, face::run_context& context) {
    std::vector<std::string> unknown;
    const auto environment = environment_of(context);
    std::vector<tried> all;
    const bool complete = one_by_one(choose(wanted, physics_, unknown), context,
                                     [&](const experiment& e) { all.push_back(try_out(e, environment)); });
    face::report_data& report = context.report();
    report.title = "experiments with a known answer";
    report.levels = {{"all", "TLM"}};
    report.headline.push_back(count_text(all));
    report.sections.push_back({"table", "Expected and measured", {as_table(all)}});
    report.sections.push_back(as_charts(all));
    report.results["experiments"] = as_json(all);
    if (const auto out = context.out()) {
        face::write_file(*out / "physics.json", face::to_text(as_json(all)));
        face::write_file(*out / "physics.md", as_page(all));
    }
    if (!complete) return face::exit_stopped;
    if (page_) face::write_file(*page_, as_page(all));
    return std::all_of(all.begin(), all.end(), [](const tried& t) { return t.held; }) ? face::exit_ok
                                                                                      : face::exit_checks_failed;
}

int start(int argc, char** argv) {
    validate_platform platform(rows(), experiments());
    return face::main(argc, argv, platform);
}

}  // namespace contraflow::validate
