// SPDX-License-Identifier: Apache-2.0
#include "gpu_shmem/results/results_form.h"

#include <vector>

#include "face/results/report_data.h"
#include "gpu_shmem/results/all_reduce_report.h"
#include "gpu_shmem/results/mistake_report.h"
#include "gpu_shmem/results/put_report.h"
#include "gpu_shmem/results/scaling_report.h"
#include "gpu_shmem/results/scheme_report.h"

namespace contraflow::gpu_shmem {
namespace {

constexpr core::sim_time some_time = core::sim_time::from_us(1);

// A run that has ended well, whatever it measured.
template <class Result> Result ended() {
    Result r;
    r.verdict = observe::watchdog::verdict::finished;
    r.time = r.step = some_time;
    return r;
}

std::vector<put_result> ended_puts(const experiment& e) {
    std::vector<put_result> runs;
    for (const put_variant& v : put_variants_of(e)) {
        runs.push_back(ended<put_result>());
        runs.back().variant = v;
        if (v.workgroups == 1 && e.puts.awaited) runs.back().life.emplace();
    }
    return runs;
}

std::vector<scheme_result> ended_schemes(const experiment& e) {
    std::vector<scheme_result> runs;
    for (const scheme how : computing_schemes_of(e)) {
        runs.push_back(ended<scheme_result>());
        runs.back().how = how;
    }
    return runs;
}

std::vector<scaled_result> ended_variants(const std::vector<program_variant>& variants) {
    std::vector<scaled_result> runs;
    for (const program_variant& v : variants) {
        runs.push_back(ended<scaled_result>());
        runs.back().variant = v;
        runs.back().measured = some_time;
    }
    return runs;
}

std::vector<all_reduce_result> ended_all_reduces(const experiment& e) {
    std::vector<all_reduce_result> runs;
    for (const all_reduce_variant& v : all_reduce_variants_of(e)) {
        runs.push_back(ended<all_reduce_result>());
        runs.back().variant = v;
    }
    return runs;
}

}  // namespace

nlohmann::ordered_json results_form(const experiment& e) {
    face::report_data report;
    switch (e.kind) {
    case experiment_kind::put_latency: fill(report, e, ended_puts(e)); break;
    case experiment_kind::ping_pong: fill_ping_pong(report, e, ended_schemes(e)); break;
    case experiment_kind::jacobi:
        if (e.on_nodes.empty())
            fill_jacobi(report, e, ended_schemes(e));
        else
            fill_jacobi_scaling(report, e, ended_variants(variants_of(e)));
        break;
    case experiment_kind::triangular_solve:
        fill_triangular_solve(report, e, {1, 1, {0, 1}, {0}, {1}}, ended_variants(kernel_variants_of(e)));
        break;
    case experiment_kind::all_reduce: fill_all_reduce(report, e, ended_all_reduces(e)); break;
    case experiment_kind::bfs: fill_bfs(report, e, {1, {0, 0}, {}, {}}, ended_variants(kernel_variants_of(e))); break;
    case experiment_kind::mistake: fill_mistake(report, e, {}); break;
    case experiment_kind::nodes:
        fill(report, e, ended_puts(e));
        fill_jacobi(report, e, ended_schemes(e));
        break;
    }
    return report.results;
}

}  // namespace contraflow::gpu_shmem
