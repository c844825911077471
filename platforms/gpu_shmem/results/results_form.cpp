// SPDX-License-Identifier: Apache-2.0
#include "gpu_shmem/results/results_form.h"

#include <vector>

#include "face/results/report_data.h"
#include "gpu_shmem/results/all_reduce_report.h"
#include "gpu_shmem/results/mistake_report.h"
#include "gpu_shmem/results/put_report.h"
#include "gpu_shmem/results/scaling_report.h"
#include "gpu_shmem/results/scheme_report.h"
#include "runner/ended_runs.h"

namespace contraflow::gpu_shmem {
namespace {

constexpr core::sim_time some_time = core::sim_time::from_us(1);

void take_some_time(program_result& r) { r.time = r.step = some_time; }

std::vector<put_result> ended_puts(const experiment& e) {
    return runner::ended_runs<put_result>(put_variants_of(e), [&](put_result& r, const put_variant& v) {
        take_some_time(r);
        r.variant = v;
        if (v.workgroups == 1 && e.puts.awaited) r.life.emplace();
    });
}

std::vector<scheme_result> ended_schemes(const experiment& e) {
    return runner::ended_runs<scheme_result>(computing_schemes_of(e), [](scheme_result& r, scheme how) {
        take_some_time(r);
        r.how = how;
    });
}

std::vector<scaled_result> ended_variants(const std::vector<program_variant>& variants) {
    return runner::ended_runs<scaled_result>(variants, [](scaled_result& r, const program_variant& v) {
        take_some_time(r);
        r.variant = v;
        r.measured = some_time;
    });
}

std::vector<all_reduce_result> ended_all_reduces(const experiment& e) {
    return runner::ended_runs<all_reduce_result>(all_reduce_variants_of(e),
                                                 [](all_reduce_result& r, const all_reduce_variant& v) {
                                                     take_some_time(r);
                                                     r.variant = v;
                                                 });
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
