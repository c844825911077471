// SPDX-License-Identifier: Apache-2.0
// Which links a topology has, and by which of its links each node reaches each other one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "net/network_spec.h"

namespace contraflow::net {

// A link between two nodes; its A->B direction leads from `a` to `b`.
struct edge {
    unsigned a = 0;
    unsigned b = 0;
    bool cut = false;  // a ring's: whoever passes it changes to the second set of virtual channels
};

struct plan {
    unsigned ends = 0;   // nodes 0 to ends - 1 send and receive
    unsigned nodes = 0;  // a switch comes after them
    std::vector<edge> edges;
    // [node][target]: index of the edge to take first; of a node to itself meaningless.
    std::vector<std::vector<unsigned>> next;
    unsigned vcs = 2;  // that links need
};

// Of at least two ends.
plan plan_of(topology kind, unsigned ends);

// "switch" for the one that is no end.
std::string node_name(const plan& p, unsigned node);

}  // namespace contraflow::net
