// SPDX-License-Identifier: Apache-2.0
#include "net/topology.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

namespace contraflow::net {
namespace {

constexpr unsigned nowhere = ~0u;

wiring nodes_alone(unsigned nodes) {
    wiring w;
    for (unsigned i = 0; i < nodes; ++i) w.routers.push_back(fmt::format("node{}", i));
    return w;
}

void join(wiring& w, unsigned a, unsigned b, unsigned dimension = 0, bool dateline = false) {
    w.wires.push_back({fmt::format("link{}_{}", a, b), a, b, dimension, dateline});
}

void clear_routes(wiring& w, unsigned nodes) {
    w.routes.assign(w.routers.size(), std::vector<unsigned>(nodes, nowhere));
}

wiring star(unsigned nodes) {
    wiring w = nodes_alone(nodes);
    w.routers.emplace_back("switch");
    clear_routes(w, nodes);
    for (unsigned i = 0; i < nodes; ++i) {
        w.wires.push_back({fmt::format("link{}", i), i, nodes});
        w.routes[nodes][i] = i;
        for (unsigned t = 0; t < nodes; ++t)
            if (t != i) w.routes[i][t] = i;
    }
    return w;
}

wiring pairs(unsigned nodes) {
    wiring w = nodes_alone(nodes);
    clear_routes(w, nodes);
    for (unsigned i = 0; i < nodes; ++i)
        for (unsigned j = i + 1; j < nodes; ++j) {
            w.routes[i][j] = w.routes[j][i] = static_cast<unsigned>(w.wires.size());
            join(w, i, j);
        }
    return w;
}

// If both directions are equally long, even nodes take one, odd nodes the other.
wiring ring(unsigned nodes) {
    wiring w = nodes_alone(nodes);
    clear_routes(w, nodes);
    w.levels = 2;
    for (unsigned i = 0; i < nodes; ++i) join(w, i, (i + 1) % nodes, 0, i + 1 == nodes);
    for (unsigned i = 0; i < nodes; ++i)
        for (unsigned distance = 1; distance < nodes; ++distance) {
            const unsigned back = nodes - distance;
            const bool upwards = distance < back || (distance == back && i % 2 == 0);
            w.routes[i][(i + distance) % nodes] = upwards ? i : (i + nodes - 1) % nodes;
        }
    return w;
}

// Nodes are numbered along the first dimension first. A ring of two is one wire. If both directions are equally long,
// the positive one is taken.
wiring grid(const network_spec& s, unsigned nodes, bool rings) {
    const std::array<unsigned, 3> size = s.shape(nodes);
    if (size[0] * size[1] * size[2] != nodes)
        throw std::invalid_argument(
            fmt::format("network: {} nodes make no {} by {} by {}", nodes, size[0], size[1], size[2]));
    const std::array<unsigned, 3> stride{1, size[0], size[0] * size[1]};
    const auto closes = [&](unsigned d) { return rings && size[d] > 2; };
    wiring w = nodes_alone(nodes);
    clear_routes(w, nodes);
    std::vector<std::array<unsigned, 6>> towards(nodes);  // wires, by dimension and sign
    for (unsigned i = 0; i < nodes; ++i)
        for (unsigned d = 0; d < 3; ++d) {
            const bool last = i / stride[d] % size[d] + 1 == size[d];
            if (last && !closes(d)) continue;
            const unsigned next = last ? i - (size[d] - 1) * stride[d] : i + stride[d];
            towards[i][2 * d + 1] = towards[next][2 * d] = static_cast<unsigned>(w.wires.size());
            join(w, i, next, d, last);
            if (last) w.levels = 2;
        }
    for (unsigned i = 0; i < nodes; ++i)
        for (unsigned t = 0; t < nodes; ++t)
            for (unsigned d = 0; d < 3; ++d) {
                const unsigned here = i / stride[d] % size[d], there = t / stride[d] % size[d];
                if (here == there) continue;
                const unsigned ahead = (there + size[d] - here) % size[d];
                const bool positive = closes(d) ? ahead <= size[d] - ahead : there > here;
                w.routes[i][t] = towards[i][2 * d + (positive ? 1 : 0)];
                break;
            }
    return w;
}

wiring tree(unsigned nodes, unsigned arity) {
    if (arity < 2) throw std::invalid_argument("network: a switch of a tree has two below it, or more");
    wiring w = nodes_alone(nodes);
    std::vector<unsigned> row;
    for (unsigned i = 0; i < nodes; ++i) row.push_back(i);
    std::vector<unsigned> above(nodes, nowhere);  // wire towards the top
    while (row.size() > 1) {
        std::vector<unsigned> switches;
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (i % arity == 0) {
                switches.push_back(static_cast<unsigned>(w.routers.size()));
                w.routers.push_back(fmt::format("switch{}", w.routers.size() - nodes));
                above.push_back(nowhere);
            }
            above[row[i]] = static_cast<unsigned>(w.wires.size());
            join(w, row[i], switches.back());
        }
        row = std::move(switches);
    }
    for (const unsigned up : above) w.routes.emplace_back(nodes, up);
    for (unsigned t = 0; t < nodes; ++t) {
        for (unsigned below = t; above[below] != nowhere;) {
            const unsigned wire = above[below];
            below = w.wires[wire].b;
            w.routes[below][t] = wire;
        }
        w.routes[t][t] = nowhere;
    }
    return w;
}

}  // namespace

void network_spec::describe(config::fields<network_spec>& f) {
    f("kind", &network_spec::topology)
        .text("what joins the nodes: a switch, a link for each pair, a ring of neighbours, rows and columns of them "
              "(mesh), the same with a ring in each (torus), or a tree of switches");
    describe_shape(f);
    f("link", &network_spec::link).text("each link; two virtual channels a direction, four in a ring or torus");
    f.renamed("topology", "kind");
}

std::array<unsigned, 3> network_spec::shape(unsigned count) const {
    std::array<unsigned, 3> size{1, 1, 1};
    if (nodes.empty()) {
        while (size[0] * size[0] < count || count % size[0] != 0) ++size[0];
        size[1] = count / size[0];
    }
    std::copy_n(nodes.begin(), std::min(nodes.size(), size.size()), size.begin());
    return size;
}

unsigned wiring::hops(unsigned from, unsigned to) const {
    unsigned n = 0;
    for (; from != to; ++n) from = across(routes[from][to], from);
    return n;
}

unsigned wiring::wires_of(unsigned router) const {
    unsigned n = 0;
    for (const wire& w : wires) n += w.a == router || w.b == router;
    return n;
}

wiring wired(const network_spec& s, unsigned nodes) {
    // A mesh or torus of one node has no links, and packets that the node sends to itself; a switch has one link.
    const bool alone =
        s.topology == topology::mesh || s.topology == topology::torus || s.topology == topology::central_switch;
    if (nodes < (alone ? 1u : 2u)) throw std::invalid_argument("network: a network joins two nodes or more");
    switch (s.topology) {
    case topology::central_switch: return star(nodes);
    case topology::fully_connected: return pairs(nodes);
    case topology::ring: return nodes == 2 ? pairs(nodes) : ring(nodes);
    case topology::mesh: return grid(s, nodes, false);
    case topology::torus: return grid(s, nodes, true);
    case topology::tree: return tree(nodes, s.tree_arity);
    }
    throw std::invalid_argument("network: no such topology");
}

std::vector<std::string> link_names(const network_spec& s, unsigned nodes) {
    std::vector<std::string> names;
    if (nodes < 2) return names;
    for (wiring::wire& w : wired(s, nodes).wires) names.push_back(std::move(w.name));
    return names;
}

}  // namespace contraflow::net
