// SPDX-License-Identifier: Apache-2.0
// A whole PCIe tree in TLM: the switches, root complexes, endpoints and links of a topology, and the communications on
// it. Build it in a new core::simulation, which must outlive it.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/control.h"
#include "core/simulation.h"
#include "observe/conservation.h"
#include "observe/registry.h"
#include "pcie/dma/endpoint.h"
#include "pcie/dma/stream_table.h"
#include "pcie/fabric/fabric_spec.h"
#include "pcie/fabric/link_tree.h"
#include "pcie/fabric/topology.h"

namespace contraflow::pcie {

class fabric final : public core::controllable_if {
public:
    // streams: endpoints by node id in `from` and `to`; sorted by start within a source, ties in the list's order.
    fabric(core::simulation& simulation, const topology& tree, const fabric_spec& s, std::vector<stream> streams);

    // Controls all devices at once. reset drops unfinished communications, and brings the links up again.
    bool control(core::control_verb verb) override;
    const std::vector<stream>& streams() const { return streams_.all(); }
    const observe::statistics& statistics() const { return statistics_; }
    std::uint64_t tlps_moved() const { return links_->tlps_moved(); }  // TLPs accepted at the ends of all links
    std::uint64_t streams_left() const;                                // not finished
    std::uint64_t streams_outstanding() const;                         // unfinished ones whose start time has come
    std::uint64_t bytes_delivered() const;
    // The first communication that failed of the first endpoint that has one, in words; empty: none.
    std::string fault() const;
    std::vector<const core::waiter_if*> waiters() const { return links_->waiters(); }
    // Sees every port, by port_id::index(); before the run.
    void add_observer(port_observer_if& observer) { links_->add_observer(observer); }
    const endpoint& at(node_id id) const { return *endpoints_[id]; }
    // Checks that all data arrived unchanged and once, and that every credit is back. Call it after the run.
    void check(observe::conservation& checks) const;
    // Faults of the plan that have not occurred, a line for each.
    std::vector<std::string> unmet_faults(core::sim_time end) const { return links_->unmet_faults(end); }
    // The most data that a TLP of that kind carries, before a root complex cuts it, or requests.
    std::uint64_t largest_payload(tlp_kind kind) const;
    // The port that sends in that direction over the link above a node.
    const port& sender(port_id id) const { return std::as_const(*links_).sender(id); }
    port& sender(port_id id) { return links_->sender(id); }
    // Share of the time until `end` in which the link was busy.
    double utilisation(port_id id, core::sim_time end) const;
    const tlp_pool& packets() const { return pool_; }
    const topology& tree() const { return tree_; }
    // The addresses of all nodes.
    const address_map& map() const { return *map_; }

private:
    void place_memories();
    endpoint& build_endpoint(node_id id, const std::string& name, const port::spec& link);

    const topology& tree_;
    const fabric_spec spec_;
    tlp_pool pool_;
    observe::statistics statistics_;
    core::scheduler& events_;
    std::vector<node_id> endpoint_nodes_;
    std::vector<std::uint32_t> endpoint_number_;  // by node id
    stream_table streams_;
    std::vector<core::sim_time> starts_;                    // ascending
    std::vector<std::unique_ptr<stream_memory>> memories_;  // by node id; empty for switches
    std::unique_ptr<address_map> map_;
    std::unique_ptr<link_tree> links_;
    std::vector<std::unique_ptr<endpoint>> endpoints_;  // by node id; empty for switches
};

}  // namespace contraflow::pcie
