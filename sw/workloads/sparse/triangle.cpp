// SPDX-License-Identifier: Apache-2.0
#include "workloads/sparse/triangle.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include <fmt/format.h>

namespace contraflow::workloads {

csr_matrix lower_triangle(const csr_matrix& m) {
    if (m.rows != m.columns)
        throw std::invalid_argument(fmt::format(
            "a matrix of {} rows and {} columns has no triangle to solve: it must be square", m.rows, m.columns));
    csr_matrix l;
    l.rows = l.columns = m.rows;
    l.row_begin.reserve(std::size_t{m.rows} + 1);
    l.row_begin.push_back(0);
    for (std::uint32_t r = 0; r < m.rows; ++r) {
        double others = 0;
        for (std::uint32_t i = m.row_begin[r]; i < m.row_begin[r + 1] && m.column[i] < r; ++i) {
            l.column.push_back(m.column[i]);
            l.value.push_back(m.value[i]);
            others += std::abs(m.value[i]);
        }
        l.column.push_back(r);
        l.value.push_back(1 + others);
        l.row_begin.push_back(static_cast<std::uint32_t>(l.column.size()));
    }
    return l;
}

csr_matrix transposed(const csr_matrix& m) {
    csr_matrix t;
    t.rows = m.columns;
    t.columns = m.rows;
    // While entries are stored, row_begin[r + 1] is the next place of row r; in the end it is that of row r + 1.
    t.row_begin.assign(std::size_t{t.rows} + 2, 0);
    for (const std::uint32_t c : m.column) ++t.row_begin[std::size_t{c} + 2];
    std::partial_sum(t.row_begin.begin(), t.row_begin.end(), t.row_begin.begin());
    t.column.resize(m.column.size());
    t.value.resize(m.value.size());
    for (std::uint32_t r = 0; r < m.rows; ++r)
        for (std::uint32_t i = m.row_begin[r]; i < m.row_begin[r + 1]; ++i) {
            const std::uint32_t to = t.row_begin[std::size_t{m.column[i]} + 1]++;
            t.column[to] = r;
            t.value[to] = m.value[i];
        }
    t.row_begin.pop_back();
    return t;
}

std::vector<double> solve_forward(const csr_matrix& lower, const std::vector<double>& b) {
    std::vector<double> x(lower.rows);
    for (std::uint32_t r = 0; r < lower.rows; ++r) {
        const std::uint32_t diagonal = lower.row_begin[r + 1] - 1;
        double sum = 0;
        for (std::uint32_t i = lower.row_begin[r]; i < diagonal; ++i) sum += lower.value[i] * x[lower.column[i]];
        x[r] = (b[r] - sum) / lower.value[diagonal];
    }
    return x;
}

double solution_tolerance(const csr_matrix& lower, const std::vector<double>& x) {
    constexpr double u = 0x1p-53;
    std::vector<double> error(lower.rows);
    double greatest = 0;
    for (std::uint32_t r = 0; r < lower.rows; ++r) {
        const std::uint32_t diagonal = lower.row_begin[r + 1] - 1;
        double from_others = 0, terms = 0;
        for (std::uint32_t i = lower.row_begin[r]; i < diagonal; ++i) {
            from_others += std::abs(lower.value[i]) * error[lower.column[i]];
            terms += std::abs(lower.value[i] * x[lower.column[i]]);
        }
        const double k = diagonal - lower.row_begin[r];
        error[r] = (from_others + k * u * terms) / lower.value[diagonal] + 2 * u * std::abs(x[r]);
        greatest = std::max(greatest, error[r]);
    }
    return 2 * 1.01 * greatest;
}

std::uint32_t levels_of(const csr_matrix& lower) {
    std::vector<std::uint32_t> level(lower.rows);
    std::uint32_t levels = 0;
    for (std::uint32_t r = 0; r < lower.rows; ++r) {
        for (std::uint32_t i = lower.row_begin[r]; i + 1 < lower.row_begin[r + 1]; ++i)
            level[r] = std::max(level[r], level[lower.column[i]]);
        levels = std::max(levels, ++level[r]);
    }
    return levels;
}

}  // namespace contraflow::workloads
