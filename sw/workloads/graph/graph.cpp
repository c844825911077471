// SPDX-License-Identifier: Apache-2.0
#include "workloads/graph/graph.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace contraflow::workloads {
namespace {

void check(const edge_list& list) {
    if (list.edges.size() > std::numeric_limits<std::uint32_t>::max() / 2)
        throw std::invalid_argument(fmt::format("{} edges are more than 32 bits count", list.edges.size()));
    for (const graph_edge& e : list.edges)
        if (e.from >= list.vertices || e.to >= list.vertices)
            throw std::invalid_argument(
                fmt::format("edge from {} to {} in a graph of {} vertices", e.from, e.to, list.vertices));
}

csr_graph from_edges(std::uint32_t vertices, std::vector<graph_edge> edges) {
    std::erase_if(edges, [](const graph_edge& e) { return e.from == e.to; });
    std::sort(edges.begin(), edges.end(), [](const graph_edge& a, const graph_edge& b) {
        return std::pair(std::pair(a.from, a.to), a.weight) < std::pair(std::pair(b.from, b.to), b.weight);
    });
    edges.erase(std::unique(edges.begin(), edges.end(),
                            [](const graph_edge& a, const graph_edge& b) { return a.from == b.from && a.to == b.to; }),
                edges.end());

    csr_graph g;
    g.vertices = vertices;
    g.begin.assign(std::size_t{vertices} + 1, 0);
    for (const graph_edge& e : edges) {
        ++g.begin[std::size_t{e.from} + 1];
        g.to.push_back(e.to);
        g.weight.push_back(e.weight);
    }
    std::partial_sum(g.begin.begin(), g.begin.end(), g.begin.begin());
    return g;
}

}  // namespace

csr_graph undirected(const edge_list& list) {
    check(list);
    std::vector<graph_edge> both;
    both.reserve(2 * list.edges.size());
    for (const graph_edge& e : list.edges) {
        both.push_back(e);
        both.push_back({e.to, e.from, e.weight});
    }
    return from_edges(list.vertices, std::move(both));
}

csr_graph directed(const edge_list& list) {
    check(list);
    return from_edges(list.vertices, list.edges);
}

csr_graph reversed(const csr_graph& g) {
    std::vector<graph_edge> turned;
    turned.reserve(g.to.size());
    for (std::uint32_t v = 0; v < g.vertices; ++v)
        for (std::uint32_t i = g.begin[v]; i < g.begin[v + 1]; ++i) turned.push_back({g.to[i], v, g.weight[i]});
    return from_edges(g.vertices, std::move(turned));
}

std::uint32_t busiest_vertex(const csr_graph& g) {
    std::uint32_t best = 0;
    for (std::uint32_t v = 1; v < g.vertices; ++v)
        if (g.degree(v) > g.degree(best)) best = v;
    return best;
}

std::vector<std::uint32_t> levels_from(const csr_graph& g, std::uint32_t source) {
    std::vector<std::uint32_t> level(g.vertices, not_reached);
    std::vector<std::uint32_t> order{source};
    level[source] = 0;
    for (std::size_t next = 0; next < order.size(); ++next) {
        const std::uint32_t v = order[next];
        for (std::uint32_t i = g.begin[v]; i < g.begin[v + 1]; ++i) {
            if (level[g.to[i]] != not_reached) continue;
            level[g.to[i]] = level[v] + 1;
            order.push_back(g.to[i]);
        }
    }
    return level;
}

}  // namespace contraflow::workloads
