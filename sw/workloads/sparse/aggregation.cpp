// SPDX-License-Identifier: Apache-2.0
#include "workloads/sparse/aggregation.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/random.h"

namespace contraflow::workloads {
namespace {

constexpr std::uint32_t nowhere = 0xffffffffu;

using real_vector = std::vector<double>;

// An unknown takes all its neighbours if none of them has joined yet. An unknown that is left over joins a neighbour.
std::vector<std::uint32_t> join_neighbours(const csr_matrix& m, std::uint32_t& aggregates) {
    std::vector<std::uint32_t> of(m.rows, nowhere);
    const auto row = [&](std::uint32_t r) {
        return std::pair(m.column.begin() + m.row_begin[r], m.column.begin() + m.row_begin[r + 1]);
    };
    aggregates = 0;
    for (std::uint32_t r = 0; r < m.rows; ++r) {
        const auto [first, last] = row(r);
        if (of[r] != nowhere || std::any_of(first, last, [&](std::uint32_t c) { return of[c] != nowhere; })) continue;
        std::for_each(first, last, [&](std::uint32_t c) { of[c] = aggregates; });
        of[r] = aggregates++;
    }
    const auto roots = of;
    for (std::uint32_t r = 0; r < m.rows; ++r) {
        if (of[r] != nowhere) continue;
        const auto [first, last] = row(r);
        const auto joined = std::find_if(first, last, [&](std::uint32_t c) { return roots[c] != nowhere; });
        of[r] = joined != last ? roots[*joined] : aggregates++;
    }
    return of;
}

csr_matrix coarse_matrix(const csr_matrix& m, const std::vector<std::uint32_t>& aggregate, std::uint32_t aggregates) {
    entry_list sums{aggregates, aggregates, {}};
    for (std::uint32_t r = 0; r < m.rows; ++r)
        for (std::uint32_t i = m.row_begin[r]; i < m.row_begin[r + 1]; ++i)
            sums.entries.push_back({aggregate[r], aggregate[m.column[i]], m.value[i]});
    return to_csr(sums);
}

void name_members(aggregation_level& l, std::uint32_t aggregates) {
    l.member_begin.assign(std::size_t{aggregates} + 1, 0);
    for (const std::uint32_t a : l.aggregate) ++l.member_begin[a + 1];
    std::partial_sum(l.member_begin.begin(), l.member_begin.end(), l.member_begin.begin());
    l.member.resize(l.aggregate.size());
    auto next = l.member_begin;
    for (std::uint32_t r = 0; r < l.aggregate.size(); ++r) l.member[next[l.aggregate[r]]++] = r;
}

std::vector<double> inverse_diagonal(const csr_matrix& m) {
    std::vector<double> out(m.rows);
    for (std::uint32_t r = 0; r < m.rows; ++r)
        for (std::uint32_t i = m.row_begin[r]; i < m.row_begin[r + 1]; ++i)
            if (m.column[i] == r) out[r] = 1 / m.value[i];
    return out;
}

real_vector residual(const csr_matrix& m, const real_vector& x, const real_vector& b) {
    real_vector r = b;
    for (std::uint32_t row = 0; row < m.rows; ++row)
        for (std::uint32_t i = m.row_begin[row]; i < m.row_begin[row + 1]; ++i) r[row] -= m.value[i] * x[m.column[i]];
    return r;
}

void smooth(const aggregation_level& l, real_vector& x, const real_vector& b, unsigned sweeps) {
    for (unsigned s = 0; s < sweeps; ++s) {
        const real_vector r = residual(l.matrix, x, b);
        for (std::size_t i = 0; i < x.size(); ++i) x[i] += jacobi_damping * l.inverse_diagonal[i] * r[i];
    }
}

void v_cycle(const std::vector<aggregation_level>& levels, std::size_t at, real_vector& x, const real_vector& b,
             unsigned sweeps, unsigned bottom_sweeps) {
    const aggregation_level& l = levels[at];
    if (at + 1 == levels.size()) return smooth(l, x, b, bottom_sweeps);
    smooth(l, x, b, sweeps);
    const real_vector r = residual(l.matrix, x, b);
    real_vector coarse_b(levels[at + 1].matrix.rows), coarse_x(coarse_b.size());
    for (std::size_t i = 0; i < r.size(); ++i) coarse_b[l.aggregate[i]] += r[i];
    v_cycle(levels, at + 1, coarse_x, coarse_b, sweeps, bottom_sweeps);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += coarse_x[l.aggregate[i]];
    smooth(l, x, b, sweeps);
}

}  // namespace

std::vector<aggregation_level> aggregate_levels(csr_matrix finest, std::uint32_t coarsest) {
    std::vector<aggregation_level> levels;
    for (csr_matrix m = std::move(finest);;) {
        aggregation_level& l = levels.emplace_back();
        l.inverse_diagonal = inverse_diagonal(m);
        l.matrix = std::move(m);
        if (l.matrix.rows <= coarsest) return levels;
        std::uint32_t aggregates = 0;
        l.aggregate = join_neighbours(l.matrix, aggregates);
        if (aggregates == l.matrix.rows) {
            l.aggregate.clear();
            return levels;
        }
        name_members(l, aggregates);
        m = coarse_matrix(l.matrix, l.aggregate, aggregates);
    }
}

csr_matrix cube_laplacian(std::uint32_t side, bool shuffled, std::uint64_t seed) {
    entry_list list;
    list.rows = list.columns = side * side * side;
    std::vector<std::uint32_t> name(list.rows);
    std::iota(name.begin(), name.end(), 0u);
    core::random_source random(seed);
    if (shuffled) core::shuffle(name, random);
    const auto tie = [&](std::uint32_t i, std::uint32_t stride, std::uint32_t along) {
        list.entries.push_back({name[i], name[i], 2});
        if (along > 0) list.entries.push_back({name[i], name[i - stride], -1});
        if (along + 1 < side) list.entries.push_back({name[i], name[i + stride], -1});
    };
    for (std::uint32_t i = 0; i < list.rows; ++i) {
        tie(i, 1, i % side);
        tie(i, side, i / side % side);
        tie(i, side * side, i / side / side);
    }
    return to_csr(list);
}

std::vector<double> solve_by_aggregation(const std::vector<aggregation_level>& levels, const std::vector<double>& b,
                                         unsigned cycles, unsigned sweeps, unsigned bottom_sweeps) {
    real_vector x(b.size());
    for (unsigned c = 0; c < cycles; ++c) v_cycle(levels, 0, x, b, sweeps, bottom_sweeps);
    return x;
}

}  // namespace contraflow::workloads
