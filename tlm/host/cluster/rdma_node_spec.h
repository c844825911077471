// SPDX-License-Identifier: Apache-2.0
// The parts of a cluster's node: host memory behind a root complex, a GPU and a NIC on PCIe, and a process.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "config/fields.h"
#include "gpu/peer/peer_spec.h"
#include "host/rdma/rdma_process.h"
#include "nic/transmit/table_core.h"
#include "pcie/device/timed_reads.h"
#include "pcie/fabric/fabric_spec.h"
#include "pcie/link/link_rate.h"

namespace contraflow::host {

// The NIC's place relative to the GPU.
enum class nic_place : std::uint8_t { beside_gpu, across_root_complex, other_socket };

// The tree's links and switches; tags, sizes and timeout apply to reads by DMA.
struct node_links_spec : pcie::link_tree_spec {
    node_links_spec() {
        tags = 32;
        completion_timeout = core::sim_time::from_us(500);
    }
    static void describe(config::fields<node_links_spec>& f);
};

struct rdma_node_spec {
    nic_place nic_at = nic_place::beside_gpu;
    core::bytes memory{16u << 20};                                                                        // the host's
    pcie::timed_reads::spec reads{core::sim_time::from_ns(200), core::bandwidth::from_gb_per_s(20), 64};  // reads of it
    gpu::peer_choice gpu;
    nic::transmit_spec transmit;
    nic::table_core::spec core;
    nic::receive_spec receive;
    nic::receive_port::spec port;
    rdma_process::spec process;
    std::uint32_t torus_queue = 4;                                       // packets
    pcie::link_rate gpu_link{2, 16}, nic_link{2, 8}, host_link{4, 16};   // host: wide enough not to limit others
    core::bandwidth socket_link = core::bandwidth::from_gb_per_s(12.8);  // nic_at: other_socket
    node_links_spec fabric;

    // The host's times are fitted to APEnet+, docs/assumptions.md.
    rdma_node_spec() {
        process.put = core::sim_time::from_ns(2600);
        process.completion = core::sim_time::from_ns(430);
    }
    static void describe(config::fields<rdma_node_spec>& f);
};

}  // namespace contraflow::host

template <> struct contraflow::config::enum_names<contraflow::host::nic_place> {
    using e = contraflow::host::nic_place;
    static constexpr std::array names{std::pair{e::beside_gpu, "beside_gpu"},
                                      std::pair{e::across_root_complex, "across_root_complex"},
                                      std::pair{e::other_socket, "other_socket"}};
};
