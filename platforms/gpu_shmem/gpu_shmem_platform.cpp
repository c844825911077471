// SPDX-License-Identifier: Apache-2.0
#include "gpu_shmem/gpu_shmem_platform.h"

#include <utility>

#include <fmt/format.h>

#include "gpu_shmem/results/put_report.h"
#include "gpu_shmem/results/scaling_report.h"
#include "gpu_shmem/results/scheme_report.h"
#include "gpu_shmem/runs/mistake_run.h"
#include "text/text_fields.h"

namespace contraflow::gpu_shmem {
namespace {

// A run each, until one fails. The trace has the first one of all: runs begin at the same moment.
template <class Result, class Variant, class Run, class Name>
int run_each(const std::vector<Variant>& variants, std::vector<Result>& runs, face::run_context& context,
             observe::trace*& trace, Run run, Name name) {
    for (const Variant& v : variants) {
        runs.push_back(run(v, std::exchange(trace, nullptr)));
        const Result& r = runs.back();
        if (r.sent_again != 0)
            context.report().headline.push_back(
                fmt::format("{}: {} packets were sent again, {} times because nothing had come for retry_after.",
                            name(v), r.sent_again, r.timeouts));
        const int code = runner::judge(r, name(v), context);
        if (code == face::exit_ok) continue;
        for (const std::string& line : r.waits) context.report().headline.push_back("  " + line);
        return code;
    }
    return face::exit_ok;
}

std::string name_of_puts(const put_variant& v) {
    return fmt::format("{}, {}{}", v.text(), core::to_text(v.size),
                       v.workgroups == 1 ? "" : fmt::format(", {} workgroups", v.workgroups));
}

int run_all_puts(const experiment& e, face::run_context& context, observe::trace*& trace) {
    const auto limits = runner::limits_of(context, e.watchdog, "puts");
    std::vector<put_result> runs;
    const int code = run_each(
        put_variants_of(e), runs, context, trace,
        [&](const put_variant& v, observe::trace* t) { return run_puts(e, v, limits, t); }, name_of_puts);
    fill(context.report(), e, runs);
    if (!runs.empty() && e.kind == experiment_kind::put_latency)
        runner::add_statistics(runs.back(), "last_run", context.report());
    return code;
}

int run_schemes(const experiment& e, face::run_context& context, observe::trace*& trace, bool jacobi) {
    const auto limits = runner::limits_of(context, e.watchdog, "puts");
    std::vector<scheme_result> runs;
    const int code = run_each(
        computing_schemes_of(e), runs, context, trace,
        [&](scheme s, observe::trace* t) {
            return jacobi ? run_jacobi(e, s, limits, t) : run_ping_pong(e, s, limits, t);
        },
        [](scheme s) { return std::string(config::name_of(s)); });
    if (jacobi)
        fill_jacobi(context.report(), e, runs);
    else
        fill_ping_pong(context.report(), e, runs);
    if (!runs.empty()) runner::add_statistics(runs.back(), "last_run", context.report());
    return code;
}

int run_solves(const experiment& e, shmem::triangular_solve::triangle lower, face::run_context& context,
               observe::trace*& trace) {
    // A thread that was stopped may still write to it.
    if (const auto made = std::make_shared<shmem::triangular_solve::triangle>(); lower == nullptr) {
        if (!context.carry_out([of = e.triangular_solve, made] { *made = shmem::triangular_solve::triangle_of(of); }))
            return face::exit_stopped;
        lower = *made;
    }
    const auto limits = runner::limits_of(context, e.watchdog, "puts");
    std::vector<scaled_result> runs;
    const int code = run_each(
        kernel_variants_of(e), runs, context, trace,
        [&](const program_variant& v, observe::trace* t) { return run_triangular_solve(e, v, lower, limits, t); },
        [](const program_variant& v) { return v.text(); });
    fill_triangular_solve(context.report(), e, *lower, runs);
    if (!runs.empty()) runner::add_statistics(runs.back(), "last_run", context.report());
    return code;
}

// A file is read here, so that what is wrong with it is a mistake of the configuration.
void read_matrix(config::loaded<experiment>& loaded, shmem::triangular_solve::triangle& lower,
                 config::diagnostics& diag) {
    workloads::matrix_source& from = loaded.value.triangular_solve.matrix.values;
    const std::string key = "triangular_solve.matrix.file";
    const config::location at = loaded.where(key);
    if (from.kind != workloads::matrix_kind::file) {
        if (!from.file.empty()) diag.error(at, "this file would not be read", "triangular_solve.matrix.kind: file");
        return;
    }
    from.file = text::file_or_beside(at, from.file);
    try {
        lower = shmem::triangular_solve::triangle_of(loaded.value.triangular_solve);
    } catch (const text::input_error& e) {
        diag.error(e.where().file.empty() ? at : e.where(), e.message(), e.allowed());
    } catch (const std::invalid_argument& e) { diag.error(at, e.what()); }
}

// It ends well if the kernel does.
int run_a_mistake(const experiment& e, face::run_context& context, observe::trace* trace) {
    const auto limits = runner::limits_of(context, e.watchdog, "puts");
    const mistake_result r = run_mistake(e, limits, trace);
    face::report_data& report = context.report();
    report.title = fmt::format("a mistake of a kernel: {}", config::name_of(e.mistake));
    report.levels = levels_of();
    const int code = runner::judge(r, std::string(config::name_of(e.mistake)), context);
    report.headline.push_back(
        fmt::format("Bytes of other PEs' heaps that no right put explains: {}.", r.changed_bytes));
    report.results["mistake"] = {
        {"kind", config::name_of(e.mistake)}, {"said", r.said}, {"changed_bytes", r.changed_bytes}};
    return code;
}

}  // namespace

void gpu_shmem_platform::prepare(config::loaded<experiment>& loaded, config::diagnostics& diag) {
    const auto problems = problems_of(loaded.value);
    for (const auto& p : problems) loaded.report(p, diag);
    if (problems.empty() && loaded.value.kind == experiment_kind::triangular_solve) read_matrix(loaded, lower_, diag);
}

int gpu_shmem_platform::run(const config::loaded<experiment>& loaded, face::run_context& context) {
    const experiment& e = loaded.value;
    if (context.waves() != nullptr) throw face::usage_error("gpu_shmem has no signals for --wave; --trace shows puts");
    observe::trace* trace = context.trace();
    switch (e.kind) {
    case experiment_kind::put_latency: return run_all_puts(e, context, trace);
    case experiment_kind::ping_pong: return run_schemes(e, context, trace, false);
    case experiment_kind::jacobi: return run_schemes(e, context, trace, true);
    case experiment_kind::triangular_solve: return run_solves(e, lower_, context, trace);
    case experiment_kind::mistake: return run_a_mistake(e, context, trace);
    case experiment_kind::nodes: break;
    }
    const int code = run_all_puts(e, context, trace);
    return code == face::exit_ok ? run_schemes(e, context, trace, true) : code;
}

}  // namespace contraflow::gpu_shmem
