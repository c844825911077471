// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/random.h"
#include "text/text_fields.h"
#include "workloads/sparse/matrix_market.h"

namespace matrix_market_test {

using namespace contraflow::workloads;
using testing::ElementsAre;
using testing::HasSubstr;

csr_matrix read(const std::string& text, const matrix_limits& limits = {}) {
    std::istringstream in(text);
    return to_csr(read_matrix_market(in, "m.mtx", limits));
}

// The error message for a text that must be refused.
std::string refusal(const std::string& text, const matrix_limits& limits = {}) {
    try {
        read(text, limits);
    } catch (const contraflow::text::input_error& e) { return e.what(); }
    return "accepted";
}

const std::string general = "%%MatrixMarket matrix coordinate real general\n";

TEST(matrix_market, a_general_real_matrix_in_any_order) {
    const auto m = read(general + "% a comment\n\n 3 4 5\n3 1 -2e-3\n1 4 7\r\n1\t2 +1.5\n\n2 2 .5  \n3 4 1");
    EXPECT_EQ(m.rows, 3u);
    EXPECT_EQ(m.columns, 4u);
    EXPECT_THAT(m.row_begin, ElementsAre(0, 2, 3, 5));
    EXPECT_THAT(m.column, ElementsAre(1, 3, 1, 0, 3));
    EXPECT_THAT(m.value, ElementsAre(1.5, 7, .5, -2e-3, 1));
}

TEST(matrix_market, a_symmetric_matrix_is_completed) {
    const auto m = read("%%MatrixMarket MATRIX Coordinate Integer Symmetric\n3 3 4\n1 1 4\n2 1 -1\n3 3 9\n3 2 5\n");
    EXPECT_THAT(m.row_begin, ElementsAre(0, 2, 4, 6));
    EXPECT_THAT(m.column, ElementsAre(0, 1, 0, 2, 1, 2));
    EXPECT_THAT(m.value, ElementsAre(4, -1, -1, 5, 5, 9));
}

TEST(matrix_market, a_pattern_has_ones_and_repeated_places_add_up) {
    const auto m = read("%%MatrixMarket matrix coordinate pattern general\n2 2 3\n2 1\n1 2\n2 1\n");
    EXPECT_THAT(m.column, ElementsAre(1, 0));
    EXPECT_THAT(m.value, ElementsAre(1, 2));
}

TEST(matrix_market, empty_rows_and_no_entry_at_all) {
    EXPECT_THAT(read(general + "3 2 0\n").row_begin, ElementsAre(0, 0, 0, 0));
    EXPECT_THAT(read(general + "3 2 1\n2 1 1\n").row_begin, ElementsAre(0, 0, 1, 1));
}

TEST(matrix_market, a_wrong_banner_is_refused_where_it_is_wrong) {
    EXPECT_THAT(refusal(""), HasSubstr("m.mtx:1:1: "));
    EXPECT_THAT(refusal("3 3 1\n"), HasSubstr("m.mtx:1:1: the text is no Matrix Market file; the first line is '%%"));
    EXPECT_THAT(refusal("%%MatrixMarket matrix\n"), HasSubstr("m.mtx:1:22: the line ends before a format"));
    EXPECT_THAT(refusal("%%MatrixMarket matrix array real general\n"),
                HasSubstr("m.mtx:1:23: 'array' is not a format that is read here; coordinate is allowed"));
    EXPECT_THAT(refusal("%%MatrixMarket matrix coordinate complex general\n"),
                HasSubstr("m.mtx:1:34: 'complex' is not a field that is read here; real or integer or pattern"));
    EXPECT_THAT(refusal("%%MatrixMarket matrix coordinate real hermitian\n"), HasSubstr("general or symmetric"));
    EXPECT_THAT(refusal("%%MatrixMarket matrix coordinate real general x\n"), HasSubstr("one field too many"));
}

TEST(matrix_market, wrong_sizes_are_refused) {
    EXPECT_THAT(refusal(general), HasSubstr("m.mtx:2:1: the text ends before the line of sizes"));
    EXPECT_THAT(refusal(general + "% only\n3 3\n"), HasSubstr("m.mtx:3:4: the line ends before a number of entries"));
    EXPECT_THAT(refusal(general + "0 3 1\n"), HasSubstr("m.mtx:2:1: '0' is not a number of rows"));
    EXPECT_THAT(refusal(general + "3 -3 1\n"), HasSubstr("m.mtx:2:3: '-3' is not a number of columns"));
    EXPECT_THAT(refusal(general + "99999999999999999999999 3 1\n"), HasSubstr("m.mtx:2:1: "));
    EXPECT_THAT(refusal(general + "2 2 5\n"), HasSubstr("m.mtx:2:5: '5' is not a number of entries; a whole number "
                                                        "from 0 to 4 is allowed"));
    EXPECT_THAT(refusal("%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n"), HasSubstr("it must be square"));
}

TEST(matrix_market, wrong_entries_are_refused_where_they_stand) {
    const std::string head = general + "3 3 2\n1 1 1\n";
    EXPECT_THAT(refusal(head + "0 1 1\n"), HasSubstr("m.mtx:4:1: '0' is not a row; a whole number from 1 to 3"));
    EXPECT_THAT(refusal(head + "1 4 1\n"), HasSubstr("m.mtx:4:3: '4' is not a column"));
    EXPECT_THAT(refusal(head + "1 2.0 1\n"), HasSubstr("m.mtx:4:3: '2.0' is not a column"));
    for (const std::string value : {"nan", "inf", "-inf", "1e999", "1.0D+00", "0x10", "1,5", "--1", "+-1", "+", "1e"})
        EXPECT_THAT(refusal(head + "1 2 " + value + "\n"), HasSubstr("m.mtx:4:5: '" + value + "' is not a value"));
    EXPECT_THAT(refusal(head + "1 2\n"), HasSubstr("m.mtx:4:4: the line ends before a value"));
    EXPECT_THAT(refusal(head + "1 2 3 4\n"), HasSubstr("m.mtx:4:7: '4' is one field too many"));
    EXPECT_THAT(refusal("%%MatrixMarket matrix coordinate integer general\n3 3 1\n1 1 1.5\n"),
                HasSubstr("m.mtx:3:5: '1.5' is not a value"));
    EXPECT_THAT(refusal("%%MatrixMarket matrix coordinate pattern general\n3 3 1\n1 1 1\n"),
                HasSubstr("m.mtx:3:5: '1' is one field too many"));
    EXPECT_THAT(refusal("%%MatrixMarket matrix coordinate real symmetric\n3 3 1\n1 2 1\n"),
                HasSubstr("m.mtx:3:3: '2' is not a column of the lower triangle; a whole number from 1 to 1"));
}

TEST(matrix_market, more_or_fewer_lines_than_announced_are_refused) {
    EXPECT_THAT(refusal(general + "3 3 2\n1 1 1\n"), HasSubstr("m.mtx:4:1: the text ends after 1 entries"));
    EXPECT_THAT(refusal(general + "3 3 1\n1 1 1\n\n2 2 2\n"), HasSubstr("m.mtx:5:1: there is another line"));
}

TEST(matrix_market, a_header_that_claims_much_costs_nothing_and_limits_hold) {
    EXPECT_THAT(refusal(general + "60000000 60000000 268000000\n1 1 1\n"), HasSubstr("the text ends after 1 entries"));
    EXPECT_THAT(refusal(general + "4000000000 4000000000 1\n1 1 1\n"), HasSubstr("m.mtx:2:1: "));
    EXPECT_THAT(refusal(general + "11 3 1\n1 1 1\n", {.rows = 10}), HasSubstr("from 1 to 10"));
    const std::string symmetric = "%%MatrixMarket matrix coordinate real symmetric\n4 4 3\n2 1 1\n3 1 1\n4 1 1\n";
    EXPECT_THAT(refusal(symmetric, {.rows = 10, .entries = 5}), HasSubstr("m.mtx:5:5: the completed matrix has too"));
    EXPECT_EQ(refusal(symmetric, {.rows = 10, .entries = 6}), "accepted");
}

TEST(matrix_market, long_lines_and_binary_rubbish_are_refused_in_bounded_memory) {
    EXPECT_EQ(refusal(general + "%" + std::string(100'000, 'x') + "\n1 1 1\n1 1 1\n"), "accepted");
    EXPECT_THAT(refusal(general + std::string(100'000, '1') + "\n"), HasSubstr("m.mtx:2:1: the line is longer than"));
    EXPECT_THAT(refusal(std::string("\0\xff\n", 3)), HasSubstr("m.mtx:1:1: the text is no Matrix Market file"));
    EXPECT_THAT(refusal(general + std::string("1 1 1\n1 1 \0\x1b[2J\n", 15)), HasSubstr("m.mtx:3:5: "));
    EXPECT_THAT(refusal(general + std::string("1 1 1\n1 1 \x1b[2J\n")), testing::Not(HasSubstr("\x1b")));
}

// Any changed text is read within the limits or refused with a place in it.
TEST(matrix_market, random_damage_is_read_or_refused) {
    const std::string good =
        "%%MatrixMarket matrix coordinate integer symmetric\n% note\n4 4 4\n1 1 4\n3 2 -1\n4 1 12\n4 4 9\n";
    contraflow::core::random_source random(7);
    unsigned accepted = 0, refused = 0;
    for (unsigned i = 0; i < 5000; ++i) {
        std::string text = good;
        for (unsigned k = 0; k <= i % 4; ++k) {
            const auto at = static_cast<std::size_t>(random.below(text.size()));
            const auto other = static_cast<std::size_t>(random.below(text.size()));
            switch (random.below(4)) {
            case 0: text[at] = static_cast<char>(random.next()); break;
            case 1: text.erase(at, random.below(5)); break;
            case 2: text.insert(at, text.substr(other, random.below(9))); break;
            default: text[at] = text[other]; break;
            }
        }
        try {
            std::istringstream in(text);
            const auto list = read_matrix_market(in, "m.mtx", {.rows = 100, .entries = 100});
            EXPECT_LE(list.entries.size(), 100u);
            to_csr(list);
            ++accepted;
        } catch (const contraflow::text::input_error& e) {
            EXPECT_GE(e.where().line, 1u);
            EXPECT_GE(e.where().column, 1u);
            ++refused;
        }
    }
    EXPECT_GT(accepted, 100u);
    EXPECT_GT(refused, 1000u);
}

TEST(matrix_market, a_file) {
    const auto m = to_csr(read_matrix_market(std::string(CF_TEST_DATA) + "/workloads/bar_truss.mtx"));
    EXPECT_EQ(m.rows, 12u);
    EXPECT_EQ(m.row_begin.back(), 42u);
}

TEST(matrix_market, files_that_are_none) {
    EXPECT_THROW(read_matrix_market(std::string(CF_TEST_DATA) + "/workloads/missing.mtx"),
                 contraflow::text::input_error);
    EXPECT_THROW(read_matrix_market(std::string(CF_TEST_DATA)), contraflow::text::input_error);
}

TEST(sparse_matrix, entries_outside_are_refused) {
    EXPECT_THROW(to_csr({2, 2, {{2, 0, 1}}}), std::invalid_argument);
    EXPECT_THROW(to_csr({2, 2, {{0, 2, 1}}}), std::invalid_argument);
}

}  // namespace matrix_market_test
