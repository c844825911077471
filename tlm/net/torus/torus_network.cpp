// SPDX-License-Identifier: Apache-2.0
#include "net/torus/torus_network.h"

#include <fmt/format.h>

namespace contraflow::net {

torus_network::torus_network(const std::string& path, core::scheduler& events, observe::statistics& group,
                             const torus_spec& s)
    : spec_(config::buildable(s)),
      wiring_(wired(spec_.grid(), spec_.node_count())),
      latency_(group, path + "latency", "ps",
               "time of packets, from their injection until their target has taken them"),
      shared_{events, spec_, wiring_.levels, flights_, latency_, {}} {
    const unsigned nodes = spec_.node_count();
    for (unsigned n = 0; n < nodes; ++n)
        nodes_.push_back(std::make_unique<torus_node>(shared_, group, path + wiring_.routers[n]));
    // Port numbers of both ends, by wire.
    std::vector<std::array<unsigned, 2>> ports(wiring_.wires.size());
    unsigned number = 0;
    for (std::size_t i = 0; i < wiring_.wires.size(); ++i) {
        const wiring::wire& w = wiring_.wires[i];
        for (const bool back : {false, true}) {
            torus_node& at = *nodes_[back ? w.b : w.a];
            ports[i][back] = static_cast<unsigned>(at.links().size());
            at.add_link(std::make_unique<torus_link>(
                events, group, fmt::format("{}.{}", at.name(), direction_name(w.dimension, !back)), spec_, number++,
                torus_link::place{back ? w.b : w.a, back ? w.a : w.b, w.dimension, !back, w.dateline},
                torus_node::channels(spec_)));
        }
    }
    for (std::size_t i = 0; i < wiring_.wires.size(); ++i) {
        const wiring::wire& w = wiring_.wires[i];
        nodes_[w.a]->connect(ports[i][0], *nodes_[w.b]->links()[ports[i][1]]);
        nodes_[w.b]->connect(ports[i][1], *nodes_[w.a]->links()[ports[i][0]]);
    }
    for (unsigned n = 0; n < nodes; ++n) {
        std::vector<unsigned> routes(nodes, static_cast<unsigned>(nodes_[n]->links().size()));
        for (unsigned t = 0; t < nodes; ++t)
            if (t != n) {
                const unsigned wire = wiring_.routes[n][t];
                routes[t] = ports[wire][wiring_.wires[wire].a == n ? 0 : 1];
            }
        nodes_[n]->finish(std::move(routes));
    }
}

std::vector<torus_link*> torus_network::links() const {
    std::vector<torus_link*> all;
    for (const auto& n : nodes_)
        for (const auto& l : n->links()) all.push_back(l.get());
    return all;
}

core::sim_time torus_network::latency(unsigned from, unsigned to) const {
    return (spec_.router_time() + spec_.wire_time()) * hops(from, to);
}

bool torus_network::control(core::control_verb verb) {
    if (verb != core::control_verb::reset) return false;
    for (const auto& n : nodes_) n->reset();
    return true;
}

void torus_network::report_waits(std::vector<core::wait_edge>& edges) const {
    for (const auto& n : nodes_) n->report_waits(edges);
}

void torus_network::check(observe::conservation& checks) const {
    const auto& p = shared_.packets;
    std::uint64_t held = 0;
    for (const auto& n : nodes_) held += n->held();
    checks.check("torus: packets in, and those out, dropped and held", "packets", p.accepted,
                 p.taken + p.dropped + held);
    const auto all = links();
    std::uint64_t credits = 0;
    for (const auto* l : all) credits += l->all_credits();
    checks.check("torus: words of all buffers, and credits for them or words in them", "words",
                 std::uint64_t{spec_.buffer} * torus_node::channels(spec_) * all.size(), credits);
    for (const auto* l : all) l->check(checks);
}

std::uint64_t torus_network::outstanding() const {
    const auto& p = shared_.packets;
    return p.accepted - p.taken - p.dropped;
}

}  // namespace contraflow::net
