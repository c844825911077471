// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "workloads/check.h"
#include "workloads/traffic_machine.h"

namespace contraflow::workloads_test {
namespace {

TEST(spmv, is_right_on_generated_matrices_and_seen_when_wrong) {
    check("name: spmv\nmatrix: {kind: random, rows: 333, row_entries: 7}\n", {3});
    check("name: spmv\nmatrix: {kind: stencil, width: 17, height: 5}\niterations: 3\n", {4});
}

TEST(spmv, is_right_on_a_matrix_market_file) {
    check("name: spmv\nmatrix: {kind: file, file: '" + std::string(CF_TEST_DATA) + "/workloads/bar_truss.mtx'}\n", {3});
}

kernel_traffic traffic_of_a_product(const std::string& matrix) {
    traffic_machine machine(4);
    const auto w = selected("name: spmv\niterations: 1\nmatrix: " + matrix).create();
    w->prepare(machine.memory());
    machine.run(w->run(machine));
    return machine.sum_of("multiply");
}

TEST(spmv, random_columns_load_both_ways_of_every_link_alike_and_neighbours_load_none) {
    const auto random = traffic_of_a_product("{kind: random, rows: 32768, row_entries: 4}\n");
    for (unsigned s = 0; s < 4; ++s) EXPECT_NEAR(1.0 * random.in[s] / random.out[s], 1, 0.1);
    const auto stencil = traffic_of_a_product("{kind: stencil, width: 128, height: 256}\n");
    EXPECT_LT(30 * stencil.total(), random.total());
}

}  // namespace
}  // namespace contraflow::workloads_test
