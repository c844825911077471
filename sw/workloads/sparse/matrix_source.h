// SPDX-License-Identifier: Apache-2.0
// Which sparse matrix a workload works on: one that is made (a grid's five-point stencil, random columns, or the
// structure of a kind of problem), or one that is read from a file.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "config/fields.h"
#include "config/tree/problem.h"
#include "workloads/sparse/sparse_matrix.h"

namespace contraflow::workloads {

enum class matrix_kind : std::uint8_t { stencil, random, road, circuit, kkt, web, file };

// Matrices of the SuiteSparse collection whose rows, entries and kind of structure are known.
enum class matrix_preset : std::uint8_t { none, road_central, asic_320ks, nlpkkt80, nlpkkt120, wiki_talk };

struct matrix_source {
    matrix_kind kind = matrix_kind::random;
    std::uint32_t width = 64;
    std::uint32_t height = 64;
    std::uint32_t rows = 4096;
    std::uint32_t row_entries = 16;
    std::uint32_t entries = 9840;
    std::string file;
    std::uint64_t seed = 1;

    // One that is made anew with the collection's rows and entries.
    static matrix_source of(matrix_preset p);
    static void describe(config::fields<matrix_source>& f);
};

// Rows and entries that the kind cannot have.
std::vector<config::problem> problems_of(const matrix_source& s);

// Throws text::input_error if a file has an error.
csr_matrix make_matrix(const matrix_source& from);

// {preset: road_central, seed: 2}: a preset's values, and the changes to them.
struct matrix_choice {
    matrix_preset preset = matrix_preset::none;
    matrix_source values;

    config::chosen_part chosen() { return {&config::structure_of<matrix_source>(), &values}; }
    void settle(const matrix_choice& like) {
        preset = like.preset;
        if (preset != matrix_preset::none) values = matrix_source::of(preset);
    }
    static void describe(config::fields<matrix_choice>& f);
};

}  // namespace contraflow::workloads

template <> struct contraflow::config::enum_names<contraflow::workloads::matrix_kind> {
    using kind = contraflow::workloads::matrix_kind;
    static constexpr std::array names{std::pair{kind::stencil, "stencil"}, std::pair{kind::random, "random"},
                                      std::pair{kind::road, "road"},       std::pair{kind::circuit, "circuit"},
                                      std::pair{kind::kkt, "kkt"},         std::pair{kind::web, "web"},
                                      std::pair{kind::file, "file"}};
};
template <> struct contraflow::config::enum_names<contraflow::workloads::matrix_preset> {
    using preset = contraflow::workloads::matrix_preset;
    static constexpr std::array names{std::pair{preset::none, "none"},
                                      std::pair{preset::road_central, "road_central"},
                                      std::pair{preset::asic_320ks, "asic_320ks"},
                                      std::pair{preset::nlpkkt80, "nlpkkt80"},
                                      std::pair{preset::nlpkkt120, "nlpkkt120"},
                                      std::pair{preset::wiki_talk, "wiki_talk"}};
};
