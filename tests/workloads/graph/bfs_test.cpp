// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "workloads/check.h"

namespace contraflow::workloads_test {
namespace {

TEST(bfs, is_right_on_generated_graphs_and_seen_when_wrong) {
    check("name: bfs\ngraph: {kind: rmat, scale: 7, edge_factor: 5}\n", {2});
    check("name: bfs\ngraph: {kind: rmat, scale: 7, edge_factor: 2, directed: true, seed: 3}\n", {2});
    check("name: bfs\ngraph: {kind: grid, width: 9, height: 13}\n", {2});
}

TEST(bfs, is_right_on_a_graph_that_is_read) {
    const std::string file = std::string(CF_TEST_DATA) + "/workloads/two_parts.txt";
    check("name: bfs\ngraph: {kind: file, file: '" + file + "'}\n", {2});
    check("name: bfs\ngraph: {kind: file, directed: true, file: '" + file + "'}\n", {2});
}

}  // namespace
}  // namespace contraflow::workloads_test
