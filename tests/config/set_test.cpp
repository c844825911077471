// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support.h"

namespace contraflow::config {
namespace {

using config_test::errors_of;
using config_test::rich_spec;
using config_test::try_load;
using testing::HasSubstr;

const std::string filled = "tree: {name: root, children: [{name: a}]}\ncommunications: [{from: a, to: b}]\n";

TEST(set, reaches_every_value) {
    const auto [got, errors] =
        try_load<rich_spec>(filled, {"title=two words", "weights=[3, 4]", "weights[1]=5", "communications[0].size=1MiB",
                                     "matrix=[[1], [2, 3]]", "matrix[1][0]=7.5", "tree.children[0].up.lanes=2",
                                     "spare.lanes=8", "socket_link=1 GB/s", "kind=weighted", "labels=[\"x=y\", 'a#b']",
                                     "tree.children[0].name=\"\"", "link={lanes: 32, reversible: false}"});
    ASSERT_EQ(errors, "");
    const auto& v = got.value;
    EXPECT_EQ(v.title, "two words");
    EXPECT_EQ(v.weights, (std::vector<unsigned>{3, 5}));
    EXPECT_EQ(v.communications[0].size, core::bytes{1 << 20});
    EXPECT_EQ(v.matrix, (std::vector<std::vector<double>>{{1}, {7.5, 3}}));
    EXPECT_EQ(v.tree.children[0].up.lanes, 2u);
    EXPECT_EQ(v.tree.children[0].name, "");
    EXPECT_EQ(v.spare->lanes, 8u);
    EXPECT_EQ(*v.socket_link, core::bandwidth{1e9});
    EXPECT_EQ(v.kind, config_test::arbitration::weighted);
    EXPECT_EQ(v.labels, (std::vector<std::string>{"x=y", "a#b"}));
    EXPECT_EQ(v.link.lanes, 32u);
}

TEST(set, reaches_every_element_of_a_list_at_once) {
    const std::string two = "communications: [{from: a, to: b}, {from: b, to: a}]\n";
    const auto [got, errors] = try_load<rich_spec>(
        "tree: {name: root}\n" + two, {"communications[*].size=1MiB", "matrix=[[1, 2], [3]]", "matrix[*][*]=4"});
    ASSERT_EQ(errors, "");
    for (const auto& c : got.value.communications) EXPECT_EQ(c.size, core::bytes{1 << 20});
    EXPECT_EQ(got.value.matrix, (std::vector<std::vector<double>>{{4, 4}, {4}}));
    EXPECT_EQ(got.origin("communications[1].size"), "set");
    const auto said = [&](const std::string& argument) {
        return errors_of<rich_spec>("tree: {name: root}\n" + two, {argument});
    };
    const std::string once = said("communications[*].sise=1");
    EXPECT_THAT(once, HasSubstr("--set:1:19: error: unknown key 'sise'"));
    EXPECT_EQ(once.find("error:"), once.rfind("error:")) << once;
    EXPECT_THAT(said("labels[*]=x"), HasSubstr("--set:1:7: error: labels is empty"));
    EXPECT_THAT(said("title[*]=x"), HasSubstr("--set:1:6: error: title is not a list"));
}

TEST(set, the_last_one_counts_and_defaults_can_be_reached_into) {
    const auto [got, errors] = try_load<rich_spec>(filled, {"seed=1", "seed=2", "weights[0]=9"});
    ASSERT_EQ(errors, "");
    EXPECT_EQ(got.value.seed, 2u);
    EXPECT_EQ(got.value.weights, (std::vector<unsigned>{9, 1}));
    EXPECT_EQ(to_text(got.where("seed")), "--set:2:6");
    EXPECT_THAT(
        print(got),
        HasSubstr("weights: [9, 1]                          # TLPs an input may send in its turn (TLPs) [set]"));
}

TEST(set, errors_point_into_the_argument) {
    EXPECT_EQ(errors_of<rich_spec>(filled, {"seed=1", "link.lane=16"}),
              "--set:2:6: error: unknown key 'lane' in link\n"
              "    2 | link.lane=16\n"
              "      |      ^~~~  did you mean 'lanes'? known: lanes, lane_rate, sample_time, reversible\n");
    EXPECT_EQ(errors_of<rich_spec>(filled, {"communications[0].size=3XB"}),
              "--set:1:24: error: communications[0].size: '3XB' has an unknown unit (known: B, kB, MB, GB, TB, KiB, "
              "MiB, GiB, "
              "TiB)\n"
              "    1 | communications[0].size=3XB\n"
              "      |                        ^~~  wanted: a size such as 300MiB or 64kB, 1B to 1TiB\n");
    EXPECT_EQ(errors_of<rich_spec>(filled, {"communications[2].size=1MiB"}),
              "--set:1:15: error: communications has no element [2]\n"
              "    1 | communications[2].size=1MiB\n"
              "      |               ^  allowed: [0] to [0]\n");
}

TEST(set, paths_that_lead_nowhere) {
    const auto errors = [](const std::string& argument) { return errors_of<rich_spec>(filled, {argument}); };
    EXPECT_THAT(errors("labels[0]=x"),
                HasSubstr("labels has no element [0]\n    1 | labels[0]=x\n      |       ^  it is empty"));
    EXPECT_THAT(errors("inputs.x=1"), HasSubstr("--set:1:8: error: inputs is a single value, it has no 'x'"));
    EXPECT_THAT(errors("communications.from=x"), HasSubstr("choose an element, such as communications[0]"));
    EXPECT_THAT(errors("link[0]=x"), HasSubstr("link is not a list"));
    for (const auto* path : {"=1", ".a=1", "a..b=1", "a.=1", "a[=1", "a[]=1", "a[-1]=1", "a[x]=1", "[0]=1", "a b=1",
                             "a[0]b=1", "a[99999999999999999999999]=1", "link.lanes[0=1"}) {
        EXPECT_THAT(errors(path), HasSubstr("this is no path to a value")) << path;
    }
}

TEST(set, arguments_without_a_value) {
    const auto errors = [](const std::string& argument) { return errors_of<rich_spec>(filled, {argument}); };
    EXPECT_THAT(errors("inputs"), HasSubstr("--set:1:1: error: no '=' in a --set"));
    EXPECT_THAT(errors(""), HasSubstr("no '=' in a --set"));
    for (const auto* argument : {"title=", "title=  ", "title=#x"}) {
        EXPECT_THAT(errors(argument), HasSubstr("--set:1:6: error: title: no value given")) << argument;
    }
    EXPECT_THAT(errors("title=a\nb"), HasSubstr("a --set is one line"));
    EXPECT_THAT(errors("title=\xff"), HasSubstr("not UTF-8 text"));
    EXPECT_THAT(errors(std::string("title=\0", 7)), HasSubstr("not UTF-8 text"));
    EXPECT_THAT(errors("weights=[1"), HasSubstr("--set:1:9: error: not valid YAML: this bracket"));
    EXPECT_THAT(errors("title=\"x"), HasSubstr("--set:1:"));
}

TEST(set, is_checked_even_if_the_file_is_unreadable) {
    const auto text = errors_of<rich_spec>("a: [", {"inputs=65"});
    EXPECT_THAT(text, HasSubstr("p.yaml:1:4: error: not valid YAML"));
    EXPECT_THAT(text, HasSubstr("--set:1:8: error: inputs: '65' is out of range"));
    EXPECT_THAT(text, testing::Not(HasSubstr("missing")));
}

}  // namespace
}  // namespace contraflow::config
