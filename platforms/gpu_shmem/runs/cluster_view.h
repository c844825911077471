// SPDX-License-Identifier: Apache-2.0
// What a run shows of its cluster beside its results: the lives of entries in a trace; queues and credits of the PCIe
// links of PE 0 and PE 1, between which puts are timed, as waves and as counters of the trace.
#pragma once

#include <memory>
#include <vector>

#include "host/cluster/queue_pair_cluster.h"
#include "observe/trace.h"
#include "observe/waves/signal_outputs.h"
#include "pcie/fabric/port_waves.h"

namespace contraflow::gpu_shmem {

// Null pointers where nobody looks.
struct run_view {
    observe::trace* trace = nullptr;
    observe::wave_sink_if* waves = nullptr;
};

class cluster_view {
public:
    // Before the run; the cluster and what the view names outlive it.
    cluster_view(host::queue_pair_cluster& cluster, const run_view& view);

private:
    observe::signal_outputs signals_;
    std::vector<std::unique_ptr<pcie::port_waves>> ports_;
};

}  // namespace contraflow::gpu_shmem
