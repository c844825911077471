// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "specs.h"
#include "sweep/points.h"

namespace contraflow::sweep {
namespace {

using sweep_test::printed;
using sweep_test::spec_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> texts(const expansion& of) {
    std::vector<std::string> out;
    for (const auto& point : of.points) {
        std::string& text = out.emplace_back();
        for (const assignment& a : point) text += (text.empty() ? "" : " ") + a.key + "=" + a.value;
    }
    return out;
}

expansion expanded(const std::string& text) {
    config::diagnostics diag;
    expansion out = expand(spec_of(text).value, diag);
    EXPECT_EQ(printed(diag), "");
    return out;
}

std::string errors_of(const std::string& text) {
    config::diagnostics diag;
    expand(spec_of(text).value, diag);
    return printed(diag);
}

TEST(points, a_grid_is_every_combination_the_last_key_first) {
    const expansion e = expanded("grid: {a: [1, 2], b.c: [x, y, z]}");
    EXPECT_THAT(e.keys, ElementsAre("a", "b.c"));
    EXPECT_THAT(texts(e), ElementsAre("a=1 b.c=x", "a=1 b.c=y", "a=1 b.c=z", "a=2 b.c=x", "a=2 b.c=y", "a=2 b.c=z"));
}

TEST(points, a_list_is_combined_with_the_grid) {
    const expansion e = expanded("grid: {g: [1, 2]}\nlist: [{a: 1}, {b: 2, a: 3}]");
    EXPECT_THAT(e.keys, ElementsAre("a", "b", "g"));
    EXPECT_THAT(texts(e), ElementsAre("a=1 g=1", "a=1 g=2", "b=2 a=3 g=1", "b=2 a=3 g=2"));
}

TEST(points, a_sweep_of_nothing_is_one_run) {
    const expansion e = expanded("set: {seed: 3}");
    EXPECT_THAT(texts(e), ElementsAre(""));
    ASSERT_EQ(e.common.size(), 1U);
    EXPECT_EQ(e.common[0].key, "seed");
}

TEST(points, values_of_any_kind) {
    const expansion e = expanded("grid: {w: [{name: bfs, size: [1, 2]}, null, 'a: b', \"12\"]}");
    EXPECT_THAT(texts(e), ElementsAre("w={name: bfs, size: [1, 2]}", "w=null", "w=\"a: b\"", "w=\"12\""));
    EXPECT_EQ(e.points[2][0].label, "a: b");
    EXPECT_EQ(e.points[3][0].label, "12");
}

TEST(points, know_where_they_stand) {
    const expansion e = expanded("grid:\n  link.lanes: [4, 16]\n");
    EXPECT_EQ(e.points[1][0].key_at, (config::location{"s.yaml", 3, 3}));
    EXPECT_EQ(e.points[1][0].value_at, (config::location{"s.yaml", 3, 19}));
}

TEST(points, what_is_no_sweep_is_refused_at_its_place) {
    EXPECT_THAT(errors_of("grid: [1, 2]"), HasSubstr("s.yaml:2:7: error: a map of key to list of values is wanted"));
    EXPECT_THAT(errors_of("grid: {a: 1}"), HasSubstr("s.yaml:2:11: error: a list of values for 'a' is wanted here"));
    EXPECT_THAT(errors_of("grid: {a: []}"), HasSubstr("s.yaml:2:11: error: the list is empty"));
    EXPECT_THAT(errors_of("grid: {a: [1, 2, 1]}"), HasSubstr("s.yaml:2:18: error: 1 is in the list already"));
    EXPECT_THAT(errors_of("list: {a: 1}"), HasSubstr("s.yaml:2:7: error: a list of maps is wanted"));
    EXPECT_THAT(errors_of("list: [1]"), HasSubstr("s.yaml:2:8: error: a map of key to value is wanted"));
    EXPECT_THAT(errors_of("list: []"), HasSubstr("s.yaml:2:7: error: the list is empty"));
    EXPECT_THAT(errors_of("set: {configuration: a}"), HasSubstr("s.yaml:2:7: error"));
}

TEST(points, a_key_is_given_once) {
    EXPECT_THAT(errors_of("set: {a: 1}\ngrid: {a: [2]}"),
                HasSubstr("s.yaml:3:8: error: 'a' is given by `set` as well"));
    EXPECT_THAT(errors_of("list: [{a: 1}]\ngrid: {a: [2]}"), HasSubstr("'a' is given by `list` as well"));
    EXPECT_THAT(errors_of("set: {a: 1}\nlist: [{a: 1}]"), HasSubstr("s.yaml:3:9: error: 'a' is given by `set`"));
}

TEST(points, parts_of_values) {
    EXPECT_EQ(part_below("a.b", "a"), ".b");
    EXPECT_EQ(part_below("a[0].b", "a"), "[0].b");
    EXPECT_EQ(part_below("a", "a"), "");
    EXPECT_EQ(part_below("a[12].b", "a[*].b"), "");
    EXPECT_EQ(part_below("a[*].b.c", "a[*].b"), ".c");
    EXPECT_EQ(part_below("a", "a.b"), std::nullopt);
    EXPECT_EQ(part_below("ab", "a"), std::nullopt);
    EXPECT_EQ(part_below("a[1].c", "a[*].b"), std::nullopt);
    EXPECT_EQ(part_below("a[1", "a[*].b"), std::nullopt);
}

TEST(points, a_sweep_that_would_never_end_is_refused) {
    std::string text = "grid:\n";
    for (int i = 0; i < 40; ++i) text += "  k" + std::to_string(i) + ": [1, 2, 3]\n";
    EXPECT_THAT(errors_of(text), HasSubstr("more than 100000 points"));
}

}  // namespace
}  // namespace contraflow::sweep
