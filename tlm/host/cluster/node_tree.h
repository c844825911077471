// SPDX-License-Identifier: Apache-2.0
// The PCIe tree of a node: the host's memory and interrupts, a GPU, and a NIC somewhere near it.
//
//   host -- root complex --+-- switch --+-- GPU
//   (memory, interrupts)   |            +-- NIC
//                          +-- or NIC; or a second root complex, and the NIC there
#pragma once

#include <memory>
#include <span>

#include "gpu/peer/peer_gpu.h"
#include "host/cluster/rdma_node_spec.h"
#include "host/rdma/register_writer.h"
#include "nic/device/rdma_nic.h"
#include "pcie/device/msi.h"
#include "pcie/device/timed_memory.h"
#include "pcie/fabric/link_tree.h"

namespace contraflow::host {

class node_tree {
public:
    static constexpr std::uint64_t host_base = 0x1000'0000;  // bus address of the host's memory
    static constexpr std::uint64_t interrupt_address = 0xfee0'0000, interrupt_bytes = 1u << 12;

    // All of them outlive the tree.
    struct resources {
        core::scheduler& events;
        observe::statistics& statistics;
        std::span<std::uint8_t> memory;  // the host's memory
        pcie::requester_user_if& user;   // receives the answers to the host's requests
        pcie::interrupt_user_if& interrupts;
    };
    // The chosen levels of the receive datapath and of the core; no core: a table, as the specification says.
    // A receive datapath with firmware needs a core with firmware.
    struct parts {
        const nic::datapath_factory& make_receive;
        const nic::core_factory* make_core = nullptr;
    };
    node_tree(const rdma_node_spec& s, const nic::position& node, const resources& r, const parts& chosen);

    pcie::function& host() { return *host_; }
    gpu::peer_gpu& gpu() { return *gpu_; }
    nic::rdma_nic& nic() { return *nic_; }
    const nic::rdma_nic& nic() const { return *nic_; }
    pcie::link_tree& links() { return *links_; }
    const pcie::link_tree& links() const { return *links_; }
    const pcie::topology& nodes() const { return nodes_; }
    pcie::node_id nic_in_tree() const { return nic_in_tree_; }
    const pcie::tlp_pool& pool() const { return pool_; }

    // A driver's work when it loads, and after a reset: tells the GPU the address for its answers, and the NIC the
    // address for its interrupts.
    void open();
    // Tells the GPU and the NIC each other's addresses; before the run.
    void attach();
    bool control(core::control_verb verb);
    void report_waits(std::vector<core::wait_edge>& edges) const;

private:
    pcie::topology nodes_;
    pcie::node_id nic_in_tree_ = pcie::no_node;
    pcie::tlp_pool pool_{4096};
    std::unique_ptr<pcie::address_map> map_;
    std::unique_ptr<gpu::peer_gpu> gpu_;
    std::unique_ptr<nic::rdma_nic> nic_;
    std::unique_ptr<pcie::function> host_;
    std::unique_ptr<pcie::link_tree> links_;
    std::unique_ptr<pcie::timed_memory> memory_;
    pcie::interrupt_window interrupts_;
    std::unique_ptr<register_writer> opening_;
};

}  // namespace contraflow::host
