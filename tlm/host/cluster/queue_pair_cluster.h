// SPDX-License-Identifier: Apache-2.0
// Identical nodes whose GPUs talk to the network themselves, joined by a switch.
//
//   queue_pair_cluster c("", sim.events(), statistics, spec);
//   c.connect_all(1, {});                          // a queue pair between every two nodes, rings in GPU memory
//   sim.run();                                     // the drivers' work
//   const queue_pair_end& q = c.end(0, 1);         // node 0's end of its queue pair to node 1
//   c.node(0).gpu().host().start(...);             // a kernel that writes q.entries and q.doorbell
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "config/tree/problem.h"
#include "host/cluster/queue_pair_node.h"
#include "nic/queue_pair/switched_network.h"

namespace contraflow::host {

class queue_pair_cluster final : public core::controllable_if, public core::waiter_if {
public:
    struct spec {
        unsigned nodes = 2;
        queue_pair_node_spec node;
        nic::switched_network_spec network;

        static void describe(config::fields<spec>& f);
    };
    // Throws std::invalid_argument if the specification cannot be built. The instances are `path`node0,
    // `path`net.link0.
    queue_pair_cluster(const std::string& path, core::scheduler& events, observe::statistics& statistics,
                       const spec& s);

    unsigned nodes() const { return static_cast<unsigned>(nodes_.size()); }
    queue_pair_node& node(unsigned number) { return *nodes_.at(number); }
    const nic::switched_network& network() const { return network_; }
    // Packets on links of the network, and the lives of entries at all NICs; null: none. Before the run.
    void set_trace(observe::trace* trace);

    // Opens a queue pair between two different nodes; both drivers' writes take their time over PCIe. Queue pairs of a
    // node are numbered from 0 in the order of these calls. Throws std::invalid_argument if a NIC has no more, or the
    // rings have no room.
    struct ends {
        const queue_pair_end &a, &b;
    };
    ends connect(unsigned a, unsigned b, const ring_sizes& at_a = {}, const ring_sizes& at_b = {});
    // That many queue pairs between every two nodes.
    void connect_all(unsigned each, const ring_sizes& at_both = {});
    // A node's end of the i-th queue pair between the two, in the order of their connection; std::out_of_range: there
    // is none. It stays where it is.
    const queue_pair_end& end(unsigned node, unsigned peer, unsigned i = 0) const;
    // All ends of a node, by their numbers.
    const std::vector<std::unique_ptr<queue_pair_end>>& ends_of(unsigned node) const { return ends_.at(node); }
    // Opens all queue pairs anew, with empty rings: after a reset, or when each is idle or has failed.
    void reconnect();

    // For a watchdog: busy nodes, work of GPUs, and packets under way; a count of progress.
    std::uint64_t outstanding() const;
    std::uint64_t moved() const;
    bool idle() const { return outstanding() == 0; }
    // Brings statistics to this moment; call it before they are read and before check().
    void settle();
    // pause, enable and reset of all nodes; see queue_pair_node. Packets in the network go on until receivers refuse
    // them, and are dropped by a reset. After a reset, reconnect() opens the queue pairs; regions are registered anew.
    bool control(core::control_verb verb) override;
    // Conservation; call it when nothing is outstanding.
    void check(observe::conservation& checks) const;
    void report_waits(std::vector<core::wait_edge>& edges) const override;

private:
    void open(const queue_pair_end& a, const queue_pair_end& b);

    nic::switched_network network_;
    std::vector<std::unique_ptr<queue_pair_node>> nodes_;
    std::vector<std::vector<std::unique_ptr<queue_pair_end>>> ends_;  // by node and number
    std::vector<std::pair<const queue_pair_end*, const queue_pair_end*>> pairs_;
    std::uint32_t opened_ = 0;  // how often queue pairs have been opened
};

std::vector<config::problem> problems_of(const queue_pair_cluster::spec& s);

}  // namespace contraflow::host
