// SPDX-License-Identifier: Apache-2.0
#include "face/terminal/text_layout.h"

#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace face = contraflow::face;
using ::testing::ElementsAre;

TEST(text_layout, width_counts_columns_not_bytes) {
    EXPECT_EQ(face::display_width("abc"), 3u);
    EXPECT_EQ(face::display_width("µs"), 2u);
    EXPECT_EQ(face::display_width("├─ x"), 4u);
    EXPECT_EQ(face::display_width("日本"), 4u);
    EXPECT_EQ(face::display_width("e\xCC\x81"), 1u);  // e and a combining acute
}

TEST(text_layout, padding_reaches_the_width_and_never_cuts) {
    EXPECT_EQ(face::pad_right("µ", 3), "µ  ");
    EXPECT_EQ(face::pad_left("日", 3), " 日");
    EXPECT_EQ(face::pad_left("long", 2), "long");
}

TEST(text_layout, printable_text_cannot_upset_a_terminal) {
    EXPECT_EQ(face::printable("a\x1b[31mb"), "a?[31mb");
    EXPECT_EQ(face::printable("a\xFFz"), "a\xEF\xBF\xBDz");
    EXPECT_EQ(face::printable("a\xC0\xAFz"), "a\xEF\xBF\xBD\xEF\xBF\xBDz");  // overlong
    EXPECT_EQ(face::printable("\xE2\x82"), "\xEF\xBF\xBD\xEF\xBF\xBD");      // cut short
    EXPECT_EQ(face::printable("a\nµ"), "a\nµ");
    EXPECT_EQ(face::printable("\xC2\x9B"), "?");  // C1 control sequence introducer
}

TEST(text_layout, wrapping_breaks_at_spaces_and_keeps_every_character) {
    EXPECT_THAT(face::wrap("one two three", 8), ElementsAre("one two", "three"));
    EXPECT_THAT(face::wrap("a\n\nb", 8), ElementsAre("a", "", "b"));
    EXPECT_THAT(face::wrap("x abcdefghij", 4), ElementsAre("x", "abcd", "efgh", "ij"));
    EXPECT_THAT(face::wrap("日本語", 3), ElementsAre("日", "本", "語"));
    EXPECT_THAT(face::wrap("日本", 1),
                ElementsAre("日", "本"));  // a character that is too wide is printed all the same
    EXPECT_THAT(face::wrap("", 8), ElementsAre(""));
}

TEST(text_layout, separators_stand_every_three_digits) {
    EXPECT_EQ(face::with_separators(std::uint64_t{999}), "999");
    EXPECT_EQ(face::with_separators(std::uint64_t{81'204}), "81,204");
    EXPECT_EQ(face::with_separators(std::int64_t{-1'234'567}), "-1,234,567");
    EXPECT_EQ(face::with_separators(std::numeric_limits<std::int64_t>::min()), "-9,223,372,036,854,775,808");
}

TEST(text_layout, prefixes_and_durations_read_at_a_glance) {
    EXPECT_EQ(face::with_prefix(0), "0");
    EXPECT_EQ(face::with_prefix(999.4), "999");
    EXPECT_EQ(face::with_prefix(999.6), "1k");
    EXPECT_EQ(face::with_prefix(2'134'567), "2.13M");
    EXPECT_EQ(face::duration_text(0.0851), "85ms");
    EXPECT_EQ(face::duration_text(9.2), "9.2s");
    EXPECT_EQ(face::duration_text(59.6), "1m00s");
    EXPECT_EQ(face::duration_text(72), "1m12s");
    EXPECT_EQ(face::duration_text(11'105), "3h05m");
    EXPECT_EQ(face::duration_text(std::numeric_limits<double>::quiet_NaN()), "?");
    EXPECT_EQ(face::duration_text(1e30), ">1000h");
}

TEST(text_layout, each_number_of_a_column_has_three_digits) {
    EXPECT_THAT(face::number_column({3535.06, 10.22}), ElementsAre("3,535.1", "10.2"));
    EXPECT_THAT(face::number_column({3535.06, 10.22, 1.866}), ElementsAre("3,535.06", "10.22", "1.87"));
    EXPECT_THAT(face::number_column({20736.5, 0.01234}), ElementsAre("20,736", "0.01234"));
    EXPECT_THAT(face::number_column({0.0512, 0.000123}), ElementsAre("0.05120", "0.000123"));
}

TEST(text_layout, a_column_of_numbers_shares_its_decimals) {
    EXPECT_THAT(face::number_column({25.256, 8.029e-6, 0.0004111, 0}, "ms"),
                ElementsAre("25.26", "8.029 ns", "411.1 ns", "0.00"));
    EXPECT_THAT(face::number_column({300, 100.0 / 1048576, 5.0 / 1024}, "MiB"), ElementsAre("300.0", "100 B", "5 KiB"));
    EXPECT_THAT(face::number_column({25.256, 8.029e-6}, "share"), ElementsAre("25.26", "8.029e-06"));
    EXPECT_THAT(face::number_column({1.9083, 1, 0.25}), ElementsAre("1.908", "1.000", "0.250"));
    EXPECT_THAT(face::number_column({20736, 1}), ElementsAre("20,736", "1"));
    EXPECT_THAT(face::number_column({120.55, 3}), ElementsAre("120.5", "3.0"));
    EXPECT_THAT(face::number_column({3535.06, 0.5, 12}), ElementsAre("3,535.1", "0.5", "12.0"));
    EXPECT_THAT(face::number_column({-1234567.25, 0.125}), ElementsAre("-1,234,567.250", "0.125"));
    // A number that is not 0 never reads as 0; a NaN is shown as such.
    EXPECT_THAT(face::number_column({4000.6, 1e-9, std::numeric_limits<double>::infinity()}),
                ElementsAre("4,001", "1e-09", "-"));
    EXPECT_THAT(face::number_column({1e300}), ElementsAre("1e+300"));
}
