// SPDX-License-Identifier: Apache-2.0
// Square matrices made from a seed, with exactly the rows and entries asked for and the structure of a kind of problem.
// Values are in (-1, 1]. Time grows with rows and entries (web and circuit: times the logarithm of a sort); memory is
// the matrix and 4 to 16 bytes a row or entry.
//
// Sources of sizes and structures: Davis, Hu: The University of Florida Sparse Matrix Collection, ACM TOMS 38, 2011,
// and the collection's pages of DIMACS10/road_central (undirected graph, one component, no diagonal),
// Sandia/ASIC_320ks, Schenk/nlpkkt80 and nlpkkt120, SNAP/wiki-Talk. What a generator's description calls assumed is not
// in them.
#pragma once

#include <cstdint>
#include <string>

#include "workloads/sparse/sparse_matrix.h"

namespace contraflow::workloads {

// Each refuses what its *_refusal() gives a text for, with std::invalid_argument.

// A road network: symmetric, planar, no diagonal, at most 4 entries a row. Crossings are points of a square grid; a
// random tree of its edges joins all of them (if there are entries enough), further edges close loops. Numbers are
// given district by district, of 64 x 64 crossings, at random within a district (assumed).
csr_matrix road_matrix(std::uint32_t rows, std::uint32_t entries, std::uint64_t seed);
std::string road_refusal(std::uint32_t rows, std::uint32_t entries);

// A circuit: full diagonal, symmetric pattern (but for one entry where rows and entries differ by an odd number). Most
// nodes have few neighbours, at distances whose logarithms are equally distributed; one node in 8192 is a net that
// joins many: these have every 32nd of the connections (assumed).
csr_matrix circuit_matrix(std::uint32_t rows, std::uint32_t entries, std::uint64_t seed);
std::string circuit_refusal(std::uint32_t rows, std::uint32_t entries);

// Equality-constrained optimisation, [H A^T; A 0], symmetric: states in the points of a cube, controls on its faces,
// and an equation for each point. H is diagonal. A couples an equation with the states of its 27 neighbouring points
// and the controls of its 9 neighbours on each face. The complete pattern of a cube of side n has 2 n^3 + 6 n^2 rows
// and n^3 + 6 n^2 + 2 (3n - 2)^3 + 12 (3n - 2)^2 entries, which are exactly those of nlpkkt80 and nlpkkt120. Further
// rows are further controls; fewer entries leave out couplings at random, more couple states within H.
csr_matrix kkt_matrix(std::uint32_t rows, std::uint32_t entries, std::uint64_t seed);
std::string kkt_refusal(std::uint32_t rows, std::uint32_t entries);

// Links of pages or people: R-MAT (graph_generators.h) without loops, unsymmetric, no diagonal; rows may be empty.
csr_matrix web_matrix(std::uint32_t rows, std::uint32_t entries, std::uint64_t seed);
std::string web_refusal(std::uint32_t rows, std::uint32_t entries);

}  // namespace contraflow::workloads
