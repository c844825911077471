// SPDX-License-Identifier: Apache-2.0
#include "host/cluster/queue_pair_cluster.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include <fmt/format.h>

#include "core/random.h"

namespace contraflow::host {

void queue_pair_cluster::spec::describe(config::fields<spec>& f) {
    f("nodes", &spec::nodes).in(1, 1024).text("nodes at the switch");
    f("node", &spec::node).text("what each node is made of");
    f("network", &spec::network).text("the links to the switch");
}

std::vector<config::problem> problems_of(const queue_pair_cluster::spec& s) {
    auto found = config::below("node", problems_of(s.node));
    const std::uint64_t headers = s.network.header.count + nic::longest_header.count + nic::switched_network_spec::word;
    const std::uint64_t buffer = s.network.receive_buffer.count;
    if (buffer < headers + s.node.nic.mtu.count) {
        config::problem p{
            "the longest packet does not fit into the receive buffer of a link",
            {{"network.receive_buffer", "at least " + core::to_text(core::bytes{headers + s.node.nic.mtu.count})}}};
        const std::uint64_t most = buffer > headers ? std::bit_floor(buffer - headers) : 0;
        if (most >= nic::queue_pair_spec::least_mtu)
            p.suspects.push_back({"node.nic.mtu", "at most " + core::to_text(core::bytes{most})});
        found.push_back(std::move(p));
    }
    return found;
}

queue_pair_cluster::queue_pair_cluster(const std::string& path, core::scheduler& events,
                                       observe::statistics& statistics, const spec& s)
    : network_(path + "net.", events, statistics, config::buildable(s).network, s.nodes),
      ends_(s.nodes) {
    for (unsigned n = 0; n < s.nodes; ++n) {
        queue_pair_node_spec own = s.node;
        own.gpu.values.fabric.seed = core::seed_of(s.node.gpu.values.fabric.seed, fmt::format("node{}", n));
        nodes_.push_back(std::make_unique<queue_pair_node>(
            fmt::format("{}node{}", path, n).c_str(), n, own,
            queue_pair_node::resources{events, statistics, network_.port(n), network_.packets()}));
    }
}

void queue_pair_cluster::set_trace(observe::trace* trace) {
    network_.packets().set_trace(trace);
    for (const auto& n : nodes_) n->nic().set_trace(trace, n->name());
}

queue_pair_cluster::ends queue_pair_cluster::connect(unsigned a, unsigned b, const ring_sizes& at_a,
                                                     const ring_sizes& at_b) {
    if (a == b) throw std::invalid_argument("queue_pair_cluster: a queue pair is between two different nodes");
    const auto make = [this](unsigned node, const ring_sizes& sizes) -> queue_pair_end& {
        ends_.at(node).push_back(std::make_unique<queue_pair_end>(nodes_[node]->make_end(sizes)));
        return *ends_[node].back();
    };
    queue_pair_end& here = make(a, at_a);
    queue_pair_end& there = make(b, at_b);
    here.peer = b;
    here.peer_number = there.number;
    there.peer = a;
    there.peer_number = here.number;
    open(here, there);
    pairs_.emplace_back(&here, &there);
    return {here, there};
}

void queue_pair_cluster::connect_all(unsigned each, const ring_sizes& at_both) {
    for (unsigned i = 0; i < each; ++i)
        for (unsigned a = 0; a < nodes(); ++a)
            for (unsigned b = a + 1; b < nodes(); ++b) connect(a, b, at_both, at_both);
}

// Sequence numbers begin elsewhere each time, so that no packet of before is taken for a new one.
void queue_pair_cluster::open(const queue_pair_end& a, const queue_pair_end& b) {
    const std::uint32_t first = opened_++ << 20;
    queue_pair_driver::connect({nodes_[a.node]->driver(), a.number, a.rings, first},
                               {nodes_[b.node]->driver(), b.number, b.rings, first});
}

void queue_pair_cluster::reconnect() {
    for (const auto& [a, b] : pairs_) {
        for (const queue_pair_end* const q : {a, b}) nodes_[q->node]->clear_rings(*q);
        open(*a, *b);
    }
}

const queue_pair_end& queue_pair_cluster::end(unsigned node, unsigned peer, unsigned i) const {
    for (const auto& q : ends_.at(node))
        if (q->peer == peer && i-- == 0) return *q;
    throw std::out_of_range(
        fmt::format("queue_pair_cluster: there is no such queue pair from node {} to node {}", node, peer));
}

// ---- all of it

std::uint64_t queue_pair_cluster::outstanding() const {
    std::uint64_t sum = network_.outstanding();
    for (const auto& n : nodes_) sum += n->outstanding();
    return sum;
}

std::uint64_t queue_pair_cluster::moved() const {
    std::uint64_t sum = network_.moved();
    for (const auto& n : nodes_) sum += n->moved();
    return sum;
}

void queue_pair_cluster::settle() {
    network_.settle();
    for (const auto& n : nodes_) n->settle();
}

bool queue_pair_cluster::control(core::control_verb verb) {
    using enum core::control_verb;
    if (verb != pause && verb != enable && verb != reset) return false;
    bool done = true;
    for (const auto& n : nodes_) done = n->control(verb) && done;
    if (verb == reset) network_.control(verb);  // after the NICs, which give their packets back
    return done;
}

void queue_pair_cluster::check(observe::conservation& checks) const {
    std::vector<const nic::transport_port*> ports;
    for (const auto& n : nodes_) {
        n->check(checks);
        ports.push_back(&n->nic().network());
    }
    network_.check(checks, ports);
}

void queue_pair_cluster::report_waits(std::vector<core::wait_edge>& edges) const {
    network_.report_waits(edges);
    for (const auto& n : nodes_) n->report_waits(edges);
}

}  // namespace contraflow::host
