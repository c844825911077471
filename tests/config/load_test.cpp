// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support.h"

namespace contraflow::config {
namespace {

using config_test::arbitration;
using config_test::errors_of;
using config_test::rich_spec;
using config_test::try_load;

const std::string least = "tree: {name: root}\n";  // all that rich_spec requires

TEST(load, nothing_given_leaves_the_defaults) {
    const auto [got, errors] = try_load<config_test::link_spec>("{}");
    EXPECT_EQ(errors, "");
    EXPECT_EQ(got.value, config_test::link_spec{});
}

TEST(load, every_kind_of_field) {
    std::ifstream in(CF_TEST_DATA "/fuzz/config/full.yaml", std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const auto [got, errors] = try_load<rich_spec>(text);
    ASSERT_EQ(errors, "");
    const auto& v = got.value;
    EXPECT_EQ(v.title, "a: \"b\" \x01 \xC3\xA9");
    EXPECT_EQ(v.inputs, 64u);
    EXPECT_EQ(v.tilt, -128);
    EXPECT_EQ(v.offset, std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ(v.seed, std::numeric_limits<std::uint64_t>::max());
    EXPECT_EQ(v.share, 1e-3);
    EXPECT_EQ(v.weights, (std::vector<unsigned>{1, 2, 1000}));
    EXPECT_EQ(v.labels, (std::vector<std::string>{"a b", "", "it's", "null_", "~", "1", "yes"}));
    EXPECT_EQ(v.matrix, (std::vector<std::vector<double>>{{1, -2.5}, {}, {1e300}}));
    EXPECT_EQ(v.max_payload, core::bytes{4096});
    EXPECT_EQ(v.clock, core::frequency{1.4e9});
    EXPECT_EQ(v.patience, core::sim_time::never());
    EXPECT_EQ(v.kind, arbitration::weighted);
    EXPECT_EQ(v.fallbacks, (std::vector{arbitration::oldest_first, arbitration::round_robin}));
    ASSERT_TRUE(v.socket_link);
    EXPECT_EQ(*v.socket_link, core::bandwidth::from_gib_per_s(11.6));
    ASSERT_TRUE(v.spare);
    EXPECT_EQ(v.spare->lanes, 1u);
    EXPECT_FALSE(v.spare->reversible);
    EXPECT_EQ(v.link.lanes, 4u) << "the parent's initialiser holds for what the file leaves out";
    EXPECT_EQ(v.link.sample_time, core::cycles{5000});
    ASSERT_EQ(v.tree.children.size(), 2u);
    EXPECT_EQ(v.tree.children[0].children.at(0).up.lanes, 2u);
    EXPECT_EQ(v.communications.at(0).size, core::bytes{3ull << 30});
    EXPECT_EQ(v.communications.at(0).start, core::sim_time{1'800'000});
    EXPECT_FALSE(v.communications.at(1).start);
}

TEST(load, where_and_origin_of_values) {
    const auto [got, errors] = try_load<rich_spec>("tree:\n  name: root\ncommunications:\n  - {from: a, to: b}\n",
                                                   {"link.lanes=8", "communications[0].size=1kB", "spare={lanes: 2}"});
    ASSERT_EQ(errors, "");
    EXPECT_EQ(to_text(got.where("tree.name")), "p.yaml:2:9");
    EXPECT_EQ(to_text(got.where("communications[0].to")), "p.yaml:4:19");
    EXPECT_EQ(to_text(got.where("communications[0].start")), "p.yaml:4:5") << "the parent's place";
    EXPECT_EQ(to_text(got.where("communications[0].size")), "--set:2:24");
    EXPECT_EQ(to_text(got.where("link.lanes")), "--set:1:12");
    EXPECT_EQ(to_text(got.where("link")), "--set:1:6");
    EXPECT_EQ(to_text(got.where("spare.lanes")), "--set:3:15");
    EXPECT_EQ(to_text(got.where("spare.reversible")), "--set:3:7");
    EXPECT_EQ(to_text(got.where("title")), "p.yaml");
    EXPECT_EQ(to_text(got.where("not a path")), "p.yaml");
    EXPECT_EQ(got.origin("tree.name"), "file");
    EXPECT_EQ(got.origin("communications[0].size"), "set");
    EXPECT_EQ(got.origin("communications[0].start"), "default");
    EXPECT_EQ(got.origin("link.lanes"), "set");
    EXPECT_EQ(got.origin("link.reversible"), "default");
}

TEST(load, of_values_that_do_not_go_together_the_one_given_last_is_shown) {
    const problem p{"lanes 8, share 0.5",
                    {{"share", "at least 0.7"}, {"link.lanes", "at most 4"}, {"title", "another"}}};
    const auto shown = [&p](const std::string& text, const std::vector<std::string>& sets) {
        const auto [got, errors] = try_load<rich_spec>(least + text, sets);
        EXPECT_EQ(errors, "");
        diagnostics diag;
        got.report(p, diag);
        return config_test::printed(diag);
    };
    EXPECT_EQ(shown("", {}), "p.yaml: error: share: lanes 8, share 0.5; allowed: at least 0.7\n");
    EXPECT_EQ(shown("title: x\n", {}), "p.yaml:2:8: error: title: lanes 8, share 0.5; allowed: another\n");
    EXPECT_EQ(shown("title: x\nshare: 0.5\n", {}),
              "p.yaml:3:8: error: share: lanes 8, share 0.5; allowed: at least 0.7\n");
    EXPECT_EQ(shown("share: 0.5\n", {"link.lanes=8"}),
              "--set:1:12: error: link.lanes: lanes 8, share 0.5; allowed: at most 4\n");
    EXPECT_EQ(first_text(below("gpu", {p})), "lanes 8, share 0.5; gpu.share: at least 0.7");
    EXPECT_EQ(first_text({}), "");
}

TEST(load, a_list_that_is_set_replaces_that_of_the_files) {
    const auto [got, errors] = try_load<rich_spec>(least + "communications:\n  - {from: a, to: b, size: 2B}\n",
                                                   {"communications=[{from: x, to: y}]"});
    ASSERT_EQ(errors, "");
    EXPECT_EQ(got.value.communications.at(0).size, core::bytes{1 << 20});
    EXPECT_EQ(got.origin("communications[0].size"), "default");
    EXPECT_EQ(got.origin("communications[0].to"), "set");
}

TEST(load, a_map_that_is_set_is_laid_over_the_files) {
    const auto [got, errors] = try_load<rich_spec>(least + "link: {lanes: 2, reversible: false}\nspare: {lanes: 8}\n",
                                                   {"link={lanes: 32}", "spare={reversible: false}"});
    ASSERT_EQ(errors, "");
    EXPECT_EQ(got.value.link.lanes, 32u);
    EXPECT_FALSE(got.value.link.reversible);
    EXPECT_EQ(got.origin("link.lanes"), "set");
    EXPECT_EQ(got.origin("link.reversible"), "file");
    EXPECT_EQ(got.value.spare->lanes, 8u);
    EXPECT_EQ(got.origin("spare.lanes"), "file");
}

TEST(load, null_makes_an_optional_absent) {
    const auto [got, errors] =
        try_load<rich_spec>(least + "spare: {lanes: 8}\n", {"spare=null", "spare.reversible=false"});
    ASSERT_EQ(errors, "");
    EXPECT_EQ(got.value.spare->lanes, 16u) << "as if it had never been given";
    EXPECT_EQ(got.origin("spare.lanes"), "default");
    EXPECT_EQ(got.origin("spare.reversible"), "set");
}

TEST(load, what_the_program_changes_is_called_computed) {
    auto [got, errors] = try_load<rich_spec>(least);
    ASSERT_EQ(errors, "");
    got.value.tree.children.resize(1);
    got.mark_computed("tree.children");
    EXPECT_EQ(got.origin("tree.children[0].up.lanes"), "computed");
    EXPECT_EQ(got.origin("tree.name"), "file");
    EXPECT_THAT(print(got), testing::HasSubstr("# name of the node [computed]"));
}

TEST(load, without_a_file) {
    diagnostics diag;
    const auto got = load<rich_spec>(std::nullopt, {"tree.name=x"}, diag);
    EXPECT_FALSE(diag.failed());
    EXPECT_EQ(got.value.tree.name, "x");
    EXPECT_EQ(got.where("title"), location{});

    diagnostics missing;
    load<rich_spec>(std::nullopt, {}, missing);
    EXPECT_EQ(config_test::printed(missing), "error: 'name' is missing in tree; wanted: a text\n");
}

TEST(load, block_texts_quotes_and_both_line_ends) {
    const auto [got, errors] = try_load<rich_spec>(
        "title: |\r\n  two\r\n  lines\r\nlabels: ['a''b', \"c\\u00e4\", >-x, plain words]\r\ntree:\r\n  name: 'x'\r\n");
    EXPECT_THAT(errors, testing::HasSubstr("p.yaml:4:"));  // block text is not allowed inside brackets
    const auto [block, none] = try_load<rich_spec>("\xEF\xBB\xBFtitle: |\r\n  two\r\n  lines\r\ntree: {name: 'x'}\r\n");
    EXPECT_EQ(none, "");
    EXPECT_EQ(block.value.title, "two\nlines\n");
    EXPECT_EQ(to_text(block.where("title")), "p.yaml:1:8");
}

struct base_spec {
    int shared = 1;
};
struct derived_spec : base_spec {
    std::vector<std::optional<int>> maybe;
    static void describe(fields<derived_spec>& f) {
        f("shared", &derived_spec::shared).text("a base's member");
        f("maybe", &derived_spec::maybe).in(0, 9);
    }
};

TEST(load, members_of_a_base_and_optional_elements) {
    const auto [got, errors] = try_load<derived_spec>("shared: 0x1F\nmaybe: [1, ~, 3]\n");
    ASSERT_EQ(errors, "");
    EXPECT_EQ(got.value.shared, 31);
    EXPECT_EQ(got.value.maybe, (std::vector<std::optional<int>>{1, std::nullopt, 3}));
    EXPECT_EQ(print(got.value), "shared: 31                               # a base's member\nmaybe: [1, null, 3]\n");
    EXPECT_THAT(errors_of<derived_spec>("maybe: [10]"), testing::HasSubstr("allowed: 0 to 9"));
}

}  // namespace
}  // namespace contraflow::config
