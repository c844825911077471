// SPDX-License-Identifier: Apache-2.0
#include "workloads/catalogue.h"

#include <algorithm>

namespace contraflow::workloads {

// Each function is in the file of the same name.
workload_entry aes();
workload_entry algebraic_multigrid();
workload_entry all_reduce();
workload_entry atax();
workload_entry bfs();
workload_entry bicg();
workload_entry bitonic_sort();
workload_entry euler();
workload_entry fast_walsh_transform();
workload_entry fft();
workload_entry fir();
workload_entry floyd_warshall();
workload_entry gather_scatter();
workload_entry histogram();
workload_entry im2col();
workload_entry kmeans();
workload_entry many_to_one();
workload_entry matmul();
workload_entry molecular_dynamics();
workload_entry multigrid();
workload_entry n_body();
workload_entry needleman_wunsch();
workload_entry pagerank();
workload_entry pointer_chase();
workload_entry radix_sort();
workload_entry relu();
workload_entry simple_convolution();
workload_entry spmv();
workload_entry sssp();
workload_entry stencil_2d();
workload_entry stencil_3d();
workload_entry survey_propagation();
workload_entry trace();
workload_entry transpose();
workload_entry triad();
workload_entry triangular_solve();

const std::vector<workload_entry>& all() {
    static const std::vector<workload_entry> table{
        aes(),
        algebraic_multigrid(),
        all_reduce(),
        atax(),
        bfs(),
        bicg(),
        bitonic_sort(),
        euler(),
        fast_walsh_transform(),
        fft(),
        fir(),
        floyd_warshall(),
        gather_scatter(),
        histogram(),
        im2col(),
        kmeans(),
        many_to_one(),
        matmul(),
        molecular_dynamics(),
        multigrid(),
        n_body(),
        needleman_wunsch(),
        pagerank(),
        pointer_chase(),
        radix_sort(),
        relu(),
        simple_convolution(),
        spmv(),
        sssp(),
        stencil_2d(),
        stencil_3d(),
        survey_propagation(),
        trace(),
        transpose(),
        triad(),
        triangular_solve(),
    };
    return table;
}

const workload_entry* find(std::string_view name) {
    const auto at = std::find_if(all().begin(), all().end(), [&](const auto& e) { return e.name == name; });
    return at != all().end() ? &*at : nullptr;
}

}  // namespace contraflow::workloads
