// SPDX-License-Identifier: Apache-2.0
#include "host/cluster/rdma_cluster.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace contraflow::host {
namespace {

constexpr std::uint32_t most_of_a_dimension = 32;  // positions in packets have 5 bits

}  // namespace

void rdma_cluster::spec::describe(config::fields<spec>& f) {
    f("node", &spec::node).text("what each node is made of");
    f("torus", &spec::torus).text("what joins them");
}

std::vector<config::problem> problems_of(const rdma_cluster::spec& s) {
    std::vector<config::problem> found = config::below("torus", net::problems_of(s.torus));
    if (std::ranges::any_of(s.torus.nodes, [](std::uint32_t n) { return n > most_of_a_dimension; }))
        found.push_back({"a packet cannot name every node of the torus",
                         {{"torus.nodes", fmt::format("at most {} in each dimension", most_of_a_dimension)}}});
    if (s.torus.buffer < nic::most_words)
        found.push_back({fmt::format("torus.buffer {}: the longest packet does not fit", s.torus.buffer),
                         {{"torus.buffer", fmt::format("at least {}", nic::most_words)}}});
    if (rdma_process::ring_bytes(s.node.process.entries) > s.node.memory.count)
        found.push_back({fmt::format("node.process.entries {}: the rings do not fit into the host's memory",
                                     s.node.process.entries),
                         {{"node.process.entries", "fewer"}, {"node.memory", "more"}}});
    for (config::problem& p : config::below("node", problems_of(s.node, s.node.fabric))) found.push_back(std::move(p));
    return found;
}

rdma_cluster::rdma_cluster(const std::string& path, core::scheduler& events, observe::statistics& statistics,
                           const spec& s, const rdma_node::parts& chosen)
    : positions_(config::buildable(s).torus.nodes),
      torus_(path + "torus.", events, statistics, s.torus) {
    for (unsigned n = 0; n < torus_.nodes(); ++n)
        nodes_.push_back(std::make_unique<rdma_node>(
            fmt::format("{}node{}", path, n).c_str(), n, s.node,
            rdma_node::resources{{events, statistics, torus_.port(n), packets_, positions_}, s.torus.word_time()},
            chosen));
}

void rdma_cluster::set_trace(observe::trace* trace) {
    packets_.set_trace(trace);
    for (const auto& n : nodes_) n->process().set_trace(trace, n->name());
}

std::uint64_t rdma_cluster::outstanding() const {
    const auto busy = std::ranges::count_if(nodes_, [](const auto& n) { return !n->idle(); });
    return torus_.outstanding() + static_cast<std::uint64_t>(busy);
}

std::uint64_t rdma_cluster::moved() const {
    std::uint64_t sum = torus_.moved();
    for (const auto& n : nodes_) sum += n->moved();
    return sum;
}

bool rdma_cluster::control(core::control_verb verb) {
    using enum core::control_verb;
    if (verb != pause && verb != enable && verb != reset) return false;
    if (verb == reset) {
        torus_.control(verb);
        packets_.reset();
    }
    bool done = true;
    for (const auto& n : nodes_) done = n->control(verb) && done;
    return done;
}

void rdma_cluster::check(observe::conservation& checks) const {
    torus_.check(checks);
    std::uint64_t injected = 0, taken = 0, injected_bytes = 0, taken_bytes = 0;
    for (const auto& n : nodes_) {
        n->check(checks);
        injected += n->port().injected();
        taken += n->port().taken();
        injected_bytes += n->port().injected_bytes();
        taken_bytes += n->port().taken_bytes();
    }
    checks.check("cluster: packets injected, and those taken, dropped and under way", "packets", injected,
                 taken + torus_.dropped() + torus_.outstanding());
    checks.check("cluster: bytes injected, and those taken, dropped and under way", "bytes", injected_bytes,
                 taken_bytes + packets_.dropped() + packets_.under_way());
}

void rdma_cluster::report_waits(std::vector<core::wait_edge>& edges) const {
    torus_.report_waits(edges);
    for (const auto& n : nodes_) n->report_waits(edges);
}

}  // namespace contraflow::host
