// SPDX-License-Identifier: Apache-2.0
#include "workloads/catalogue.h"

#include <algorithm>

namespace contraflow::workloads {

// Each is in the file of its name.
workload_entry bfs();
workload_entry euler();
workload_entry molecular_dynamics();
workload_entry pagerank();
workload_entry radix_sort();
workload_entry spmv();
workload_entry sssp();
workload_entry survey_propagation();
workload_entry triad();

const std::vector<workload_entry>& all() {
    static const std::vector<workload_entry> table{
        bfs(), euler(), molecular_dynamics(), pagerank(), radix_sort(), spmv(), sssp(), survey_propagation(), triad(),
    };
    return table;
}

const workload_entry* find(std::string_view name) {
    const auto at = std::find_if(all().begin(), all().end(), [&](const auto& e) { return e.name == name; });
    return at != all().end() ? &*at : nullptr;
}

}  // namespace contraflow::workloads
