// SPDX-License-Identifier: Apache-2.0
// Identical nodes, joined by a torus or mesh through their NICs. Programs of their processes put to one another. Nodes
// are numbered as in net/topology.h: x grows first, then y, then z.
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
    // Throws std::invalid_argument if the specification cannot be built. The instances are `path`node0,
    // `path`torus.node0.
    rdma_cluster(const std::string& path, core::scheduler& events, observe::statistics& statistics, const spec& s,
                 const rdma_node::parts& chosen);

    unsigned nodes() const { return static_cast<unsigned>(nodes_.size()); }
    rdma_node& node(unsigned number) { return *nodes_.at(number); }
    const net::torus_network& torus() const { return torus_; }
    // Packets on links of the torus, and puts and gets of all processes; null: none. Before the run.
    void set_trace(observe::trace* trace);
    nic::position position(unsigned node) const { return positions_.of(node); }

    // For a watchdog: packets in the torus and busy nodes, and a count of progress.
    std::uint64_t outstanding() const;
    std::uint64_t moved() const;
    // pause, enable and reset of all nodes; see rdma_node. Packets in the torus go on until receivers refuse them, and
    // are dropped by a reset. Other verbs are refused.
    bool control(core::control_verb verb) override;
    // Conservation of packets and bytes. Call it when nothing is outstanding.
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
