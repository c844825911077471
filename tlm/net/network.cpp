// SPDX-License-Identifier: Apache-2.0
#include "net/network.h"

#include <fmt/format.h>

namespace contraflow::net {

network::network(const link::reversible_link::resources& shared, const network_spec& s, unsigned ends,
                 const controller_factory& controllers)
    : plan_(plan_of(s.topology, ends)),
      ends_(plan_.nodes, nullptr) {
    for (unsigned i = 0; i < plan_.nodes; ++i)
        routers_.push_back(std::make_unique<router>(shared.events, node_name(plan_, i), i, ends_));
    link::link_spec line = s.link;
    line.vcs = plan_.vcs;
    // Which of a node's links an edge is.
    std::vector<std::vector<unsigned>> place(plan_.nodes, std::vector<unsigned>(plan_.edges.size()));
    std::vector<unsigned> degree(plan_.nodes, 0);
    for (std::size_t e = 0; e < plan_.edges.size(); ++e) {
        const auto& [a, b, cut] = plan_.edges[e];
        const auto name = b < plan_.ends ? fmt::format("link[{}-{}]", a, b) : fmt::format("link[{}]", a);
        links_.push_back(std::make_unique<link::reversible_link>(name, shared, line,
                                                                 controllers ? controllers(name) : nullptr));
        routers_[a]->add_link(links_.back()->port(link::side::a), cut);
        routers_[b]->add_link(links_.back()->port(link::side::b), cut);
        place[a][e] = degree[a]++;
        place[b][e] = degree[b]++;
    }
    for (unsigned node = 0; node < plan_.nodes; ++node)
        for (unsigned target = 0; target < plan_.ends; ++target)
            if (target != node) routers_[node]->set_route(target, place[node][plan_.next[node][target]]);
}

void network::kernel_launched() {
    for (auto& l : links_) l->kernel_launched();
}

std::uint64_t network::outstanding() const {
    std::uint64_t sum = 0;
    for (const auto& l : links_) sum += l->outstanding();
    return sum;
}

std::uint64_t network::moved() const {
    std::uint64_t sum = 0;
    for (const auto& l : links_) sum += l->moved();
    return sum;
}

std::vector<const core::waiter_if*> network::waiters() const {
    std::vector<const core::waiter_if*> all;
    for (const auto& l : links_) all.push_back(l.get());
    for (const auto& r : routers_) all.push_back(r.get());
    return all;
}

void network::settle() {
    for (auto& l : links_) l->settle();
}

void network::check(observe::conservation& checks) const {
    std::uint64_t sent = 0;
    std::uint64_t taken = 0;
    for (const auto& r : routers_) {
        sent += r->sent();
        taken += r->taken();
    }
    checks.check("network: packets sent and taken", "packets", sent, taken);
    for (const auto& l : links_) l->check(checks);
}

bool network::control(core::control_verb verb) {
    bool done = true;
    if (verb == core::control_verb::reset)
        for (auto& r : routers_) r->reset();
    for (auto& l : links_) done = l->control(verb) && done;
    return done;
}

}  // namespace contraflow::net
