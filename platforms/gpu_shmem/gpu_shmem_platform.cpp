// SPDX-License-Identifier: Apache-2.0
#include "gpu_shmem/gpu_shmem_platform.h"

#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/counted.h"
#include "gpu_shmem/results/all_reduce_report.h"
#include "gpu_shmem/results/mistake_report.h"
#include "gpu_shmem/results/put_report.h"
#include "gpu_shmem/results/results_form.h"
#include "gpu_shmem/results/scaling_report.h"
#include "gpu_shmem/results/scheme_report.h"
#include "gpu_shmem/runs/mistake_run.h"
#include "gpu_shmem/start.h"
#include "text/text_fields.h"

namespace contraflow::gpu_shmem {
namespace {

// A machine that is too small for what runs on it is a mistake of the configuration.
template <class Run> auto run_on_enough(const experiment& e, Run run) {
    try {
        return run();
    } catch (const std::exception& error) {
        if (const auto p = capacity_problem(e, error)) throw face::configuration_error(*p);
        throw;
    }
}

// Packets are sent again after a gap in their numbers, or when nothing has come for some time.
std::string sent_again_text(const program_result& r) {
    const std::string waits = r.timeouts == 0
                                  ? "after a gap in their numbers"
                                  : fmt::format("nothing had come for retry_after {}", core::times(r.timeouts));
    return fmt::format("{} sent again; {}", core::counted(r.sent_again, "packet was", "packets were"), waits);
}

std::string_view shown_by(const run_view& view) {
    if (view.waves != nullptr) return view.trace != nullptr ? "Trace and waves show" : "The waves show";
    return view.trace != nullptr ? "The trace shows" : "";
}

// A run each, until one fails. The first one of all is shown: runs begin at the same moment.
template <class Result, class Variant, class Run, class Name>
int run_each(const experiment& e, const std::vector<Variant>& variants, std::vector<Result>& runs,
             face::run_context& context, run_view& view, Run run, Name name) {
    for (const Variant& v : variants) {
        const std::string_view shown = shown_by(view);
        runs.push_back(run_on_enough(e, [&] { return run(v, std::exchange(view, {})); }));
        const Result& r = runs.back();
        if (r.sent_again != 0) context.report().headline.push_back(fmt::format("{}: {}.", name(v), sent_again_text(r)));
        const int code = runner::judge(r, name(v), context);
        if (!shown.empty()) context.report().headline.push_back(fmt::format("{} the first run: {}.", shown, name(v)));
        if (code == face::exit_ok) continue;
        for (const std::string& line : r.waits) context.report().headline.push_back("  " + line);
        std::vector<std::string> left;
        for (std::size_t i = runs.size(); i < variants.size(); ++i) left.push_back(name(variants[i]));
        if (!left.empty())
            context.report().headline.push_back(fmt::format("Not run after that: {}.", fmt::join(left, "; ")));
        return code;
    }
    return face::exit_ok;
}

std::string name_of_puts(const put_variant& v) {
    return fmt::format("{}, {}{}", v.text(), core::to_text(v.size),
                       v.workgroups == 1 ? "" : fmt::format(", {} workgroups", v.workgroups));
}

int run_all_puts(const experiment& e, face::run_context& context, run_view& view) {
    const auto limits = runner::limits_of(context, e.watchdog, "puts");
    std::vector<put_result> runs;
    const int code = run_each(
        e, put_variants_of(e), runs, context, view,
        [&](const put_variant& v, const run_view& seen) { return run_puts(e, v, limits, seen); }, name_of_puts);
    fill(context.report(), e, runs);
    if (!runs.empty() && e.kind == experiment_kind::put_latency)
        runner::add_statistics(runs.back(), "last_run", context.report());
    return code;
}

int run_schemes(const experiment& e, face::run_context& context, run_view& view, bool jacobi) {
    const auto limits = runner::limits_of(context, e.watchdog, "puts");
    std::vector<scheme_result> runs;
    const int code = run_each(
        e, computing_schemes_of(e), runs, context, view,
        [&](scheme s, const run_view& seen) {
            return jacobi ? run_jacobi(e, s, limits, seen) : run_ping_pong(e, s, limits, seen);
        },
        [](scheme s) { return std::string(config::name_of(s)); });
    if (jacobi)
        fill_jacobi(context.report(), e, runs);
    else
        fill_ping_pong(context.report(), e, runs);
    if (!runs.empty()) runner::add_statistics(runs.back(), "last_run", context.report());
    return code;
}

// The runs of a program that puts at any time, on data that they share; null: `make` makes them. None: it was stopped.
template <class Data, class Make> std::optional<Data> made(Data data, face::run_context& context, Make make) {
    if (data != nullptr) return data;
    const auto here = std::make_shared<Data>();  // a thread that was stopped may still write to it
    if (!context.carry_out([here, make] { *here = make(); })) return std::nullopt;
    return *here;
}

// A run each; then `fill` writes the report.
template <class Run, class Fill>
int run_scaled(const experiment& e, const std::vector<program_variant>& variants, face::run_context& context,
               run_view& view, Run run, Fill fill) {
    const auto limits = runner::limits_of(context, e.watchdog, "puts");
    std::vector<scaled_result> runs;
    const int code = run_each(
        e, variants, runs, context, view,
        [&](const program_variant& v, const run_view& seen) { return run(v, limits, seen); },
        [](const program_variant& v) { return v.text(); });
    fill(runs);
    if (!runs.empty()) runner::add_statistics(runs.back(), "last_run", context.report());
    return code;
}

int run_jacobi_on_nodes(const experiment& e, face::run_context& context, run_view& view) {
    return run_scaled(
        e, variants_of(e), context, view,
        [&](const auto& v, const auto& limits, const run_view& seen) { return run_jacobi_on(e, v, limits, seen); },
        [&](const auto& runs) { fill_jacobi_scaling(context.report(), e, runs); });
}

int run_solves(const experiment& e, const shmem::triangular_solve::triangle& read, face::run_context& context,
               run_view& view) {
    const auto lower =
        made(read, context, [of = e.triangular_solve] { return shmem::triangular_solve::triangle_of(of); });
    if (!lower) return face::exit_stopped;
    return run_scaled(
        e, kernel_variants_of(e), context, view,
        [&](const auto& v, const auto& limits, const run_view& seen) {
            return run_triangular_solve(e, v, *lower, limits, seen);
        },
        [&](const auto& runs) { fill_triangular_solve(context.report(), e, **lower, runs); });
}

int run_searches(const experiment& e, const shmem::bfs::shared_graph& read, face::run_context& context,
                 run_view& view) {
    const auto graph = made(read, context, [of = e.bfs] { return shmem::bfs::graph_of(of); });
    if (!graph) return face::exit_stopped;
    return run_scaled(
        e, kernel_variants_of(e), context, view,
        [&](const auto& v, const auto& limits, const run_view& seen) { return run_bfs(e, v, *graph, limits, seen); },
        [&](const auto& runs) { fill_bfs(context.report(), e, **graph, runs); });
}

int run_all_reduces(const experiment& e, face::run_context& context, run_view& view) {
    const auto limits = runner::limits_of(context, e.watchdog, "puts");
    std::vector<all_reduce_result> runs;
    const int code = run_each(
        e, all_reduce_variants_of(e), runs, context, view,
        [&](const all_reduce_variant& v, const run_view& seen) { return run_all_reduce(e, v, limits, seen); },
        [](const all_reduce_variant& v) { return v.text(); });
    fill_all_reduce(context.report(), e, runs);
    if (!runs.empty()) runner::add_statistics(runs.back(), "last_run", context.report());
    return code;
}

// A file is read here, so that what is wrong with it is a mistake of the configuration. `source`: its key.
template <class Source, class Make>
auto read_file(config::loaded<experiment>& loaded, Source& from, bool is_read, const std::string& source,
               config::diagnostics& diag, Make make) -> decltype(make()) {
    const std::string key = source + ".file";
    const config::location at = loaded.where(key);
    if (!is_read) {
        if (!from.file.empty()) diag.error(at, key + ": this file would not be read", source + ".kind: file");
        return nullptr;
    }
    if (from.file.empty()) {
        diag.error(loaded.where(source + ".kind"), key + ": no file is named",
                   "a text file that can be read is needed");
        return nullptr;
    }
    from.file = text::file_beside(at, from.file);
    try {
        return make();
    } catch (const text::input_error& e) { text::report(e, at, diag); } catch (const std::invalid_argument& e) {
        diag.error(at, fmt::format("{}: {}", key, e.what()));
    }
    return nullptr;
}

// It ends well if the kernel does.
int run_a_mistake(const experiment& e, face::run_context& context, const run_view& view) {
    const auto limits = runner::limits_of(context, e.watchdog, "puts");
    const mistake_result r = run_on_enough(e, [&] { return run_mistake(e, limits, view); });
    const int code = runner::judge(r, std::string(config::name_of(e.mistake)), context);
    fill_mistake(context.report(), e, r);
    return code;
}

}  // namespace

void gpu_shmem_platform::prepare(config::loaded<experiment>& loaded, config::diagnostics& diag) {
    const auto problems = problems_of(loaded.value);
    for (const auto& p : problems) loaded.report(p, diag);
    if (!problems.empty()) return;
    experiment& e = loaded.value;
    workloads::matrix_source& matrix = e.triangular_solve.matrix.values;
    if (e.kind == experiment_kind::triangular_solve)
        lower_ = read_file(loaded, matrix, matrix.kind == workloads::matrix_kind::file, "triangular_solve.matrix", diag,
                           [&] { return shmem::triangular_solve::triangle_of(e.triangular_solve); });
    if (e.kind == experiment_kind::bfs)
        graph_ = read_file(loaded, e.bfs.graph, e.bfs.graph.kind == workloads::graph_kind::file, "bfs.graph", diag,
                           [&] { return shmem::bfs::graph_of(e.bfs); });
}

nlohmann::ordered_json gpu_shmem_platform::results_form(const config::loaded<experiment>& loaded) const {
    return gpu_shmem::results_form(loaded.value);
}

int gpu_shmem_platform::run(const config::loaded<experiment>& loaded, face::run_context& context) {
    const experiment& e = loaded.value;
    run_view view{context.trace(), context.waves()};
    switch (e.kind) {
    case experiment_kind::put_latency: return run_all_puts(e, context, view);
    case experiment_kind::ping_pong: return run_schemes(e, context, view, false);
    case experiment_kind::jacobi:
        return e.on_nodes.empty() ? run_schemes(e, context, view, true) : run_jacobi_on_nodes(e, context, view);
    case experiment_kind::triangular_solve: return run_solves(e, lower_, context, view);
    case experiment_kind::all_reduce: return run_all_reduces(e, context, view);
    case experiment_kind::bfs: return run_searches(e, graph_, context, view);
    case experiment_kind::mistake: return run_a_mistake(e, context, view);
    case experiment_kind::nodes: break;
    }
    const int code = run_all_puts(e, context, view);
    return code == face::exit_ok ? run_schemes(e, context, view, true) : code;
}

int start(int argc, char** argv) {
    gpu_shmem_platform platform;
    return face::main(argc, argv, platform);
}

}  // namespace contraflow::gpu_shmem
