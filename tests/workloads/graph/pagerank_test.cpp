// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "workloads/check.h"

namespace contraflow::workloads_test {
namespace {

TEST(pagerank, is_right_on_generated_graphs_and_seen_when_wrong) {
    check("name: pagerank\ngraph: {kind: rmat, scale: 7, edge_factor: 5}\niterations: 2\n", {3});
    check("name: pagerank\ngraph: {kind: rmat, scale: 7, edge_factor: 2, directed: true, seed: 3}\niterations: 2\n",
          {3});
    check("name: pagerank\ngraph: {kind: grid, width: 9, height: 13}\niterations: 2\n", {3});
}

TEST(pagerank, is_right_on_a_graph_that_is_read) {
    const std::string file = std::string(CF_TEST_DATA) + "/workloads/two_parts.txt";
    check("name: pagerank\ngraph: {kind: file, file: '" + file + "'}\niterations: 2\n", {3});
    check("name: pagerank\ngraph: {kind: file, directed: true, file: '" + file + "'}\niterations: 2\n", {3});
}

}  // namespace
}  // namespace contraflow::workloads_test
