// SPDX-License-Identifier: Apache-2.0
#include "pcie_study/case_run.h"

#include <algorithm>
#include <cerrno>
#include <fstream>

#include <fmt/format.h>

#include "config/text/file_form.h"
#include "core/counted.h"
#include "face/command_line/errors.h"
#include "face/run/write_failure.h"
#include "pcie/model/case_file.h"
#include "pcie_study/tlm_run.h"

namespace contraflow::pcie_study {
namespace {

using pcie::model::case_input;
using pcie::model::case_result;

// The factor in TLM: the mean rate over the first step, relative to the reference. For a communication that arrives in
// one packet, or together with the end of another: its mean rate.
double first_factor(const pcie::stream& s, core::bandwidth reference) {
    const bool step = s.first_step_end > s.first_arrival && s.first_step_bytes != 0;
    const double bytes = static_cast<double>(step ? s.first_step_bytes : s.size.count);
    const core::sim_time length = step ? s.first_step_end - s.first_arrival : s.finished - s.begun;
    return bytes / length.seconds() / reference.bytes_per_s;
}

struct judged {
    case_result result;
    int code = face::exit_ok;
};

judged evaluate_tlm(const case_input& input, const tlm_spec& spec, face::run_context& context) {
    tlm_options options;
    options.limits = runner::limits_of(context, spec.watchdog, "B");
    options.limits.progress = {};  // the progress line counts cases
    const auto r = run_tlm(input.tree, spec, input.communications, options);
    context.count_callbacks(r.callbacks);
    case_result result{input.name, {}, {}};
    const int code = runner::exit_code_of(r);
    if (code != face::exit_ok) {
        result.error = !r.fault.empty()             ? r.fault
                       : code == face::exit_stopped ? fmt::format("stopped at {}", rounded_text(r.end))
                       : !r.hung()                  ? r.wrong
                       : r.wait_chain.empty()       ? "no progress"
                                                    : fmt::format("no progress: {}", r.wait_chain.front());
        return {std::move(result), code};
    }
    for (const auto& c : r.conservation)
        context.report().conservation.push_back({fmt::format("{}: {}", input.name, c.name), c.unit, c.in, c.out});
    for (const auto& s : r.streams)
        result.communications.push_back(
            {s.name, first_factor(s, input.options.reference), (s.finished - s.start).seconds() * 1e3});
    return {std::move(result), face::exit_ok};
}

judged evaluate_closed(const case_input& input) {
    auto result = pcie::model::evaluate(input);
    const int code = result.error.empty() ? face::exit_ok : face::exit_no_progress;
    return {std::move(result), code};
}

void write_results(const std::vector<case_result>& results, face::run_context& context, const std::string& name) {
    if (!context.out()) return;
    std::ofstream out(*context.out() / name);
    out << face::to_text(pcie::model::to_json(results)) << '\n';
    if (!out.flush())
        throw face::output_error(
            fmt::format("cannot write {}: {}", name, face::why_not_written(*context.out() / name, errno)));
}

void add_table(const std::vector<case_result>& results, const std::string& level, face::run_context& context) {
    face::table t;
    t.id = "cases";
    t.title = fmt::format("Cases, {}", level);
    t.columns = {{"case", ""}, {"communication", ""}, {"factor", ""}, {"time", "ms"}};
    for (const auto& r : results) {
        if (!r.error.empty())
            t.rows.push_back({r.name, fmt::format("error: {}", r.error), std::string("-"), std::string("-")});
        for (const auto& row : r.communications) t.rows.push_back({r.name, row.name, row.factor, row.time_ms});
    }
    context.report().sections.push_back({"cases", "Cases", {t}});
}

}  // namespace

std::optional<std::vector<case_input>> read_cases(const std::string& file, config::diagnostics& diagnostics) {
    const auto source = config::read_source(file, diagnostics, config::json_cases);
    if (!source) return std::nullopt;
    auto parsed = pcie::model::parse_cases(source->text);
    diagnostics.add_source(file, source->text);
    for (const auto& p : parsed.problems)
        diagnostics.error({file, p.line, p.column},
                          p.path.empty() ? p.message : fmt::format("{}: {}", p.path, p.message), p.hint);
    if (parsed.problems.empty() && parsed.cases.empty()) diagnostics.error({file, 0, 0}, "holds no case");
    if (diagnostics.failed()) return std::nullopt;
    return std::move(parsed.cases);
}

int run_cases(const std::vector<case_input>& cases, const study_spec& settings, face::run_context& context) {
    if (settings.level == evaluation_level::both)
        throw face::usage_error("cases are evaluated at one level: --set level=model, or level=tlm");
    const bool tlm = settings.level == evaluation_level::tlm;
    std::vector<case_result> results;
    int code = face::exit_ok;
    runner::one_by_one(context, cases.size(), "cases", [&](std::size_t i) {
        auto one = tlm ? evaluate_tlm(cases[i], settings.tlm, context) : evaluate_closed(cases[i]);
        code = std::max(code, one.code);
        results.push_back(std::move(one.result));
        return true;
    });
    auto& report = context.report();
    report.title = core::counted(results.size(), "case");
    report.levels = {{"pcie", tlm ? "TLM" : "closed form"}};
    report.headline.push_back(fmt::format("pcie_tree: {} of {} cases evaluated, {}", results.size(), cases.size(),
                                          tlm ? "TLM" : "closed form"));
    report.results["cases"] = pcie::model::to_json(results);
    add_table(results, tlm ? "TLM" : "closed form", context);
    write_results(results, context, "cases.json");
    return results.size() < cases.size() ? std::max<int>(code, face::exit_stopped) : code;
}

}  // namespace contraflow::pcie_study
