// SPDX-License-Identifier: Apache-2.0
// Breadth-first search, level by level: vertex v belongs to rank v mod ranks. In each level a node visits the edges of
// its frontier and sends every other node a list of the vertices that it has found there, each vertex once in a run.
#pragma once

#include "config/fields.h"
#include "node_programs/node_program_if.h"
#include "workloads/graph/graph_source.h"

namespace contraflow::node_programs {

struct bfs_spec {
    workloads::graph_source graph;
    core::sim_time edge_time = core::sim_time::from_ns(1);
    core::sim_time launch = core::sim_time::from_us(5);

    static void describe(config::fields<bfs_spec>& f);
};

// Begins at the vertex with the most edges. Its operations are the edges of all vertices that are reached, from which
// TEPS is computed. text::input_error: the graph's file has an error.
std::unique_ptr<node_program_if> make_bfs(const bfs_spec& s, unsigned ranks);

}  // namespace contraflow::node_programs
