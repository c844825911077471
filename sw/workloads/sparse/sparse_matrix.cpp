// SPDX-License-Identifier: Apache-2.0
#include "workloads/sparse/sparse_matrix.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>

#include <fmt/format.h>

namespace contraflow::workloads {
namespace {

void check(const entry_list& list) {
    if (list.entries.size() > std::numeric_limits<std::uint32_t>::max())
        throw std::invalid_argument(fmt::format("{} matrix entries are more than 32 bits count", list.entries.size()));
    for (const matrix_entry& e : list.entries)
        if (e.row >= list.rows || e.column >= list.columns)
            throw std::invalid_argument(
                fmt::format("entry ({}, {}) of a matrix of {} by {}", e.row, e.column, list.rows, list.columns));
}

// Indices of the list's entries, sorted by row and then by column; entries of the same element keep the order of the
// list.
std::vector<std::uint32_t> sorted_order(const entry_list& list) {
    std::vector<std::uint32_t> order(list.entries.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        const matrix_entry &x = list.entries[a], &y = list.entries[b];
        if (x.row != y.row) return x.row < y.row;
        return x.column != y.column ? x.column < y.column : a < b;
    });
    return order;
}

}  // namespace

csr_matrix to_csr(const entry_list& list) {
    check(list);
    csr_matrix m;
    m.rows = list.rows;
    m.columns = list.columns;
    m.row_begin.assign(std::size_t{list.rows} + 1, 0);
    std::uint32_t last_row = list.rows;
    for (const std::uint32_t i : sorted_order(list)) {
        const matrix_entry& e = list.entries[i];
        if (e.row == last_row && m.column.back() == e.column) {
            m.value.back() += e.value;
            continue;
        }
        last_row = e.row;
        m.column.push_back(e.column);
        m.value.push_back(e.value);
        ++m.row_begin[e.row + 1];
    }
    std::partial_sum(m.row_begin.begin(), m.row_begin.end(), m.row_begin.begin());
    return m;
}

}  // namespace contraflow::workloads
