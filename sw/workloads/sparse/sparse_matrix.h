// SPDX-License-Identifier: Apache-2.0
// A sparse matrix on the host: as a list of entries, and in compressed rows (CSR), the form for kernels.
#pragma once

#include <cstdint>
#include <vector>

namespace contraflow::workloads {

struct matrix_entry {
    std::uint32_t row = 0;
    std::uint32_t column = 0;
    double value = 0;
};

struct entry_list {
    std::uint32_t rows = 0;
    std::uint32_t columns = 0;
    std::vector<matrix_entry> entries;  // in any order
};

struct csr_matrix {
    std::uint32_t rows = 0;
    std::uint32_t columns = 0;
    std::vector<std::uint32_t> row_begin;  // rows + 1 of them
    std::vector<std::uint32_t> column;     // ascending in a row
    std::vector<double> value;
};

// Entries with the same row and column are added up, in the order of the list. Throws std::invalid_argument for an
// entry outside of the matrix, and for more entries than 32 bits can count.
csr_matrix to_csr(const entry_list& list);

}  // namespace contraflow::workloads
