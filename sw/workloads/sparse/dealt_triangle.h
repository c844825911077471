// SPDX-License-Identifier: Apache-2.0
// A lower triangle whose rows are dealt out in blocks to the processing elements (PEs) of a machine, block k to PE
// k mod n, for a solution without barriers. What a PE's rows add to a row of another PE is first summed up by itself:
// when the last term is in, the sum is sent, once, to a place that belongs to that row and that sender.
//
//   a row of a PE waits until   its own terms are in    and   a sum is in each of its places
//   x = (b - sum of own terms - received sums) / diagonal
#pragma once

#include <cstdint>
#include <vector>

#include "workloads/sparse/sparse_matrix.h"

namespace contraflow::workloads {

struct row_deal {
    std::uint32_t block = 32;  // rows
    unsigned pes = 1;

    unsigned pe_of(std::uint32_t row) const { return row / block % pes; }
    // Its place among the rows of its PE; these keep their order.
    std::uint32_t place_of(std::uint32_t row) const { return row / block / pes * block + row % block; }
};

// What a PE has. Its rows are named by their places.
struct triangle_part {
    // A sum for a row of another PE.
    struct sent_sum {
        unsigned to = 0;
        std::uint32_t place = 0;  // of the received sums there
        std::uint32_t terms = 0;
    };
    std::vector<std::uint32_t> rows;  // their numbers in the whole matrix
    std::vector<double> diagonal;
    std::vector<std::uint32_t> terms;  // of each row, from rows of this PE
    // Received sums: row r has the places received_begin[r] to received_begin[r + 1] - 1.
    std::vector<std::uint32_t> received_begin;
    std::vector<sent_sum> sent;
    // The columns of the PE's rows, without the diagonal. A target below rows.size() is a row, above it the sum
    // sent[target - rows.size()]; ascending in a column among the rows and among the sums.
    std::vector<std::uint32_t> column_begin, target;
    std::vector<double> value;
};

// The lower triangle as lower_triangle() makes it.
std::vector<triangle_part> deal_out(const csr_matrix& lower, const row_deal& how);

}  // namespace contraflow::workloads
