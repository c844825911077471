// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "support.h"

namespace contraflow::config {
namespace {

using config_test::errors_of;
using config_test::try_load;

struct open_spec {
    unsigned lanes = 8;
    std::optional<free_value> grid;
    static void describe(fields<open_spec>& f) {
        f("lanes", &open_spec::lanes).in(1, 64);
        f("grid", &open_spec::grid).text("anything");
    }
};

constexpr auto written = "lanes: 4\n"
                         "grid:\n"
                         "  link.lanes: [1, '2', 4MiB]\n"
                         "  tree[*].name: {a: null, \"b c\": [x, \"y, z\"]}\n";

TEST(free_value, is_kept_as_it_was_written_with_positions) {
    const auto [got, errors] = try_load<open_spec>(written);
    ASSERT_EQ(errors, "");
    const free_value& grid = *got.value.grid;
    ASSERT_EQ(grid.kind, node_kind::map);
    EXPECT_EQ(grid.keys.at(1).text, "tree[*].name");
    EXPECT_EQ(grid.items.at(0).items.at(2).text, "4MiB");
    EXPECT_TRUE(grid.items.at(0).items.at(1).is_quoted);
    EXPECT_EQ(grid.items.at(0).items.at(2).at, (location{"p.yaml", 3, 24}));
    EXPECT_EQ(to_yaml(grid), R"({link.lanes: [1, "2", 4MiB], "tree[*].name": {a: null, "b c": [x, "y, z"]}})");
}

TEST(free_value, what_is_printed_reads_back_as_the_same) {
    const auto [got, errors] = try_load<open_spec>(written);
    ASSERT_EQ(errors, "");
    const auto [again, more_errors] = try_load<open_spec>(print(got));
    ASSERT_EQ(more_errors, "");
    EXPECT_EQ(to_yaml(*again.value.grid), to_yaml(*got.value.grid));
    EXPECT_EQ(print(again), print(got));
}

TEST(free_value, plain_text_with_a_comma_is_quoted_within_brackets) {
    const auto [got, errors] = try_load<open_spec>("grid:\n  note: y, z\n");
    ASSERT_EQ(errors, "");
    EXPECT_FALSE(got.value.grid->items.at(0).is_quoted);
    EXPECT_EQ(to_yaml(*got.value.grid), R"({note: "y, z"})");
}

TEST(free_value, absent_and_null_are_the_same) {
    EXPECT_FALSE(try_load<open_spec>("lanes: 1").got.value.grid);
    EXPECT_FALSE(try_load<open_spec>("grid: null").got.value.grid);
    EXPECT_NE(print(open_spec{}).find("grid: null"), std::string::npos);
}

TEST(free_value, set_reaches_into_a_map_by_the_rest_of_the_path) {
    const auto [got, errors] = try_load<open_spec>(written, {"grid.link.lanes=[16]", "grid.seed=[1, 2]", "lanes=2"});
    ASSERT_EQ(errors, "");
    EXPECT_EQ(to_yaml(*got.value.grid),
              R"({link.lanes: [16], "tree[*].name": {a: null, "b c": [x, "y, z"]}, seed: [1, 2]})");
    EXPECT_EQ(got.origin("grid"), "set");
    const auto [fresh, more_errors] = try_load<open_spec>("lanes: 1", {"grid.a.b[2].c=x"});
    ASSERT_EQ(more_errors, "");
    EXPECT_EQ(to_yaml(*fresh.value.grid), R"({"a.b[2].c": x})");
    EXPECT_EQ(try_load<open_spec>(written, {"grid=[3]"}).got.value.grid->kind, node_kind::list);
}

TEST(free_value, set_cannot_reach_into_what_is_no_map) {
    EXPECT_NE(errors_of<open_spec>("grid: [1]", {"grid.a=1"}).find("--set:1:6: error: grid is no map to reach into"),
              std::string::npos);
    EXPECT_NE(errors_of<open_spec>("grid: {a: 1}", {"grid[0]=1"}).find("grid is no map"), std::string::npos);
}

TEST(free_value, is_any_yaml_to_the_documentation_and_the_schema) {
    EXPECT_NE(describe<open_spec>().find("any YAML"), std::string::npos);
    EXPECT_EQ(json_schema<open_spec>("open")["properties"]["grid"]["anyOf"][0], nlohmann::ordered_json::object());
}

TEST(free_value, mistakes_inside_are_still_found) {
    EXPECT_NE(errors_of<open_spec>("grid: {a: 1, a: 2}").find("p.yaml:1:14: error"), std::string::npos);
    EXPECT_NE(errors_of<open_spec>("grid: {a: *b}").find("error"), std::string::npos);
}

}  // namespace
}  // namespace contraflow::config
