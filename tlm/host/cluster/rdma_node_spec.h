// SPDX-License-Identifier: Apache-2.0
// The parts of a cluster's node: host memory behind a root complex, a GPU and a NIC on PCIe, and a process.
#pragma once

#include <cstdint>

#include "config/fields.h"
#include "gpu/peer/peer_spec.h"
#include "host/cluster/host_tree_spec.h"
#include "host/rdma/rdma_process.h"
#include "nic/transmit/table_core.h"
#include "pcie/fabric/fabric_spec.h"

namespace contraflow::host {

// The tree's links and switches; tags, sizes and timeout apply to reads by DMA.
struct node_links_spec : pcie::link_tree_spec {
    node_links_spec() {
        tags = 32;
        completion_timeout = core::sim_time::from_us(500);
    }
    static void describe(config::fields<node_links_spec>& f);
};

struct rdma_node_spec : host_tree_spec {
    gpu::peer_choice gpu;
    nic::transmit_spec transmit;
    nic::table_core::spec core;
    nic::receive_spec receive;
    nic::receive_port::spec port;
    rdma_process::spec process;
    std::uint32_t torus_queue = 4;  // packets
    node_links_spec fabric;

    // The host's times are fitted to APEnet+, docs/assumptions.md.
    rdma_node_spec() {
        process.put = core::sim_time::from_ns(2600);
        process.completion = core::sim_time::from_ns(430);
    }
    static void describe(config::fields<rdma_node_spec>& f);
};

}  // namespace contraflow::host
