// SPDX-License-Identifier: Apache-2.0
// The position of a value in a JSON text.
#include "config/text/json_position.h"

#include <gtest/gtest.h>

#include "config/text/json_document.h"

namespace contraflow::config {
namespace {

TEST(json_position, finds_values_or_their_nearest_ancestor) {
    const std::string text = R"({"a": [1, {"b": "x]"}, [[], {}]], "c": null})";
    EXPECT_EQ(text.substr(find_json_value(text, "a[1].b"), 4), "\"x]\"");
    EXPECT_EQ(text.substr(find_json_value(text, "a[2][1]"), 2), "{}");
    EXPECT_EQ(text.substr(find_json_value(text, "a[2][7]"), 2), "[[");
    EXPECT_EQ(text.substr(find_json_value(text, "c"), 4), "null");
    EXPECT_EQ(find_json_value(text, "d"), 0u);
    EXPECT_EQ(find_json_value(text, ""), 0u);
    EXPECT_EQ(line_and_column("ab\ncd", 4), (std::pair{2U, 2U}));
}

TEST(json_position, finds_keys) {
    const std::string text = "{\"a\": [1, {\"b.c\": 2, \"\\u0064\": 3}]}";
    EXPECT_EQ(text.substr(find_json_key(text, "a[1]", "b.c"), 5), "\"b.c\"");
    EXPECT_EQ(text.substr(find_json_key(text, "a[1]", "d"), 8), "\"\\u0064\"");
    EXPECT_EQ(text.substr(find_json_key(text, "a[1]", "e"), 2), "{\"");
}

TEST(json_position, finds_a_key_that_is_in_its_object_before) {
    const auto offset = [](std::string_view text) {
        const auto found = find_repeated_json_key(text);
        return found ? static_cast<int>(found->offset) : -1;
    };
    EXPECT_EQ(offset(R"({"a": 1, "b": {"a": 2}, "c": ["a", "a", {"a": true}, {"a": -1e3}]})"), -1);
    EXPECT_EQ(offset(R"({"a": "a", "b": "a,{"})"), -1);
    EXPECT_EQ(offset(R"({"a": 1, "b": [{"c": 1}], "a": 2})"), 26);
    EXPECT_EQ(offset(R"([{"a": [1, "x"], "\u0061": 2}])"), 17);
    EXPECT_EQ(offset("\xef\xbb\xbf{\"a\":1,\"a\":2}"), 10);
    EXPECT_EQ(offset("3"), -1);
    EXPECT_EQ(find_repeated_json_key(R"({"\u0061": 1, "a": 2})")->key, "a");
}

TEST(json_document, a_byte_0_is_refused_at_its_place_and_is_no_end) {
    json_mistake wrong;
    EXPECT_FALSE(parse_json(std::string_view("{\"a\": 1}\n\0]]", 12), wrong));
    EXPECT_EQ(wrong.message, "not JSON: byte 0x00");
    EXPECT_EQ((std::pair{wrong.line, wrong.column}), (std::pair{2U, 1U}));
}

}  // namespace
}  // namespace contraflow::config
