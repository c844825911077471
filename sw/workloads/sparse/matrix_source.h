// SPDX-License-Identifier: Apache-2.0
// Which sparse matrix a workload works on: that of a grid's five-point stencil, one of random columns, or one that is
// read from a file.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "config/fields.h"
#include "workloads/sparse/sparse_matrix.h"

namespace contraflow::workloads {

enum class matrix_kind : std::uint8_t { stencil, random, file };

struct matrix_source {
    matrix_kind kind = matrix_kind::random;
    std::uint32_t width = 64;
    std::uint32_t height = 64;
    std::uint32_t rows = 4096;
    std::uint32_t row_entries = 16;
    std::string file;
    std::uint64_t seed = 1;

    static void describe(config::fields<matrix_source>& f);
};

// Throws text::input_error if a file has an error.
csr_matrix make_matrix(const matrix_source& from);

}  // namespace contraflow::workloads

template <> struct contraflow::config::enum_names<contraflow::workloads::matrix_kind> {
    using kind = contraflow::workloads::matrix_kind;
    static constexpr std::array names{std::pair{kind::stencil, "stencil"}, std::pair{kind::random, "random"},
                                      std::pair{kind::file, "file"}};
};
