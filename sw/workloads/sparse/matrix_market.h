// SPDX-License-Identifier: Apache-2.0
// Reads sparse matrices in the Matrix Market exchange format: coordinate; real, integer or pattern; general or
// symmetric. Memory is bounded by the file's real content and by the limits, not by its header.
// Source: Boisvert, Pozo, Remington: The Matrix Market Exchange Formats: Initial Design, NISTIR 5935, 1996.
#pragma once

#include <cstdint>
#include <istream>
#include <string>

#include "workloads/sparse/sparse_matrix.h"

namespace contraflow::workloads {

struct matrix_limits {
    std::uint32_t rows = 1u << 26;       // and columns
    std::uint64_t entries = 1ull << 28;  // after a symmetric matrix has been completed
};

// Entries of a pattern are 1; both halves of a symmetric matrix are in the list. Throws text::input_error.
entry_list read_matrix_market(std::istream& in, const std::string& name, const matrix_limits& limits = {});
entry_list read_matrix_market(const std::string& path, const matrix_limits& limits = {});

}  // namespace contraflow::workloads
