// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support.h"

namespace contraflow::config {
namespace {

using config_test::printed;
using testing::HasSubstr;

TEST(diagnostics, show_the_line_with_a_caret_and_the_hint) {
    diagnostics diag;
    diag.add_source("p1.yaml", "link:\n  lane_wdith: 16\n");
    diag.error({"p1.yaml", 2, 3}, "unknown key 'lane_wdith' in link", "did you mean 'lane_width'?");
    EXPECT_EQ(printed(diag), "p1.yaml:2:3: error: unknown key 'lane_wdith' in link\n"
                             "    2 |   lane_wdith: 16\n"
                             "      |   ^~~~~~~~~~  did you mean 'lane_width'?\n");
    EXPECT_TRUE(diag.failed());
    EXPECT_EQ(diag.errors(), 1u);
}

TEST(diagnostics, are_sorted_by_source_and_position) {
    diagnostics diag;
    diag.add_source("z.yaml", "a\nb\n");
    diag.add_source("--set", "x=1");
    diag.error({"--set", 1, 1}, "fifth");
    diag.error({"z.yaml", 2, 1}, "fourth");
    diag.error({"z.yaml", 1, 9}, "third");
    diag.warning({"z.yaml", 1, 2}, "second");
    diag.error({"z.yaml", 0, 0}, "first", "so there");
    const auto text = printed(diag);
    std::size_t last = 0;
    for (const auto* word : {"first; so there", "second", "third", "fourth", "fifth"}) {
        const auto at = text.find(word);
        ASSERT_NE(at, std::string::npos) << word << " in:\n" << text;
        EXPECT_GE(at, last);
        last = at;
    }
    EXPECT_EQ(diag.errors(), 4u);
}

TEST(diagnostics, a_warning_is_no_failure) {
    diagnostics diag;
    diag.warning({}, "odd");
    EXPECT_FALSE(diag.failed());
    EXPECT_EQ(printed(diag), "warning: odd\n");
}

TEST(diagnostics, gives_its_warnings_as_one_line_each) {
    diagnostics diag;
    diag.warning({"z.yaml", 4, 2}, "odd\nindeed", "even");
    diag.error({"z.yaml", 1, 9}, "wrong");
    diag.warning({}, "strange");
    EXPECT_EQ(diag.warnings(), (std::vector<std::string>{"z.yaml:4:2: odd\\nindeed; even", "strange"}));
}

TEST(diagnostics, the_caret_stands_below_its_character_behind_umlauts_and_tabs) {
    diagnostics diag;
    diag.add_source("u.yaml", "\xC3\xA4\xC3\xB6\tkey: 1\r\n");
    diag.error({"u.yaml", 1, 6}, "here");
    EXPECT_EQ(printed(diag), "u.yaml:1:6: error: here\n    1 | \xC3\xA4\xC3\xB6\tkey: 1\n      |   \t^~~\n");
}

TEST(diagnostics, a_long_line_is_cut_around_the_caret) {
    diagnostics diag;
    diag.add_source("l.yaml", std::string(5000, 'a') + " here " + std::string(5000, 'b'));
    diag.error({"l.yaml", 1, 5002}, "x");
    const auto text = printed(diag);
    EXPECT_LT(text.size(), 400u);
    EXPECT_THAT(text, HasSubstr("| ...aaaa"));
    EXPECT_THAT(text, HasSubstr(" here bbb"));
    EXPECT_THAT(text, HasSubstr("^~~~\n"));
}

TEST(diagnostics, control_characters_never_reach_the_terminal) {
    diagnostics diag;
    diag.add_source("c.yaml", "a: \x1b[31mred\n");
    diag.error({"c.yaml", 1, 4}, "bad " + quoted(std::string("\x1b[31m\n")));
    EXPECT_EQ(printed(diag).find('\x1b'), std::string::npos);
    EXPECT_THAT(printed(diag), HasSubstr(R"('\x1b[31m\n')"));
}

TEST(diagnostics, a_place_behind_the_end_is_shown_there) {
    diagnostics diag;
    diag.add_source("e.yaml", "ab");
    diag.error({"e.yaml", 1, 4}, "x");
    diag.error({"e.yaml", 9, 1}, "y");
    EXPECT_EQ(printed(diag),
              "e.yaml:1:4: error: x\n    1 | ab\n      |    ^\ne.yaml:9:1: error: y\n    9 | \n      | ^\n");
}

TEST(diagnostics, a_flood_is_counted_not_kept) {
    diagnostics diag;
    for (unsigned i = 0; i < 10'000; ++i) diag.error({"f.yaml", i + 1, 1}, "x");
    EXPECT_EQ(diag.errors(), 10'000u);
    EXPECT_FALSE(diag.keeps_more());
    EXPECT_THAT(printed(diag), testing::EndsWith("and 9800 more\n"));
}

TEST(nearest, finds_slips_of_the_pen_and_nothing_far_fetched) {
    const std::vector<std::string> known{"lanes", "lane_width", "rate", "sample_time", "id"};
    EXPECT_EQ(nearest("lane_wdith", known), "lane_width");  // neighbours swapped
    EXPECT_EQ(nearest("lane", known), "lanes");
    EXPECT_EQ(nearest("sampletime", known), "sample_time");
    EXPECT_EQ(nearest("rtae", known), "rate");
    EXPECT_EQ(nearest("LANE_WIDTH", known), "lane_width");  // only the case differs
    EXPECT_EQ(nearest("banana", known), "");
    EXPECT_EQ(nearest("x", known), "");
    EXPECT_EQ(nearest("", known), "");
    EXPECT_EQ(nearest(std::string(1'000'000, 'a'), known), "");
    EXPECT_EQ(nearest("lanes", {}), "");
}

TEST(did_you_mean, says_the_nearest_before_the_rest) {
    const std::vector<std::string> known{"lanes", "rate"};
    EXPECT_EQ(did_you_mean("lnaes", known), "did you mean 'lanes'?");
    EXPECT_EQ(did_you_mean("lnaes", known, "links: a, b"), "did you mean 'lanes'? links: a, b");
    EXPECT_EQ(did_you_mean("banana", known, "links: a, b"), "links: a, b");
    EXPECT_EQ(did_you_mean("banana", known), "");
    EXPECT_EQ(meant_aside("lnaes", known), " (did you mean 'lanes'?)");
    EXPECT_EQ(meant_aside("banana", known, "; try others"), "; try others");
    EXPECT_EQ(known_keys("lnaes", known), "did you mean 'lanes'? known: lanes, rate");
    EXPECT_EQ(did_you_mean("x\x1b", {"x\x1bm"}), "did you mean 'x\\x1bm'?") << "no command to the terminal";
}

TEST(quoted, leaves_out_the_middle_of_long_texts_at_a_character) {
    EXPECT_EQ(quoted(std::string_view("abc")), "'abc'");
    const std::string a(31, 'a'), b(31, 'b'), wide = "\xC3\xA4";
    EXPECT_EQ(quoted(a + wide + wide + std::string(100, '-') + wide + b), "'" + a + wide + "..." + b + "'");
    const std::string whole = a + "\xE2\x82\xAC" + b;
    EXPECT_EQ(quoted(whole), "'" + whole + "'") << "no byte is left out";
}

}  // namespace
}  // namespace contraflow::config
