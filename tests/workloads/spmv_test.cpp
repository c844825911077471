// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "check.h"

namespace contraflow::workloads_test {
namespace {

TEST(spmv, is_right_on_generated_matrices_and_seen_when_wrong) {
    check("name: spmv\nmatrix: {kind: random, rows: 333, row_entries: 7}\n", {3});
    check("name: spmv\nmatrix: {kind: stencil, width: 17, height: 5}\niterations: 3\n", {4});
}

TEST(spmv, is_right_on_a_matrix_market_file) {
    check("name: spmv\nmatrix: {kind: file, file: '" + std::string(CF_TEST_DATA) + "/workloads/bar_truss.mtx'}\n", {3});
}

}  // namespace
}  // namespace contraflow::workloads_test
