// SPDX-License-Identifier: Apache-2.0
// The host_tree of a node of a torus: its GPU and its NIC.
#pragma once

#include "gpu/peer/peer_gpu.h"
#include "host/cluster/host_tree.h"
#include "host/cluster/rdma_node_spec.h"
#include "host/rdma/register_writer.h"
#include "nic/device/rdma_nic.h"

namespace contraflow::host {

class node_tree {
public:
    static constexpr std::uint64_t host_base = host_tree::host_base;
    static constexpr std::uint64_t interrupt_address = host_tree::interrupt_address,
                                   interrupt_bytes = host_tree::interrupt_bytes;

    using resources = host_tree::resources;
    // The chosen levels of the receive datapath and of the core; no core: a table, as the specification says.
    // A receive datapath with firmware needs a core with firmware.
    struct parts {
        const nic::datapath_factory& make_receive;
        const nic::core_factory* make_core = nullptr;
    };
    node_tree(const rdma_node_spec& s, const nic::position& node, const resources& r, const parts& chosen);

    pcie::function& host() { return tree_.host(); }
    gpu::peer_gpu& gpu() { return *gpu_; }
    nic::rdma_nic& nic() { return *nic_; }
    const nic::rdma_nic& nic() const { return *nic_; }
    pcie::link_tree& links() { return tree_.links(); }
    const pcie::link_tree& links() const { return tree_.links(); }
    const pcie::topology& nodes() const { return tree_.nodes(); }
    pcie::node_id nic_in_tree() const { return tree_.nic(); }
    const pcie::tlp_pool& pool() const { return tree_.pool(); }

    // A driver's work when it loads, and after a reset: tells the GPU the address for its answers, and the NIC the
    // address for its interrupts.
    void open();
    // Tells the GPU and the NIC each other's addresses; before the run.
    void attach();
    bool control(core::control_verb verb);
    void report_waits(std::vector<core::wait_edge>& edges) const { tree_.report_waits(edges); }

private:
    gpu::peer_gpu* gpu_ = nullptr;
    nic::rdma_nic* nic_ = nullptr;
    host_tree tree_;  // owns the two
    register_writer opening_;
};

}  // namespace contraflow::host
