// SPDX-License-Identifier: Apache-2.0
// A whole PCIe tree in TLM: switches, root complexes, endpoints and links as a topology says, and the communications
// it carries. Build it in a fresh core::simulation; it lives no longer than that.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/control.h"
#include "core/simulation.h"
#include "observe/conservation.h"
#include "observe/registry.h"
#include "pcie/endpoint.h"
#include "pcie/fabric_spec.h"
#include "pcie/pcie_switch.h"
#include "pcie/stream_table.h"
#include "pcie/topology.h"

namespace contraflow::pcie {

class fabric final : public core::controllable_if {
public:
    // streams: endpoints by node id in `from` and `to`; sorted by start within a source, ties in the list's order.
    fabric(core::simulation& simulation, const topology& tree, const fabric_spec& s, std::vector<stream> streams);

    // Of all devices at once. reset drops the communications that have not finished, and brings the links up again.
    bool control(core::control_verb verb) override;
    const std::vector<stream>& streams() const { return streams_.all(); }
    const observe::statistics& statistics() const { return statistics_; }
    std::uint64_t tlps_moved() const;           // TLPs accepted at the end of a link, all links together
    std::uint64_t streams_left() const;         // not finished
    std::uint64_t streams_outstanding() const;  // of those, the ones whose start has come
    std::uint64_t bytes_delivered() const;
    std::vector<const core::waiter_if*> waiters() const;
    // Sees every port, by port_id::index(); before the run.
    void set_observer(port_observer_if& observer);
    const endpoint& at(node_id id) const { return *endpoints_[id]; }
    // What went in came out, unchanged and once; every credit is back. To be asked when the run has ended.
    void check(observe::conservation& checks) const;
    // Faults of the plan that had not come until then, a line each.
    std::vector<std::string> unmet_faults(core::sim_time end) const;
    // The most data a TLP of that kind carries before a root complex cuts it, or asks for.
    std::uint64_t largest_payload(tlp_kind kind) const;
    // The port that sends in that direction over the link above a node.
    const port& sender(port_id id) const;
    port& sender(port_id id);
    // Share of the link's time, until `end`, in which it carried something.
    double utilisation(port_id id, core::sim_time end) const;
    const tlp_pool& packets() const { return pool_; }
    const topology& tree() const { return tree_; }

private:
    port::spec line_spec(node_id link) const;
    void build_switch(node_id id);
    void build_endpoint(node_id id);
    void connect(node_id child);
    core::sim_time dllp_latency(link_rate rate) const;
    core::sim_time replay_timeout(link_rate rate) const;
    void inject_faults();
    void lose_lanes(std::uint64_t number);
    unsigned port_towards(node_id from, node_id to) const;

    const topology& tree_;
    const fabric_spec spec_;
    tlp_pool pool_;
    observe::statistics statistics_;
    core::scheduler& events_;
    std::vector<node_id> endpoint_nodes_;
    std::vector<std::uint32_t> endpoint_number_;  // by node id
    stream_table streams_;
    std::vector<core::sim_time> starts_;                  // ascending
    std::vector<std::unique_ptr<pcie_switch>> switches_;  // by node id; empty for endpoints
    std::vector<std::unique_ptr<fault_injector>> injectors_;
    std::vector<std::unique_ptr<endpoint>> endpoints_;  // by node id; empty for switches
};

}  // namespace contraflow::pcie
