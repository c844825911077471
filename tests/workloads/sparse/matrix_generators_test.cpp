// SPDX-License-Identifier: Apache-2.0
// Rows and entries are exact, and the structure is that of the kind.
#include <algorithm>
#include <functional>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workloads/sparse/matrix_generators.h"
#include "workloads/sparse/matrix_source.h"
#include "workloads/sparse/triangle.h"

namespace matrix_generators_test {

using namespace contraflow::workloads;
using testing::HasSubstr;

using generator = csr_matrix (*)(std::uint32_t, std::uint32_t, std::uint64_t);

// It has the rows and entries, all distinct, in ascending order; values are in (-1, 1].
void expect_exact(const csr_matrix& m, std::uint32_t rows, std::uint32_t entries) {
    SCOPED_TRACE(testing::Message() << rows << " rows, " << entries << " entries");
    ASSERT_EQ(m.rows, rows);
    ASSERT_EQ(m.columns, rows);
    ASSERT_EQ(m.row_begin.size(), rows + std::size_t{1});
    ASSERT_EQ(m.row_begin.front(), 0u);
    ASSERT_EQ(m.row_begin.back(), entries);
    ASSERT_EQ(m.column.size(), entries);
    ASSERT_EQ(m.value.size(), entries);
    for (std::uint32_t r = 0; r < rows; ++r) {
        ASSERT_LE(m.row_begin[r], m.row_begin[r + 1]);
        for (std::uint32_t i = m.row_begin[r]; i < m.row_begin[r + 1]; ++i) {
            ASSERT_LT(m.column[i], rows);
            ASSERT_TRUE(i == m.row_begin[r] || m.column[i - 1] < m.column[i]) << "row " << r;
            ASSERT_TRUE(m.value[i] > -1 && m.value[i] <= 1);
        }
    }
}

double share_of(const csr_matrix& m, const std::function<bool(std::uint32_t, std::uint32_t)>& which) {
    std::uint64_t n = 0;
    for (std::uint32_t r = 0; r < m.rows; ++r)
        for (std::uint32_t i = m.row_begin[r]; i < m.row_begin[r + 1]; ++i) n += which(r, m.column[i]);
    return static_cast<double>(n) / static_cast<double>(m.column.size());
}
double diagonal_share(const csr_matrix& m) {
    return share_of(m, [](auto r, auto c) { return r == c; });
}
double share_nearer_than(const csr_matrix& m, std::uint32_t distance) {
    return share_of(m, [distance](auto r, auto c) { return (r > c ? r - c : c - r) < distance; });
}

bool symmetric(const csr_matrix& m) {
    const csr_matrix t = transposed(m);
    return t.row_begin == m.row_begin && t.column == m.column && t.value == m.value;
}

std::vector<std::uint32_t> degrees(const csr_matrix& m) {
    std::vector<std::uint32_t> d(m.rows);
    for (std::uint32_t r = 0; r < m.rows; ++r) d[r] = m.row_begin[r + 1] - m.row_begin[r];
    return d;
}
double share_with(const std::vector<std::uint32_t>& degrees, std::uint32_t degree) {
    return static_cast<double>(std::count(degrees.begin(), degrees.end(), degree)) /
           static_cast<double>(degrees.size());
}
double share_of_densest(const csr_matrix& m, std::size_t rows) {
    auto d = degrees(m);
    std::sort(d.rbegin(), d.rend());
    return std::accumulate(d.begin(), d.begin() + static_cast<std::ptrdiff_t>(rows), 0.0) /
           static_cast<double>(m.column.size());
}

std::uint32_t components(const csr_matrix& m) {
    std::vector<std::uint32_t> of(m.rows);
    std::iota(of.begin(), of.end(), 0u);
    const auto root = [&of](std::uint32_t v) {
        while (of[v] != v) v = of[v] = of[of[v]];
        return v;
    };
    std::uint32_t n = m.rows;
    for (std::uint32_t r = 0; r < m.rows; ++r)
        for (std::uint32_t i = m.row_begin[r]; i < m.row_begin[r + 1]; ++i)
            if (const auto a = root(r), b = root(m.column[i]); a != b) {
                of[a] = b;
                --n;
            }
    return n;
}

TEST(made_matrix, follows_its_seed) {
    const std::vector<std::pair<generator, std::uint32_t>> all{
        {road_matrix, 4800}, {circuit_matrix, 8100}, {kkt_matrix, 20000}, {web_matrix, 4200}};
    for (const auto& [make, entries] : all) {
        const auto a = make(2000, entries, 1), b = make(2000, entries, 1), c = make(2000, entries, 2);
        EXPECT_EQ(a.row_begin, b.row_begin);
        EXPECT_EQ(a.column, b.column);
        EXPECT_EQ(a.value, b.value);
        EXPECT_NE(a.column, c.column);
        EXPECT_NE(a.value, c.value);
    }
}

// From the fewest entries to the most, and with the smallest numbers of rows.
TEST(made_matrix, has_exactly_the_rows_and_entries_asked_for) {
    for (const std::uint32_t rows : {1u, 2u, 3u, 5u, 8u, 37u, 100u})
        for (std::uint32_t entries = 0; entries < 1000; ++entries) {
            if (road_refusal(rows, entries).empty()) expect_exact(road_matrix(rows, entries, 3), rows, entries);
            if (circuit_refusal(rows, entries).empty()) expect_exact(circuit_matrix(rows, entries, 3), rows, entries);
            if (kkt_refusal(rows, entries).empty()) expect_exact(kkt_matrix(rows, entries, 3), rows, entries);
            if (web_refusal(rows, entries).empty()) expect_exact(web_matrix(rows, entries, 3), rows, entries);
        }
}

TEST(made_matrix, refuses_entries_that_have_no_place) {
    // 10 x 10 crossings: 99 roads of a tree, 81 others.
    EXPECT_EQ(road_refusal(100, 360), "");
    EXPECT_THAT(road_refusal(100, 362), HasSubstr("a road matrix of 100 rows has 0 to 360 entries, not 362"));
    EXPECT_THAT(road_refusal(100, 241), HasSubstr("241 entries is odd"));
    EXPECT_EQ(circuit_refusal(100, 100 + 2475), "");
    EXPECT_THAT(circuit_refusal(100, 100 + 2476), HasSubstr("has 100 to 2575 entries"));
    EXPECT_THAT(circuit_refusal(100, 99), HasSubstr("not 99"));
    EXPECT_THAT(web_refusal(100, 2476), HasSubstr("has 0 to 2475 entries"));
    EXPECT_THAT(kkt_refusal(7, 7), HasSubstr("at least 8 rows, not 7"));
    // A cube of 2: 8 points and 24 controls; A has 64 + 6 * 16 entries, H up to 8 * 7 more.
    EXPECT_EQ(kkt_refusal(40, 32 + 2 * 160 + 56), "");
    EXPECT_THAT(kkt_refusal(40, 409), HasSubstr("has 32 to 408 entries"));
    EXPECT_THROW(road_matrix(100, 362, 1), std::invalid_argument);
    EXPECT_THROW(circuit_matrix(100, 99, 1), std::invalid_argument);
    EXPECT_THROW(kkt_matrix(7, 7, 1), std::invalid_argument);
    EXPECT_THROW(web_matrix(100, 2476, 1), std::invalid_argument);
}

TEST(made_matrix, problems_of_a_source_name_the_key) {
    matrix_source s;
    for (const auto kind : {matrix_kind::road, matrix_kind::circuit, matrix_kind::kkt, matrix_kind::web}) {
        s.kind = kind;
        s.entries = 9840;
        EXPECT_TRUE(problems_of(s).empty());
        s.entries = 1 << 27;
        ASSERT_EQ(problems_of(s).size(), 1u);
        EXPECT_TRUE(problems_of(s)[0].names("entries"));
    }
}

TEST(made_matrix, presets_have_the_collections_sizes) {
    const auto expect = [](matrix_preset p, matrix_kind kind, std::uint32_t rows, std::uint32_t entries) {
        const auto s = matrix_source::of(p);
        EXPECT_EQ(s.kind, kind);
        EXPECT_EQ(s.rows, rows);
        EXPECT_EQ(s.entries, entries);
        EXPECT_TRUE(problems_of(s).empty());
    };
    expect(matrix_preset::road_central, matrix_kind::road, 14081816, 33866826);
    expect(matrix_preset::asic_320ks, matrix_kind::circuit, 321671, 1316085);
    expect(matrix_preset::nlpkkt80, matrix_kind::kkt, 1062400, 28192672);
    expect(matrix_preset::nlpkkt120, matrix_kind::kkt, 3542400, 95117792);
    expect(matrix_preset::wiki_talk, matrix_kind::web, 2394385, 5021410);
}

class road : public testing::Test {
protected:
    static constexpr std::uint32_t rows = 36'864, entries = 88'658;  // nine districts; as many a row as road_central
    csr_matrix m = road_matrix(rows, entries, 5);
};

TEST_F(road, is_symmetric_connected_and_without_diagonal) {
    EXPECT_TRUE(symmetric(m));
    EXPECT_EQ(components(m), 1u);
    EXPECT_EQ(diagonal_share(m), 0);
    // With fewer roads than a tree has, every one joins two components.
    EXPECT_EQ(components(road_matrix(1000, 1500, 5)), 250u);
}

// A tree in which each crossing has its edge to the left or upwards with probability 1/2 leaves an end in 1/4 of them,
// a way through in 1/2, a fork in 1/4; a fifth of all crossings then gets a further road at either end.
TEST_F(road, has_ends_ways_through_and_forks_and_no_more_than_four_roads_at_a_crossing) {
    const auto d = degrees(m);
    EXPECT_EQ(*std::max_element(d.begin(), d.end()), 4u);
    EXPECT_EQ(*std::min_element(d.begin(), d.end()), 1u);
    EXPECT_NEAR(share_with(d, 1), 0.13, 0.02);
    EXPECT_NEAR(share_with(d, 2), 0.41, 0.03);
    EXPECT_NEAR(share_with(d, 3), 0.38, 0.03);
}

// Planar: a face of the drawing needs at least four roads, so there are at most 2 (crossings - 2).
TEST_F(road, joins_neighbours_whose_numbers_are_mostly_of_one_district) {
    EXPECT_LE(m.column.size() / 2, 2u * (rows - 2));
    EXPECT_GT(share_nearer_than(m, 4096), 0.9);
    EXPECT_LT(share_nearer_than(m, 4096), 1);
    // Within a district there is no order: two of 4096 numbers are less than 128 apart with probability 1/16.
    EXPECT_NEAR(share_nearer_than(m, 128), 1.0 / 16, 0.01);
    EXPECT_LT(share_of_densest(m, rows / 100), 0.02);
}

class circuit : public testing::Test {
protected:
    static constexpr std::uint32_t rows = 65'536, entries = 268'133;  // as many a row as ASIC_320ks
    csr_matrix m = circuit_matrix(rows, entries, 5);
};

TEST_F(circuit, has_a_full_diagonal_and_a_symmetric_pattern) {
    EXPECT_EQ(diagonal_share(m) * entries, rows);
    EXPECT_FALSE(symmetric(m)) << "the number of entries beside the diagonal is odd";
    csr_matrix t = transposed(m);
    std::size_t alone = 0;
    for (std::uint32_t r = 0; r < rows; ++r)
        for (std::uint32_t i = m.row_begin[r]; i < m.row_begin[r + 1]; ++i)
            alone += !std::binary_search(t.column.begin() + t.row_begin[r], t.column.begin() + t.row_begin[r + 1],
                                         m.column[i]);
    EXPECT_EQ(alone, 1u);
    EXPECT_TRUE(symmetric(circuit_matrix(rows, entries + 1, 5)));
}

// 65536 / 8192 = 8 nets have 1/32 of the connections at one of their ends.
TEST_F(circuit, has_a_few_nets_and_otherwise_short_rows) {
    auto d = degrees(m);
    std::sort(d.rbegin(), d.rend());
    const double of_a_net = (entries - rows) / 2.0 / 32 / 8;
    for (unsigned k = 0; k < 8; ++k) EXPECT_NEAR(d[k], of_a_net, 0.15 * of_a_net) << k;
    EXPECT_LT(d[8], 25u);
    EXPECT_EQ(d.back(), 1u);
    EXPECT_NEAR(share_of_densest(m, 8), (entries - rows) / 64.0 / entries, 0.002);
}

// 16 octaves of distances, up to 65536, are equally frequent but for those that lead out of the matrix; pairs of short
// distances that are drawn twice count once.
TEST_F(circuit, joins_nodes_at_all_distances) {
    const auto others = [this](std::uint32_t from, std::uint32_t to) {
        return (share_nearer_than(m, to) - share_nearer_than(m, from)) * entries / (entries - rows);
    };
    for (std::uint32_t octave = 8; octave < 4096; octave *= 2)
        EXPECT_NEAR(others(octave, 2 * octave), 1.0 / 15, 0.012) << octave;
}

class kkt : public testing::Test {
protected:
    static constexpr std::uint32_t side = 12, points = side * side * side, controls = 6 * side * side,
                                   variables = points + controls, rows = variables + points;
    static constexpr std::uint32_t full = variables + 2 * 34 * 34 * 34 + 12 * 34 * 34;
    csr_matrix m = kkt_matrix(rows, full, 5);
};

// The collection's counts follow from the grid alone.
TEST_F(kkt, complete_patterns_are_those_of_the_collection) {
    const auto complete = [](std::uint64_t n) {
        const std::uint64_t line = 3 * n - 2;
        return std::pair(2 * n * n * n + 6 * n * n, n * n * n + 6 * n * n + 2 * line * line * line + 12 * line * line);
    };
    EXPECT_EQ(complete(80), std::pair(std::uint64_t{1062400}, std::uint64_t{28192672}));
    EXPECT_EQ(complete(120), std::pair(std::uint64_t{3542400}, std::uint64_t{95117792}));
    EXPECT_EQ(complete(side), std::pair(std::uint64_t{rows}, std::uint64_t{full}));
}

TEST_F(kkt, is_symmetric_with_a_diagonal_block_above_an_empty_one) {
    EXPECT_TRUE(symmetric(m));
    EXPECT_EQ(diagonal_share(m) * full, variables);
    EXPECT_EQ(share_of(m, [](auto r, auto c) { return r < variables && c < variables && r != c; }), 0);
    EXPECT_EQ(share_of(m, [](auto r, auto c) { return r >= variables && c >= variables; }), 0);
    // All unknowns of the first block are solved at once, then all of the second.
    EXPECT_EQ(levels_of(lower_triangle(m)), 2u);
}

TEST_F(kkt, couples_an_equation_with_its_neighbourhood) {
    const auto d = degrees(m);
    const auto at = [&](std::uint32_t x, std::uint32_t y, std::uint32_t z) { return (z * side + y) * side + x; };
    // The equation of an inner point has 27 states; in the middle of a face 18 and 9 controls; in a corner 8 and 3 x 4.
    EXPECT_EQ(d[variables + at(5, 5, 5)], 27u);
    for (const auto middle : {at(0, 5, 5), at(11, 5, 5), at(5, 0, 5), at(5, 11, 5), at(5, 5, 0), at(5, 5, 11)})
        EXPECT_EQ(d[variables + middle], 27u) << middle;
    EXPECT_EQ(d[variables + at(0, 0, 0)], 8u + 12u);
    EXPECT_EQ(d[at(5, 5, 5)], 28u) << "a state is in 27 equations and on the diagonal";
    EXPECT_EQ(d[at(11, 0, 11)], 9u);
    const std::uint32_t row = variables + at(5, 5, 5);
    EXPECT_EQ(m.column[m.row_begin[row]], at(4, 4, 4));
    EXPECT_EQ(m.column[m.row_begin[row + 1] - 1], at(6, 6, 6));
    EXPECT_LT(share_of_densest(m, rows / 100), 0.02);
}

TEST_F(kkt, leaves_out_couplings_and_adds_some_within_the_first_block) {
    const auto in_h = [](auto r, auto c) { return r < variables && c < variables && r != c; };
    const csr_matrix less = kkt_matrix(rows, full - 20'000, 5);
    EXPECT_EQ(diagonal_share(less) * less.column.size(), variables);
    EXPECT_EQ(share_of(less, in_h), 0);
    const csr_matrix more = kkt_matrix(rows, full + 10'000, 5);
    EXPECT_TRUE(symmetric(more));
    EXPECT_EQ(share_of(more, in_h) * more.column.size(), 10'000);
    EXPECT_EQ(diagonal_share(kkt_matrix(rows, full - 1, 5)) * (full - 1), variables - 1);
}

class web : public testing::Test {
protected:
    static constexpr std::uint32_t rows = 50'000, entries = 104'800;  // as many a row as wiki-Talk
    csr_matrix m = web_matrix(rows, entries, 5);
};

TEST_F(web, is_unsymmetric_and_without_diagonal) {
    EXPECT_EQ(diagonal_share(m), 0);
    const csr_matrix t = transposed(m);
    std::size_t both = 0;
    for (std::uint32_t r = 0; r < rows; ++r)
        for (std::uint32_t i = m.row_begin[r]; i < m.row_begin[r + 1]; ++i)
            both += std::binary_search(t.column.begin() + t.row_begin[r], t.column.begin() + t.row_begin[r + 1],
                                       m.column[i]);
    EXPECT_LT(static_cast<double>(both), 0.1 * entries);
}

TEST_F(web, has_most_entries_in_few_rows_and_columns_and_none_in_most) {
    for (const csr_matrix& x : {m, transposed(m)}) {
        const auto d = degrees(x);
        EXPECT_GT(share_with(d, 0), 0.5);
        EXPECT_GT(share_of_densest(x, rows / 100), 0.35);
        EXPECT_LT(share_of_densest(x, rows / 100), 0.7);
        EXPECT_GT(*std::max_element(d.begin(), d.end()), 200u);
    }
}

// Numbers are shuffled, so the distance of two is below a tenth of all with probability 1 - 0.9^2.
TEST_F(web, has_entries_at_any_distance_from_the_diagonal) {
    EXPECT_NEAR(share_nearer_than(m, rows / 10), 0.19, 0.02);
    EXPECT_NEAR(share_of(m, [](auto r, auto c) { return c < r; }), 0.5, 0.02);
}

}  // namespace matrix_generators_test
