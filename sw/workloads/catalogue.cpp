// SPDX-License-Identifier: Apache-2.0
#include "workloads/catalogue.h"

#include <algorithm>

namespace contraflow::workloads {

// Each is in the file of its name.
workload_entry algebraic_multigrid();
workload_entry bfs();
workload_entry euler();
workload_entry fft();
workload_entry gather_scatter();
workload_entry histogram();
workload_entry many_to_one();
workload_entry matmul();
workload_entry molecular_dynamics();
workload_entry multigrid();
workload_entry pagerank();
workload_entry pointer_chase();
workload_entry radix_sort();
workload_entry spmv();
workload_entry sssp();
workload_entry stencil_2d();
workload_entry stencil_3d();
workload_entry survey_propagation();
workload_entry transpose();
workload_entry triad();

const std::vector<workload_entry>& all() {
    static const std::vector<workload_entry> table{
        algebraic_multigrid(),
        bfs(),
        euler(),
        fft(),
        gather_scatter(),
        histogram(),
        many_to_one(),
        matmul(),
        molecular_dynamics(),
        multigrid(),
        pagerank(),
        pointer_chase(),
        radix_sort(),
        spmv(),
        sssp(),
        stencil_2d(),
        stencil_3d(),
        survey_propagation(),
        transpose(),
        triad(),
    };
    return table;
}

const workload_entry* find(std::string_view name) {
    const auto at = std::find_if(all().begin(), all().end(), [&](const auto& e) { return e.name == name; });
    return at != all().end() ? &*at : nullptr;
}

}  // namespace contraflow::workloads
