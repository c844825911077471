// SPDX-License-Identifier: Apache-2.0
#include "gpu_shmem/runs/cluster_view.h"

#include <algorithm>

#include <fmt/format.h>

namespace contraflow::gpu_shmem {

cluster_view::cluster_view(host::queue_pair_cluster& cluster, const run_view& view)
    : signals_(view.trace, view.waves, {}) {
    cluster.set_trace(view.trace);
    if (signals_.sink() == nullptr) return;
    for (unsigned pe = 0; pe < std::min(2u, cluster.nodes()); ++pe) {
        pcie::link_tree& tree = cluster.node(pe).tree();
        ports_.push_back(std::make_unique<pcie::port_waves>(tree.nodes(), fmt::format("node{}.", pe), *signals_.sink(),
                                                            observe::time_window{}));
        tree.add_observer(*ports_.back());
    }
}

}  // namespace contraflow::gpu_shmem
