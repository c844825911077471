// SPDX-License-Identifier: Apache-2.0
// A torus or mesh of routers with virtual cut-through, behind the interface of every network.
// Without load, a packet of n words over h links takes h x (router + wire) + n cycles; to its own node, n.
// It has the two classes of packets of all networks: before a node can take a request it may need the network (a get
// request is answered by puts), so puts must get through when no request does.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "net/torus/torus_node.h"

namespace contraflow::net {

class torus_network final : public network_if {
public:
    // Throws std::invalid_argument if the specification cannot be built.
    torus_network(const std::string& path, core::scheduler& events, observe::statistics& group, const torus_spec& s);

    unsigned nodes() const { return static_cast<unsigned>(nodes_.size()); }
    network_port& port(unsigned node) override { return nodes_[node]->port(); }
    const torus_node& node(unsigned number) const { return *nodes_[number]; }
    const torus_spec& configuration() const { return spec_; }
    // All link directions, by node and then by port.
    std::vector<torus_link*> links() const;

    unsigned hops(unsigned from, unsigned to) const override { return wiring_.hops(from, to); }
    core::sim_time latency(unsigned from, unsigned to) const override;
    void kernel_launched() override {}
    void settle() override {}
    bool control(core::control_verb verb) override;
    void report_waits(std::vector<core::wait_edge>& edges) const override;
    void check(observe::conservation& checks) const override;
    std::uint64_t outstanding() const override;
    std::uint64_t moved() const override { return shared_.packets.moved; }
    std::uint64_t accepted() const { return shared_.packets.accepted; }
    std::uint64_t taken() const { return shared_.packets.taken; }
    std::uint64_t dropped() const { return shared_.packets.dropped; }
    const observe::histogram& latencies() const { return latency_; }

private:
    const torus_spec spec_;
    const wiring wiring_;
    flight_store flights_;
    observe::histogram latency_;
    torus_shared shared_;
    std::vector<std::unique_ptr<torus_node>> nodes_;
};

}  // namespace contraflow::net
