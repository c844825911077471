// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "text/text_fields.h"
#include "workloads/graph/edge_list_file.h"
#include "workloads/graph/graph.h"
#include "workloads/graph/graph_generators.h"

namespace graph_test {

using namespace contraflow::workloads;
using testing::ElementsAre;
using testing::HasSubstr;

edge_list read(const std::string& text, const graph_limits& limits = {}) {
    std::istringstream in(text);
    return read_edge_list(in, "g.txt", limits);
}

std::string refusal(const std::string& text, const graph_limits& limits = {}) {
    try {
        read(text, limits);
    } catch (const contraflow::text::input_error& e) { return e.what(); }
    return "accepted";
}

TEST(graph, rows_are_sorted_without_loops_and_parallel_edges) {
    const auto g = directed({4, {{2, 1, 9}, {0, 3, 5}, {0, 1, 7}, {2, 2, 1}, {0, 3, 4}, {0, 3, 6}}});
    EXPECT_THAT(g.begin, ElementsAre(0, 2, 2, 3, 3));
    EXPECT_THAT(g.to, ElementsAre(1, 3, 1));
    EXPECT_THAT(g.weight, ElementsAre(7, 4, 9));
    EXPECT_EQ(busiest_vertex(g), 0u);
}

TEST(graph, undirected_has_the_same_weight_both_ways) {
    const auto g = undirected({3, {{0, 1, 8}, {1, 0, 3}, {1, 2, 4}}});
    EXPECT_THAT(g.begin, ElementsAre(0, 1, 3, 4));
    EXPECT_THAT(g.to, ElementsAre(1, 0, 2, 1));
    EXPECT_THAT(g.weight, ElementsAre(3, 3, 4, 4));
}

TEST(graph, reversed_twice_is_the_same) {
    const auto g = directed(rmat_graph(6, 4, 3));
    const auto r = reversed(g);
    EXPECT_NE(r.to, g.to);
    const auto rr = reversed(r);
    EXPECT_EQ(rr.begin, g.begin);
    EXPECT_EQ(rr.to, g.to);
    EXPECT_EQ(rr.weight, g.weight);
}

TEST(graph, edges_to_no_vertex_are_refused) {
    EXPECT_THROW(directed({2, {{0, 2, 1}}}), std::invalid_argument);
    EXPECT_THROW(undirected({2, {{2, 0, 1}}}), std::invalid_argument);
}

TEST(rmat, has_the_size_asked_for_and_follows_its_seed) {
    const auto a = rmat_graph(8, 6, 1), b = rmat_graph(8, 6, 1), c = rmat_graph(8, 6, 2);
    EXPECT_EQ(a.vertices, 256u);
    EXPECT_EQ(a.edges.size(), 256u * 6);
    EXPECT_EQ(directed(a).to, directed(b).to);
    EXPECT_NE(directed(a).to, directed(c).to);
    EXPECT_THROW(rmat_graph(27, 1, 1), std::invalid_argument);
}

// Tests the quarters' probabilities by degrees: the bits of a vertex's number set its share of the edges, so the
// degrees of the busiest tenth of vertices must make up far more than a tenth of all edges, and far less than all.
TEST(rmat, few_vertices_have_most_edges_and_no_number_is_preferred) {
    const auto g = directed(rmat_graph(12, 16, 5));
    std::vector<std::uint32_t> degrees(g.vertices);
    for (std::uint32_t v = 0; v < g.vertices; ++v) degrees[v] = g.degree(v);
    const auto lower_half = std::accumulate(degrees.begin(), degrees.begin() + g.vertices / 2, 0.0) / g.to.size();
    EXPECT_NEAR(lower_half, 0.5, 0.1);
    std::sort(degrees.rbegin(), degrees.rend());
    const auto busiest = std::accumulate(degrees.begin(), degrees.begin() + g.vertices / 10, 0.0) / g.to.size();
    EXPECT_GT(busiest, 0.4);
    EXPECT_LT(busiest, 0.9);
}

TEST(grid, every_inner_vertex_has_four_neighbours) {
    const auto g = undirected(grid_graph(5, 4, 1));
    EXPECT_EQ(g.vertices, 20u);
    EXPECT_EQ(g.to.size(), 2u * (4 * 4 + 5 * 3));
    EXPECT_EQ(g.degree(0), 2u);
    EXPECT_EQ(g.degree(6), 4u);
    EXPECT_THAT(std::vector(g.to.begin() + g.begin[6], g.to.begin() + g.begin[7]), ElementsAre(1, 5, 7, 11));
    EXPECT_GE(*std::min_element(g.weight.begin(), g.weight.end()), 1u);
    EXPECT_LE(*std::max_element(g.weight.begin(), g.weight.end()), heaviest_edge);
    EXPECT_THROW(grid_graph(100'000, 100'000, 1), std::invalid_argument);
}

TEST(edge_list_file, with_and_without_weights) {
    const auto plain = read("# comment\n0 3\n\n\t1   2\r\n");
    EXPECT_EQ(plain.vertices, 4u);
    ASSERT_EQ(plain.edges.size(), 2u);
    EXPECT_EQ(plain.edges[1].from, 1u);
    EXPECT_EQ(plain.edges[1].weight, 1u);
    EXPECT_EQ(read("% c\n0 1 17").edges[0].weight, 17u);
}

TEST(edge_list_file, what_is_wrong_is_refused_where_it_stands) {
    EXPECT_THAT(refusal("# nothing\n"), HasSubstr("g.txt:2:1: the text has no edge"));
    EXPECT_THAT(refusal("0 1\n2\n"), HasSubstr("g.txt:2:2: the line ends before a vertex"));
    EXPECT_THAT(refusal("0 1\n2 3 4\n"), HasSubstr("g.txt:2:5: '4' is one field too many"));
    EXPECT_THAT(refusal("0 1 1\n2 3\n"), HasSubstr("g.txt:2:4: the line ends before a weight"));
    EXPECT_THAT(refusal("0 1 0\n"), HasSubstr("g.txt:1:5: '0' is not a weight; a whole number from 1 to 1048576"));
    EXPECT_THAT(refusal("0 1 1.5\n"), HasSubstr("g.txt:1:5: '1.5' is not a weight"));
    EXPECT_THAT(refusal("0 -1\n"), HasSubstr("g.txt:1:3: '-1' is not a vertex"));
    EXPECT_THAT(refusal("0 4000000000\n"), HasSubstr("g.txt:1:3: "));
    EXPECT_THAT(refusal("0 1\n1 2\n", {.vertices = 9, .edges = 1}), HasSubstr("g.txt:2:1: the graph has too many"));
    EXPECT_THAT(refusal(std::string("0 \0\n", 4)), HasSubstr("g.txt:1:3: "));
    EXPECT_THAT(refusal(std::string(10'000, '1')), HasSubstr("longer than"));
    EXPECT_THROW(read_edge_list("/"), contraflow::text::input_error);
}

}  // namespace graph_test
