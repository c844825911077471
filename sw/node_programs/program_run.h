// SPDX-License-Identifier: Apache-2.0
// A program on all nodes of a cluster. Each node's window is the first part of its GPU's memory; the rest is filled
// with a pattern that must still be there in the end.
#pragma once

#include <string>
#include <vector>

#include "host/cluster/rdma_cluster.h"
#include "node_programs/node_program_if.h"

namespace contraflow::node_programs {

class program_run {
public:
    // Prepares and registers the windows, which takes simulated time: run the simulation until nothing is scheduled,
    // then call start(). Throws std::invalid_argument if a GPU's memory is smaller than the window, or the host's where
    // messages go through it.
    program_run(core::scheduler& events, host::rdma_cluster& cluster, node_program_if& program,
                peer_to_peer mode = peer_to_peer::rx_tx);
    void start();

    bool finished() const;
    // Call it when the program has finished: empty if the results are right and nothing else was written; otherwise the
    // first difference. Rethrows a rank's exception.
    std::string problem() const;
    core::sim_time ended() const { return ended_; }  // the end of the last rank that has ended
    const node_view& node(unsigned rank) const { return views_.at(rank); }

private:
    // The windows' virtual addresses, in GPUs and in hosts.
    static constexpr std::uint64_t base = 0x2000'0000'0000, staging = 0x1000'0000'0000;
    static constexpr std::uint8_t untouched = 0x5a;

    gpu::host_task run(const node_view& node);

    core::scheduler& events_;
    host::rdma_cluster& cluster_;
    node_program_if& program_;
    std::vector<nic::position> positions_;
    std::vector<node_view> views_;
    core::sim_time ended_{};
};

}  // namespace contraflow::node_programs
