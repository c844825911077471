// SPDX-License-Identifier: Apache-2.0
// How nodes are joined and which routes packets take: wires, and for each router the wire towards each node. All of it
// is computed here, without a simulation; a network is built from it.
// Why there is no deadlock: requests and responses have virtual channels of their own, and responses are always taken
// at their end; so it is enough that no channels of one class wait for one another in a cycle.
//   - fully_connected, switch, tree: there is one path, and a packet never returns to a channel that it has left.
//   - mesh: a packet goes along the first dimension before the second and third, and never reverses within a dimension:
//     some of the turns that a cycle needs never occur.
//   - ring, and each dimension of a torus: the wire that closes the ring is the dateline. A packet that crosses it
//     changes to a second channel of its class, and stays there until it turns into another dimension.
// tests/net/topology_test.cpp looks for cycles among the channels of every topology.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "config/fields.h"
#include "link/link_spec.h"

namespace contraflow::net {

enum class topology {
    central_switch,   // a wire from each node to a switch
    fully_connected,  // a wire for each pair of nodes
    ring,             // a wire to each neighbour; packets take the shorter direction
    mesh,             // a line, rows and columns, or planes of them
    torus,            // a mesh whose lines are rings
    tree,             // switches above nodes, and switches above those, up to one
};

struct network_spec {
    net::topology topology = topology::central_switch;
    std::vector<std::uint32_t> nodes;  // mesh or torus, per dimension; empty: as near to a square as full rows allow
    unsigned tree_arity = 2;           // nodes or switches below a switch of a tree
    link::link_spec link;

    // Topology and links: the part that matters for studies of lanes.
    static void describe(config::fields<network_spec>& f);
    // The keys of meshes, tori and trees; also for structs that contain a network_spec.
    template <class S> static void describe_shape(config::fields<S>& f) {
        f("nodes", &S::nodes)
            .in(1, 64)
            .check([](const std::vector<std::uint32_t>& n) { return n.size() <= 3; }, "up to three numbers")
            .text("nodes of each dimension of a mesh or torus, as in [4, 2]; none: as near to a square as whole rows "
                  "allow");
        f.renamed("mesh_columns", "nodes");
        f.renamed("mesh_rows", "nodes");
        f("tree_arity", &S::tree_arity).in(2, 64).text("nodes or switches below each switch of a tree");
    }
    // Columns, rows and planes; a network needs their product to be the number of nodes.
    std::array<unsigned, 3> shape(unsigned nodes) const;
};

struct wiring {
    // Side a of its link is at router a.
    struct wire {
        std::string name;
        unsigned a = 0, b = 0;
        unsigned dimension = 0;
        bool dateline = false;
    };
    std::vector<std::string> routers;           // names; nodes first, then switches
    std::vector<wire> wires;                    // a router's ports are its wires in this order
    std::vector<std::vector<unsigned>> routes;  // wire, by router and node
    unsigned levels = 1;                        // virtual channels a class

    unsigned across(unsigned wire, unsigned from) const {
        return wires[wire].a == from ? wires[wire].b : wires[wire].a;
    }
    // The level of a packet's channel after a step along a dimension or into another one.
    unsigned next_level(unsigned wire, unsigned from_dimension, unsigned level) const {
        return next_level(wires[wire].dimension, wires[wire].dateline, from_dimension, level);
    }
    static unsigned next_level(unsigned dimension, bool dateline, unsigned from_dimension, unsigned level) {
        return dateline || (dimension == from_dimension && level == 1) ? 1 : 0;
    }
    unsigned hops(unsigned from, unsigned to) const;
    unsigned wires_of(unsigned router) const;
};

// "link0" joins node 0 and the switch, "link0_1" nodes 0 and 1; in a tree, routers are numbered as in the wiring. For
// two nodes or more, or one at a switch or in a grid; throws std::invalid_argument if it cannot be built.
wiring wired(const network_spec& s, unsigned nodes);
// The names of its links; a single node has none.
std::vector<std::string> link_names(const network_spec& s, unsigned nodes);

}  // namespace contraflow::net

template <> struct contraflow::config::enum_names<contraflow::net::topology> {
    using e = contraflow::net::topology;
    static constexpr std::array names{std::pair{e::central_switch, "switch"},
                                      std::pair{e::fully_connected, "fully_connected"},
                                      std::pair{e::ring, "ring"},
                                      std::pair{e::mesh, "mesh"},
                                      std::pair{e::torus, "torus"},
                                      std::pair{e::tree, "tree"}};
    static constexpr std::array renamed{std::pair{"all_pairs", "fully_connected"}};
};
