// SPDX-License-Identifier: Apache-2.0
#include "nic/receive/receive_case.h"

#include <gtest/gtest.h>

#include "nic/worked_cases.h"

namespace {

using namespace contraflow::nic;

constexpr const char* small = R"([{"name": "a", "node": [1, 2, 3], "max_payload": 64, "tables": [["8", "1"]],
 "buffers": [{"index": 0, "valid": true, "process": 5, "base": "1000", "length": 64, "space": "gpu1",
              "writable": true, "root": "0", "ring": 1}],
 "packets": [["00000000000000000000000000000000"]]}])";

std::string first_problem(const std::string& text) {
    const auto file = parse_receive_cases(text);
    if (file.problems.empty()) return "";
    const auto& p = file.problems.front();
    return std::to_string(p.line) + ":" + std::to_string(p.column) + " " + p.path + ": " + p.message;
}
std::string with(std::string from, const std::string& to) {
    std::string text = small;
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

// A written result reads back the same.
TEST(receive_case, expected_results_survive_writing_and_reading) {
    const auto file = parse_receive_cases(contraflow::testing::worked_receive_cases());
    ASSERT_TRUE(file.problems.empty()) << file.problems.front().message;
    ASSERT_EQ(file.cases.size(), 12u);
    for (const receive_case& c : file.cases) {
        const auto j = R"([{"name": "x", "node": [0,0,0], "tables": [], "buffers": [], "packets": [], "expected": )" +
                       to_json(c.name, *c.expected) + "}]";
        const auto again = parse_receive_cases(j);
        ASSERT_TRUE(again.problems.empty()) << again.problems.front().path << again.problems.front().message;
        EXPECT_EQ(first_difference(*again.cases[0].expected, *c.expected), "") << c.name;
    }
}

TEST(receive_case, reads_every_field) {
    const auto file = parse_receive_cases(small);
    ASSERT_TRUE(file.problems.empty()) << file.problems.front().message;
    const receive_case& c = file.cases[0];
    EXPECT_EQ(c.node, (position{1, 2, 3}));
    EXPECT_EQ(c.max_payload, 64u);
    EXPECT_EQ(c.tables[0], std::make_pair(std::uint64_t{8}, std::uint64_t{1}));
    EXPECT_EQ(c.buffers[0].second.space, memory_space::gpu1);
    EXPECT_EQ(c.buffers[0].second.base, 0x1000u);
    EXPECT_EQ(c.packets[0].size(), 16u);
}

TEST(receive_case, mistakes_are_named_with_their_place) {
    EXPECT_EQ(first_problem(with("\"gpu1\"", "\"gpu9\"")),
              "2:95 [0].buffers[0].space: no space 'gpu9'; there are host, gpu0, gpu1, gpu2, gpu3 (did you mean "
              "'gpu0'?)");
    EXPECT_EQ(first_problem(with("\"a\"", R"("a\nb")")),
              "1:11 [0].name: a name without line breaks and other control characters is wanted");
    EXPECT_EQ(first_problem(with("\"root\": \"0\"", "\"root\": \"9\"")),
              "3:41 [0].buffers[0].root: the address of a table is a multiple of 8");
    EXPECT_EQ(first_problem(with("64, \"tables\"", "96, \"tables\"")),
              "1:50 [0].max_payload: a power of two from 64 to 4096 is wanted");
    EXPECT_EQ(
        first_problem(with("\"1000\"", "\"0x10\"")),
        "2:64 [0].buffers[0].base: lower-case hexadecimal digits up to ffffffffffff are wanted, without leading zeros");
    EXPECT_EQ(first_problem(with("\"1000\"", "\"01000\"")),
              "2:64 [0].buffers[0].base: lower-case hexadecimal digits up to ffffffffffff are wanted, without leading "
              "zeros");
    EXPECT_EQ(first_problem(with("[1, 2, 3]", "[1, 2, 32]")),
              "1:31 [0].node[2]: a whole number from 0 to 31 is wanted");
    EXPECT_EQ(first_problem(with("\"writable\"", "\"writeable\"")), "3:15 [0].buffers[0]: unknown key 'writeable'");
    EXPECT_EQ(parse_receive_cases(with("\"writable\"", "\"writeable\"")).problems.front().hint,
              "did you mean 'writable'? known: index, valid, process, base, length, space, writable, root, ring");
    EXPECT_EQ(first_problem(with("0000\"]]", "00\"]]")), "4:15 [0].packets[0][0]: a word has 16 bytes");
    const auto bad_digit = parse_receive_cases(with("0000\"]]", "000x\"]]")).problems;
    ASSERT_EQ(bad_digit.size(), 1u);
    EXPECT_EQ(bad_digit[0].message, "two lower-case hexadecimal digits a byte are wanted");
    EXPECT_EQ(first_problem("[]"), "1:1 : holds no case");
    EXPECT_NE(first_problem("[{"), "");
}

// Which of them would count is nothing that a reader could know.
TEST(receive_case, what_is_given_twice_is_an_error) {
    EXPECT_EQ(first_problem(with("[[\"8\", \"1\"]", "[[\"8\", \"1\"], [\"8\", \"9\"]")),
              "1:78 [0].tables[1][0]: a second entry at 8");
    std::string text = small;
    const auto begin = text.find("{\"index\""), end = text.find("}],\n \"packets\"") + 1;
    text.insert(end, ",\n  " + text.substr(begin, end - begin));
    EXPECT_EQ(first_problem(text), "4:13 [0].buffers[1].index: a second buffer of index 0");
    EXPECT_EQ(first_problem(with("\"valid\": true", "\"valid\": true, \"valid\": false")),
              "2:42 : a second key 'valid' in one object");
}

TEST(receive_case, a_reason_that_is_none_is_written_as_its_number) {
    drop_action d;
    d.reason = static_cast<drop_reason>(12);
    EXPECT_NE(to_json(action(d)).find("\"reason 12\""), std::string::npos) << to_json(action(d));
}

TEST(receive_case, first_difference_names_the_action_and_the_counter) {
    receive_result a, b;
    a.actions.push_back(drop_action{drop_reason::crc, 1, 2, {0, 0, 1}});
    b.actions.push_back(drop_action{drop_reason::header, 1, 2, {0, 0, 1}});
    EXPECT_NE(first_difference(a, b).find("action 0: {\"drop\":{\"reason\":\"crc\""), std::string::npos);
    b = a;
    ++b.counters.bytes;
    EXPECT_EQ(first_difference(a, b), "counter bytes is 0, expected 1");
    b = a;
    b.actions.push_back(a.actions[0]);
    EXPECT_NE(first_difference(a, b).find("action 1 is missing"), std::string::npos);
    EXPECT_NE(first_difference(b, a).find("action 1 is not expected"), std::string::npos);
}

}  // namespace
