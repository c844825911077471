// SPDX-License-Identifier: Apache-2.0
#include "workloads/graph/graph_source.h"

#include "workloads/graph/edge_list_file.h"
#include "workloads/graph/graph_generators.h"

namespace contraflow::workloads {
namespace {

edge_list edges_of(const graph_source& from) {
    switch (from.kind) {
    case graph_kind::grid: return grid_graph(from.width, from.height, from.seed);
    case graph_kind::file: return read_edge_list(from.file);
    case graph_kind::rmat: break;
    }
    return rmat_graph(from.scale, from.edge_factor, from.seed);
}

}  // namespace

void graph_source::describe(config::fields<graph_source>& f) {
    f("kind", &graph_source::kind).text("few vertices with most of the edges, a grid of roads, or read from a file");
    f("scale", &graph_source::scale).in(1, 22).text("rmat: it has 2^scale vertices");
    f("edge_factor", &graph_source::edge_factor).in(1, 64).text("rmat: edges a vertex on average");
    f("width", &graph_source::width).in(1, 8192).text("grid: vertices in x");
    f("height", &graph_source::height).in(1, 8192).text("grid: vertices in y");
    f("file", &graph_source::file).text("file: a line an edge, 'from to' or 'from to weight', vertices from 0");
    f("directed", &graph_source::directed).text("edges lead in their own direction only");
    f("seed", &graph_source::seed).text("seed of what is random in rmat and grid");
}

csr_graph make_graph(const graph_source& from) {
    const edge_list edges = edges_of(from);
    return from.directed ? directed(edges) : undirected(edges);
}

}  // namespace contraflow::workloads
