// SPDX-License-Identifier: Apache-2.0
// A PCIe tree that connects GPUs, and the host if it is in it. Each GPU is a function with its memory behind BAR 0 and
// its driver's commands behind BAR 1; addresses, credits, buffers, acknowledgements, arbitration and ordering are those
// of tlm/pcie. Its lanes do not turn, so kernel launches have no effect on it.
#pragma once

#include <memory>
#include <vector>

#include "gpu/network/pcie_network_spec.h"
#include "gpu/network/pcie_port.h"
#include "pcie/fabric/link_tree.h"

namespace contraflow::gpu {

class pcie_network final : public sc_core::sc_module, public net::network_if {
public:
    // `memory`: the GPUs' memories by physical address, one for each GPU.
    pcie_network(const sc_core::sc_module_name& name, const pcie::port::resources& shared, const pcie_network_spec& s,
                 const memory::address_map& memory);

    net::network_port& port(unsigned gpu) override { return ports_[gpu]->port(); }
    unsigned hops(unsigned from, unsigned to) const override;
    core::sim_time latency(unsigned from, unsigned to) const override;
    void kernel_launched() override {}
    void settle() override {}
    bool control(core::control_verb verb) override;
    void report_waits(std::vector<core::wait_edge>& edges) const override;
    void check(observe::conservation& checks) const override;
    // Requests that are not yet answered.
    std::uint64_t outstanding() const override;
    std::uint64_t moved() const override { return tree_->tlps_moved(); }

    const pcie::link_tree& tree() const { return *tree_; }
    const pcie::address_map& map() const { return map_; }
    const pcie_port& device(unsigned gpu) const { return *ports_[gpu]; }
    pcie::function& function(unsigned gpu) { return ports_[gpu]->function(); }
    // Null if it is not in the tree.
    pcie_host* host() { return host_.get(); }
    const pcie_host* host() const { return host_.get(); }
    pcie::link_tree& tree() { return *tree_; }

private:
    const pcie_network_spec spec_;
    const pcie::topology nodes_;
    const std::vector<pcie::node_id> gpus_;  // by number
    const memory::address_map memory_;
    const pcie::address_map map_;
    const pcie_places places_;
    pcie::tlp_pool packets_;
    std::vector<std::unique_ptr<pcie_port>> ports_;
    std::unique_ptr<pcie_host> host_;
    std::unique_ptr<pcie::link_tree> tree_;
};

}  // namespace contraflow::gpu
