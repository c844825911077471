// SPDX-License-Identifier: Apache-2.0
// Nodes that are all alike, joined by a torus or mesh through their NICs. Programs of their processes put to one
// another. Node n is where net/topology.h has it: x grows first, then y, then z.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "config/tree/problem.h"
#include "host/cluster/rdma_node.h"
#include "net/torus/torus_network.h"

namespace contraflow::host {

class rdma_cluster final : public core::controllable_if, public core::waiter_if {
public:
    struct spec {
        rdma_node_spec node;
        net::torus_spec torus;

        static void describe(config::fields<spec>& f);
    };
    // A specification that cannot be built is a std::invalid_argument. The instances are `path`node0,
    // `path`torus.node0.
    rdma_cluster(const std::string& path, core::scheduler& events, observe::statistics& statistics, const spec& s,
                 const rdma_node::parts& chosen);

    unsigned nodes() const { return static_cast<unsigned>(nodes_.size()); }
    rdma_node& node(unsigned number) { return *nodes_.at(number); }
    const net::torus_network& torus() const { return torus_; }
    nic::position position(unsigned node) const { return positions_.of(node); }

    // For a watchdog: packets in the torus and nodes at work, and what has moved.
    std::uint64_t outstanding() const;
    std::uint64_t moved() const;
    // pause, enable and reset of all nodes; see rdma_node. What is in the torus goes on until receivers refuse it, or
    // is dropped by a reset. Other verbs are refused.
    bool control(core::control_verb verb) override;
    // Packets and bytes; to be asked when nothing is outstanding.
    void check(observe::conservation& checks) const;
    void report_waits(std::vector<core::wait_edge>& edges) const override;

private:
    const torus_positions positions_;
    carried_packets packets_;
    net::torus_network torus_;
    std::vector<std::unique_ptr<rdma_node>> nodes_;
};

std::vector<config::problem> problems_of(const rdma_cluster::spec& s);

}  // namespace contraflow::host
