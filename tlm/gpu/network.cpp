// SPDX-License-Identifier: Apache-2.0
#include "gpu/network.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include <fmt/format.h>

namespace contraflow::gpu {

void network_spec::describe(config::fields<network_spec>& f) {
    f("topology", &network_spec::topology)
        .text("what joins the sockets: a switch, a link for each pair, a ring of neighbours, or rows and columns of "
              "them");
    f("link", &network_spec::link).text("each link; two virtual channels a direction, four in a ring");
}

void any_network_spec::describe(config::fields<any_network_spec>& f) {
    f("topology", &any_network_spec::topology)
        .text("what joins the GPUs: a switch, a link for each pair, a ring of neighbours, or rows and columns of them");
    f("mesh_columns", &any_network_spec::mesh_columns)
        .in(0, 64)
        .unit("GPUs")
        .text("in a row of the mesh; 0: as near to a square as whole rows allow");
    f("link", &any_network_spec::link).text("each link; two virtual channels a direction, four in a ring");
    f("pcie", &any_network_spec::pcie)
        .text("where given, the GPUs are in a PCIe tree, and the links above are not there");
}

unsigned network_spec::columns(unsigned gpus) const {
    if (mesh_columns != 0) return mesh_columns;
    unsigned c = 1;
    while (c * c < gpus || gpus % c != 0) ++c;
    return c;
}

std::vector<std::string> network::link_names(const network_spec& s, unsigned sockets) {
    std::vector<std::string> names;
    const auto add = [&names](unsigned a, unsigned b) { names.push_back(fmt::format("link{}_{}", a, b)); };
    for (unsigned i = 0; i < sockets && sockets > 1; ++i) {
        if (s.topology == topology::central_switch) {
            names.push_back(fmt::format("link{}", i));
        } else if (s.topology == topology::ring && sockets > 2) {
            add(i, (i + 1) % sockets);
        } else if (s.topology == topology::mesh) {
            const unsigned columns = s.columns(sockets);
            if (i % columns + 1 < columns) add(i, i + 1);
            if (i + columns < sockets) add(i, i + columns);
        } else {
            for (unsigned j = i + 1; j < sockets; ++j) add(i, j);
        }
    }
    return names;
}

network::network(const std::string& path, const link::reversible_link::resources& shared, const network_spec& s,
                 unsigned sockets)
    : path_(path),
      shared_(shared),
      spec_(s),
      sockets_(sockets),
      names_(link_names(s, sockets)) {
    if (sockets < 2) throw std::invalid_argument("network: a network joins two sockets or more");
    if (s.topology == topology::mesh && sockets % s.columns(sockets) != 0)
        throw std::invalid_argument(
            fmt::format("network: {} sockets make no mesh of {} columns", sockets, s.columns(sockets)));
    // A ring of two is one link.
    const bool ring = s.topology == topology::ring && sockets > 2;
    for (unsigned i = 0; i < sockets; ++i) add_router(fmt::format("{}node{}", path_, i), i, ring);
    if (s.topology == topology::central_switch)
        build_switch();
    else if (ring)
        build_ring();
    else if (s.topology == topology::mesh)
        build_mesh();
    else
        build_pairs();
}

packet_router& network::add_router(const std::string& name, unsigned number, bool datelines) {
    // A switch is no packet's target: it has the number after the last socket's.
    return *routers_.emplace_back(std::make_unique<packet_router>(shared_.events, name, number, sockets_, datelines));
}

void network::join(packet_router& a, packet_router& b, bool dateline) {
    const std::string name = path_ + names_[links_.size()];
    link::link_spec s = spec_.link;
    s.vcs = a.channels();
    if (const auto found = link::problems_of(s, shared_.cycle); !found.empty())
        throw std::invalid_argument(fmt::format("{}: {}", name, config::first_text(found)));
    auto& l = *links_.emplace_back(std::make_unique<link::reversible_link>(name, shared_, s));
    a.add_link(l.port(link::side::a), dateline);
    b.add_link(l.port(link::side::b), dateline);
}

void network::build_switch() {
    packet_router& middle = add_router(path_ + "switch", sockets_, false);
    for (unsigned i = 0; i < sockets_; ++i) {
        join(*routers_[i], middle);
        middle.set_route(i, i);
        for (unsigned t = 0; t < sockets_; ++t)
            if (t != i) routers_[i]->set_route(t, 0);
    }
}

void network::build_pairs() {
    for (unsigned i = 0; i < sockets_; ++i)
        for (unsigned j = i + 1; j < sockets_; ++j) {
            join(*routers_[i], *routers_[j]);
            routers_[i]->set_route(j, j - 1);
            routers_[j]->set_route(i, i);
        }
}

void network::build_ring() {
    // Ports are numbered in the order of joining: socket 0 gets its successor first and its predecessor last, the
    // others the predecessor first. The dateline lies on the link that closes the ring.
    for (unsigned i = 0; i < sockets_; ++i) {
        const unsigned next = (i + 1) % sockets_;
        join(*routers_[i], *routers_[next], next == 0);
    }
    for (unsigned i = 0; i < sockets_; ++i) {
        const unsigned up = i == 0 ? 0 : 1;
        for (unsigned distance = 1; distance < sockets_; ++distance) {
            const unsigned back = sockets_ - distance;
            // Halfway round both ways are as long: even sockets take one, odd ones the other.
            const bool upwards = distance < back || (distance == back && i % 2 == 0);
            routers_[i]->set_route((i + distance) % sockets_, upwards ? up : 1 - up);
        }
    }
}

void network::build_mesh() {
    const unsigned columns = spec_.columns(sockets_);
    // Ports of a node, by where they lead.
    enum : unsigned { west, east, north, south };
    std::vector<std::array<unsigned, 4>> ports(sockets_);
    const auto link = [&](unsigned a, unsigned towards_b, unsigned b, unsigned towards_a) {
        ports[a][towards_b] = routers_[a]->ways();
        ports[b][towards_a] = routers_[b]->ways();
        join(*routers_[a], *routers_[b]);
    };
    for (unsigned i = 0; i < sockets_; ++i) {
        if (i % columns + 1 < columns) link(i, east, i + 1, west);
        if (i + columns < sockets_) link(i, south, i + columns, north);
    }
    for (unsigned i = 0; i < sockets_; ++i)
        for (unsigned t = 0; t < sockets_; ++t) {
            if (t == i) continue;
            const unsigned here = i % columns, there = t % columns;
            const unsigned along = here != there ? (there > here ? east : west) : (t > i ? south : north);
            routers_[i]->set_route(t, ports[i][along]);
        }
}

unsigned network::hops(unsigned from, unsigned to) const {
    if (from == to) return 0;
    if (spec_.topology == topology::mesh) {
        const unsigned columns = spec_.columns(sockets_);
        const auto apart = [](unsigned a, unsigned b) { return a < b ? b - a : a - b; };
        return apart(from % columns, to % columns) + apart(from / columns, to / columns);
    }
    if (spec_.topology == topology::central_switch) return 2;
    if (spec_.topology == topology::fully_connected) return 1;
    const unsigned distance = from < to ? to - from : from - to;
    return std::min(distance, sockets_ - distance);
}

core::sim_time network::latency(unsigned from, unsigned to) const {
    return (spec_.link.pipeline + spec_.link.propagation) * hops(from, to);
}

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

}  // namespace contraflow::gpu
