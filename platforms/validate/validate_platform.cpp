// SPDX-License-Identifier: Apache-2.0
#include "validate/validate_platform.h"

#include <algorithm>

#include <CLI/App.hpp>
#include <fmt/format.h>

#include "face/run/run_directory.h"
#include "validate/table/outcome.h"

namespace contraflow::validate {
namespace {

// "18 rows: 14 reproduced, 4 report only"
std::string count_text(const std::vector<outcome>& outcomes) {
    std::string text = fmt::format("{} row{}", outcomes.size(), outcomes.size() == 1 ? "" : "s");
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
    app.add_option("ID", named_, "rows to measure, such as P6 or P6a; all that are quick if none is named")
        ->check(is_id, "")
        ->type_name("");
    app.add_flag("--all", all_, "also the rows that take over 30 s");
    app.add_flag("--strict", strict_, "exit status 1 if a row is not reproduced");
    app.add_option("--doc", page_, "write the whole table as a Markdown page")->option_text("FILE");
}

void validate_platform::prepare(config::loaded<selection>& wanted, config::diagnostics& diag) {
    std::vector<std::string> unknown;
    choose({named_, false}, table_, unknown);
    if (!unknown.empty()) throw face::usage_error(unknown_text(unknown.front(), table_));
    if (!named_.empty()) {
        wanted.value.rows = named_;
        wanted.mark_computed("rows");
    }
    if (all_) {
        wanted.value.all = true;
        wanted.mark_computed("all");
    }
    for (std::size_t i = 0; i < wanted.value.rows.size(); ++i) {
        choose({{wanted.value.rows[i]}, false}, table_, unknown);
        if (!unknown.empty())
            diag.error(wanted.where(fmt::format("rows[{}]", i)), unknown_text(unknown.front(), table_));
        unknown.clear();
    }
    if (page_ && !wanted.value.rows.empty())
        throw face::usage_error("--doc writes the whole table; name no rows with it");
}

int validate_platform::run(const config::loaded<selection>& wanted, face::run_context& context) {
    std::vector<std::string> unknown;
    const auto chosen = choose(wanted.value, table_, unknown);
    run_environment environment;
    environment.jobs = context.jobs();
    environment.keep_going = [&context] { return context.keep_going(); };
    std::vector<outcome> outcomes;
    for (const row* r : chosen) {
        context.progress({}, outcomes.size(), chosen.size(), "rows");
        try {
            outcomes.push_back(measure(*r, environment));
        } catch (const stopped&) { break; }
    }
    fill(context.report(), outcomes);
    if (const auto out = context.out()) {
        face::write_file(*out / "validation.json", face::to_text(as_json(outcomes)));
        face::write_file(*out / "validation.md", as_page(outcomes));
    }
    if (outcomes.size() < chosen.size()) return face::exit_stopped;
    if (page_) face::write_file(*page_, as_page(outcomes));
    if (any(outcomes, verdict::failed)) return face::exit_checks_failed;
    return strict_ && any(outcomes, verdict::not_reproduced) ? face::exit_checks_failed : face::exit_ok;
}

}  // namespace contraflow::validate
