// SPDX-License-Identifier: Apache-2.0
// A weighted graph on the host: as a list of edges, and in compressed rows (CSR), the form for kernels.
#pragma once

#include <cstdint>
#include <vector>

namespace contraflow::workloads {

// The distance of a vertex to which no path leads.
inline constexpr std::uint32_t not_reached = ~std::uint32_t{0};

struct graph_edge {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::uint32_t weight = 1;
};

struct edge_list {
    std::uint32_t vertices = 0;
    std::vector<graph_edge> edges;  // in any order
};

struct csr_graph {
    std::uint32_t vertices = 0;
    std::vector<std::uint32_t> begin;  // vertices + 1 of them
    std::vector<std::uint32_t> to;     // ascending of each vertex
    std::vector<std::uint32_t> weight;

    std::uint32_t degree(std::uint32_t v) const { return begin[v + 1] - begin[v]; }
};

// The graph with every edge in both directions. Loops are left out, and of parallel edges only the lightest is kept.
// Throws std::invalid_argument on an edge to no vertex, and on more edges than 32 bits count.
csr_graph undirected(const edge_list& list);
// The same with each edge only in its own direction.
csr_graph directed(const edge_list& list);
// The graph with every edge reversed.
csr_graph reversed(const csr_graph& g);

// The vertex with the most edges; if several have the same number, the first.
std::uint32_t busiest_vertex(const csr_graph& g);
// The fewest edges from that vertex to each, or not_reached.
std::vector<std::uint32_t> levels_from(const csr_graph& g, std::uint32_t source);

}  // namespace contraflow::workloads
