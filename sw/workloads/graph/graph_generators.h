// SPDX-License-Identifier: Apache-2.0
// Graphs made from a seed: R-MAT, where few vertices have most of the edges (networks of people and pages), and a grid
// of four neighbours each (roads, meshes).
// Source: Chakrabarti, Zhan, Faloutsos: R-MAT: A Recursive Model for Graph Mining, SDM 2004; with the probabilities of
// the Graph 500 benchmark.
#pragma once

#include <cstdint>
#include <vector>

#include "core/random.h"
#include "workloads/graph/graph.h"

namespace contraflow::workloads {

inline constexpr std::uint32_t heaviest_edge = 255;  // weights are 1 to that, as in the GAP benchmark suite

// 2^scale vertices (scale: at most 26), `edge_factor` edges each on average; numbers of vertices are shuffled, so that
// a vertex's number and degree are independent.
edge_list rmat_graph(unsigned scale, unsigned edge_factor, std::uint64_t seed);

// One edge of R-MAT among 2^scale vertices, before their numbers are shuffled.
struct rmat_place {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
};
rmat_place rmat_draw(unsigned scale, core::random_source& random);
// 0 to n-1 in any order.
std::vector<std::uint32_t> shuffled_numbers(std::uint32_t n, core::random_source& random);

// width x height vertices, row after row; each edge once.
edge_list grid_graph(std::uint32_t width, std::uint32_t height, std::uint64_t seed);

}  // namespace contraflow::workloads
