// SPDX-License-Identifier: Apache-2.0
// The links, switches and root complexes of a PCIe tree, built from its address map; the user makes the devices at its
// ends.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "observe/conservation.h"
#include "pcie/fabric/address_map.h"
#include "pcie/fabric/fabric_spec.h"
#include "pcie/fabric/pcie_switch.h"
#include "pcie/fabric/topology.h"
#include "pcie/link/device_if.h"
#include "pcie/link/port_observer_if.h"

namespace contraflow::pcie {

class link_tree final : public core::controllable_if, public core::waiter_if {
public:
    // Makes the device of an endpoint, given its node, its number among the endpoints, its instance name and its port's
    // resources. It is called in the order of the nodes; the devices live as long as the tree.
    using make_device =
        std::function<device_if&(node_id node, std::uint32_t number, const std::string& name, const port::spec& link)>;

    // Arguments given by reference must outlive the tree.
    link_tree(const port::resources& shared, tlp_pool& pool, const address_map& map, const link_tree_spec& s,
              const make_device& make);

    // Controls all devices at once. reset brings the links up again.
    bool control(core::control_verb verb) override;
    const topology& nodes() const { return nodes_; }
    const address_map& map() const { return map_; }
    std::uint64_t tlps_moved() const;  // TLPs accepted at the ends of all links
    // Requests that no window claimed, and completions without a requester, in all switches.
    std::uint64_t unclaimed() const;
    // The tree itself and all its devices and switches.
    std::vector<const core::waiter_if*> waiters() const;
    // What only the tree knows: which device answers the requests that a device has sent, by their addresses.
    void report_waits(std::vector<core::wait_edge>& edges) const override;
    // It sees every port, by port_id::index(), beside those added before it; before the run.
    void add_observer(port_observer_if& observer);
    // Checks that nothing was lost on a link, and that every credit is back. Call it when all links are idle.
    void check(observe::conservation& checks) const;
    // Faults of the plan that have not occurred, a line for each.
    std::vector<std::string> unmet_faults(core::sim_time end) const;
    // The port that sends in that direction over the link above a node.
    const port& sender(port_id id) const;
    port& sender(port_id id);

    // The receive buffer that a port at that link has if the specification names none.
    receive_buffer usual_buffer(credit_class c, node_id link) const;

private:
    class observer_list final : public port_observer_if {
    public:
        void add(port_observer_if& observer) { all_.push_back(&observer); }
        void tlp_sent(unsigned id, const tlp& packet, core::sim_time begin, core::sim_time end, bool again,
                      bool corrupted) override;
        void dllps_sent(unsigned id, unsigned count, core::sim_time begin, core::sim_time end) override;
        void changed(unsigned id, const port& p, core::sim_time now) override;

    private:
        std::vector<port_observer_if*> all_;
    };
    port::spec line_spec(node_id link) const;
    receive_buffer buffer_of(credit_class c, node_id link) const;
    link_rate rate_of(node_id link) const;
    core::sim_time latency_of(node_id node) const;
    core::sim_time credits_return(node_id link) const;
    void build_switch(node_id id);
    void connect(node_id child);
    core::sim_time dllp_latency(link_rate rate) const;
    core::sim_time replay_timeout(link_rate rate) const;
    void inject_faults();
    void lose_lanes(std::uint64_t number);
    unsigned port_towards(node_id from, node_id to) const;

    const port::resources shared_;
    tlp_pool& pool_;
    const address_map& map_;
    const topology& nodes_;
    const link_tree_spec spec_;
    std::vector<std::unique_ptr<pcie_switch>> switches_;  // by node id; empty for endpoints
    std::vector<device_if*> devices_;                     // by node id; null for switches
    observer_list observers_;
    std::vector<std::unique_ptr<fault_injector>> injectors_;
    std::vector<std::unique_ptr<buffer_fault_injector>> buffer_injectors_;  // by node id; empty where nothing flips
};

}  // namespace contraflow::pcie
