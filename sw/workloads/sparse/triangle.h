// SPDX-License-Identifier: Apache-2.0
// Lower triangular systems L x = b, made from square matrices: L has the entries below the diagonal, and a diagonal of
// 1 plus the sum of the absolute values of the row's other entries. So |x| is at most the greatest |b|, errors in b
// and in the sums do not grow from row to row, and no pivot is small.
#pragma once

#include <cstdint>
#include <vector>

#include "workloads/sparse/sparse_matrix.h"

namespace contraflow::workloads {

// L by rows; the diagonal is the last entry of a row. Throws std::invalid_argument if the matrix is not square.
csr_matrix lower_triangle(const csr_matrix& m);

// Rows and columns exchanged; rows stay in ascending order.
csr_matrix transposed(const csr_matrix& m);

// x row by row, its terms in ascending order of columns.
std::vector<double> solve_forward(const csr_matrix& lower, const std::vector<double>& b);

// How far any two solutions differ at most of which each adds up a row's terms in an order of its own: twice the
// greatest error of one. The error of a row follows from those of the rows that it needs, and from the rounding of its
// own k terms (k u times their absolute sum), of the difference and of the division (2 u |x|), with u = 2^-53; source:
// Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, sections 3.1 and 4.2. A hundredth more stands
// for the terms of order u^2.
double solution_tolerance(const csr_matrix& lower, const std::vector<double>& x);

// The steps that a solution takes if each solves all rows whose needed rows are solved.
std::uint32_t levels_of(const csr_matrix& lower);

}  // namespace contraflow::workloads
