// SPDX-License-Identifier: Apache-2.0
// The position of a value in a JSON text.
#include "config/text/json_position.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace contraflow::config
