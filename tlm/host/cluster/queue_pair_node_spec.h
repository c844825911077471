// SPDX-License-Identifier: Apache-2.0
// The parts of a node whose GPU talks to the network itself: a GPU with a path block, a NIC with queue pairs, and the
// host.
#pragma once

#include "gpu/system/pcie_gpu_spec.h"
#include "host/cluster/host_tree_spec.h"
#include "nic/queue_pair/queue_pair_spec.h"

namespace contraflow::host {

// Buffers that let a NIC of 100 Gb/s write and read at its rate, and AtomicOps pass, which carry data.
struct queue_pair_links_spec : pcie::link_tree_spec {
    queue_pair_links_spec() {
        max_payload = read_completion_boundary = {256};
        posted_data = completion_data = {16384};
        non_posted_data = {4096};
    }
    static void describe(config::fields<queue_pair_links_spec>& f);
};

struct queue_pair_node_spec : host_tree_spec {
    gpu::pcie_gpu_choice gpu;
    nic::queue_pair_spec nic;
    queue_pair_links_spec fabric;

    queue_pair_node_spec() {
        gpu_link = nic_link = {3, 16};
        host_link = {4, 16};
    }
    static void describe(config::fields<queue_pair_node_spec>& f);
};

std::vector<config::problem> problems_of(const queue_pair_node_spec& s);

}  // namespace contraflow::host
