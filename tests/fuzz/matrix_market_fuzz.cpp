// SPDX-License-Identifier: Apache-2.0
// Any bytes as a Matrix Market file give a matrix whose entries are in it, or one clear error.
#include <algorithm>
#include <sstream>
#include <string>

#include "fuzz_target.h"
#include "text/text_fields.h"
#include "workloads/sparse/matrix_market.h"

namespace {

void read_matrix(const std::string& input) {
    using namespace contraflow;
    workloads::entry_list list;
    try {
        std::istringstream in(input);
        list = workloads::read_matrix_market(in, "fuzz.mtx", {1u << 16, 1u << 16});
    } catch (const text::input_error& e) {
        fuzz::must(std::string_view(e.what()).starts_with("fuzz.mtx"), "an error without its place", e.what());
        return;
    }
    for (const auto& e : list.entries)
        fuzz::must(e.row < list.rows && e.column < list.columns, "an entry outside of its matrix", input);
    const auto rows = workloads::to_csr(list);
    fuzz::must(rows.row_begin.size() == rows.rows + 1u, "rows without their ends", input);
    fuzz::must(rows.column.size() <= list.entries.size(), "entries out of nothing", input);
}

}  // namespace

CF_FUZZ(matrix_market, read_matrix)
