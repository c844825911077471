// SPDX-License-Identifier: Apache-2.0
#include "workloads/sparse/matrix_source.h"

#include "core/random.h"
#include "workloads/sparse/matrix_generators.h"
#include "workloads/sparse/matrix_market.h"

namespace contraflow::workloads {
namespace {

entry_list five_point_stencil(std::uint32_t width, std::uint32_t height) {
    entry_list list;
    list.rows = list.columns = width * height;
    list.entries.reserve(std::size_t{list.rows} * 5);
    for (std::uint32_t y = 0; y < height; ++y) {
        for (std::uint32_t x = 0; x < width; ++x) {
            const std::uint32_t i = y * width + x;
            list.entries.push_back({i, i, 4});
            if (x > 0) list.entries.push_back({i, i - 1, -1});
            if (x + 1 < width) list.entries.push_back({i, i + 1, -1});
            if (y > 0) list.entries.push_back({i, i - width, -1});
            if (y + 1 < height) list.entries.push_back({i, i + width, -1});
        }
    }
    return list;
}

// Random columns, values in (-1, 1]; entries with the same row and column are added up.
entry_list random_matrix(std::uint32_t rows, std::uint32_t row_entries, std::uint64_t seed) {
    core::random_source random(seed);
    entry_list list;
    list.rows = list.columns = rows;
    list.entries.reserve(std::size_t{rows} * row_entries);
    for (std::uint32_t r = 0; r < rows; ++r)
        for (std::uint32_t k = 0; k < row_entries; ++k) {
            const auto column = static_cast<std::uint32_t>(random.below(rows));
            list.entries.push_back({r, column, 2 * random.unit() - 1});
        }
    return list;
}

}  // namespace

matrix_source matrix_source::of(matrix_preset p) {
    matrix_source s;
    const auto is = [&s](matrix_kind kind, std::uint32_t rows, std::uint32_t entries) {
        s.kind = kind;
        s.rows = rows;
        s.entries = entries;
    };
    switch (p) {
    case matrix_preset::none: break;
    case matrix_preset::road_central: is(matrix_kind::road, 14'081'816, 33'866'826); break;
    case matrix_preset::asic_320ks: is(matrix_kind::circuit, 321'671, 1'316'085); break;
    case matrix_preset::nlpkkt80: is(matrix_kind::kkt, 1'062'400, 28'192'672); break;
    case matrix_preset::nlpkkt120: is(matrix_kind::kkt, 3'542'400, 95'117'792); break;
    case matrix_preset::wiki_talk: is(matrix_kind::web, 2'394'385, 5'021'410); break;
    }
    return s;
}

void matrix_source::describe(config::fields<matrix_source>& f) {
    f("kind", &matrix_source::kind)
        .text(
            "five-point stencil of a grid, random columns, the structure of a road network, a circuit, an optimisation "
            "or a web, or read from a file");
    f("width", &matrix_source::width).in(1, 8192).text("stencil: points in x");
    f("height", &matrix_source::height).in(1, 8192).text("stencil: points in y");
    f("rows", &matrix_source::rows).in(1, 1 << 24).text("all but stencil and file: rows and columns");
    f("row_entries", &matrix_source::row_entries).in(1, 256).text("random: entries of a row");
    f("entries", &matrix_source::entries).in(1, 1 << 27).text("road, circuit, kkt, web: entries, exactly");
    f("file", &matrix_source::file).text("file: a file in the Matrix Market format");
    f("seed", &matrix_source::seed).text("all but stencil and file: seed of places and values");
}

void matrix_choice::describe(config::fields<matrix_choice>& f) {
    f("preset", &matrix_choice::preset)
        .text("rows, entries and kind of a matrix of the SuiteSparse collection; the other keys change them");
}

std::vector<config::problem> problems_of(const matrix_source& s) {
    std::string why;
    switch (s.kind) {
    case matrix_kind::road: why = road_refusal(s.rows, s.entries); break;
    case matrix_kind::circuit: why = circuit_refusal(s.rows, s.entries); break;
    case matrix_kind::kkt: why = kkt_refusal(s.rows, s.entries); break;
    case matrix_kind::web: why = web_refusal(s.rows, s.entries); break;
    case matrix_kind::stencil:
    case matrix_kind::random:
    case matrix_kind::file: break;
    }
    if (why.empty()) return {};
    return {{why,
             {{"entries", "a number that these rows have room for"},
              {"rows", "a number that has room for these entries"}}}};
}

csr_matrix make_matrix(const matrix_source& from) {
    switch (from.kind) {
    case matrix_kind::stencil: return to_csr(five_point_stencil(from.width, from.height));
    case matrix_kind::road: return road_matrix(from.rows, from.entries, from.seed);
    case matrix_kind::circuit: return circuit_matrix(from.rows, from.entries, from.seed);
    case matrix_kind::kkt: return kkt_matrix(from.rows, from.entries, from.seed);
    case matrix_kind::web: return web_matrix(from.rows, from.entries, from.seed);
    case matrix_kind::file: return to_csr(read_matrix_market(from.file));
    case matrix_kind::random: break;
    }
    return to_csr(random_matrix(from.rows, from.row_entries, from.seed));
}

}  // namespace contraflow::workloads
