// SPDX-License-Identifier: Apache-2.0
#include "net/network.h"

#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace contraflow::net {

network::network(const std::string& path, const link::reversible_link::resources& shared, const network_spec& s,
                 unsigned nodes)
    : wiring_(wired(s, nodes)),
      link_latency_(s.link.pipeline + s.link.propagation) {
    for (unsigned r = 0; r < wiring_.routers.size(); ++r)
        routers_.push_back(std::make_unique<router>(shared.events, path + wiring_.routers[r], r, wiring_.levels));
    // Indexed by router and wire.
    std::vector<std::vector<unsigned>> ports(routers_.size(), std::vector<unsigned>(wiring_.wires.size()));
    for (unsigned n = 0; n < wiring_.wires.size(); ++n) {
        const wiring::wire& w = wiring_.wires[n];
        link::link_spec l = s.link;
        l.vcs = routers_[w.a]->channels();
        if (const auto found = link::problems_of(l, shared.cycle); !found.empty())
            throw std::invalid_argument(fmt::format("{}{}: {}", path, w.name, config::first_text(found)));
        auto& made = *links_.emplace_back(std::make_unique<link::reversible_link>(path + w.name, shared, l));
        ports[w.a][n] = routers_[w.a]->add_link(made.port(link::side::a), w.dimension, w.dateline);
        ports[w.b][n] = routers_[w.b]->add_link(made.port(link::side::b), w.dimension, w.dateline);
    }
    for (unsigned r = 0; r < routers_.size(); ++r) {
        std::vector<unsigned> routes(nodes, router::nowhere);
        for (unsigned t = 0; t < nodes; ++t)
            if (t != r) routes[t] = ports[r][wiring_.routes[r][t]];
        routers_[r]->set_routes(std::move(routes));
    }
}

unsigned network::hops(unsigned from, unsigned to) const { return wiring_.hops(from, to); }

core::sim_time network::latency(unsigned from, unsigned to) const { return link_latency_ * hops(from, to); }

void network::kernel_launched() {
    for (const auto& l : links_) l->kernel_launched();
}

void network::settle() {
    for (const auto& l : links_) l->settle();
}

bool network::control(core::control_verb verb) {
    bool any = false;
    for (const auto& l : links_) any |= l->control(verb);
    if (verb == core::control_verb::reset)
        for (const auto& r : routers_) r->reset();
    return any;
}

void network::report_waits(std::vector<core::wait_edge>& edges) const {
    for (const auto& l : links_) l->report_waits(edges);
    for (const auto& r : routers_) r->report_waits(edges);
}

void network::check(observe::conservation& checks) const {
    for (const auto& l : links_) l->check(checks);
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

}  // namespace contraflow::net
