// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "workloads/check.h"

namespace contraflow::workloads_test {
namespace {

TEST(sssp, is_right_on_generated_graphs_and_seen_when_wrong) {
    check("name: sssp\ngraph: {kind: rmat, scale: 7, edge_factor: 5}\n", {3});
    check("name: sssp\ngraph: {kind: rmat, scale: 7, edge_factor: 2, directed: true, seed: 3}\n", {3});
    check("name: sssp\ngraph: {kind: grid, width: 9, height: 13}\n", {3});
}

TEST(sssp, is_right_on_a_graph_that_is_read) {
    const std::string file = std::string(CF_TEST_DATA) + "/workloads/two_parts.txt";
    check("name: sssp\ngraph: {kind: file, file: '" + file + "'}\n", {3});
    check("name: sssp\ngraph: {kind: file, directed: true, file: '" + file + "'}\n", {3});
}

// Paths too long for 32 bits count as no path, as in the host's computation.
TEST(sssp, paths_that_do_not_fit_are_none) {
    check("name: sssp\ngraph: {kind: file, file: '" + std::string(CF_TEST_DATA) + "/workloads/long_path.txt'}\n", {3});
}

}  // namespace
}  // namespace contraflow::workloads_test
