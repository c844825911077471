// SPDX-License-Identifier: Apache-2.0
// Plans of sweeps of `probe`, which is in the folder of this test's binary.
#include <filesystem>
#include <fstream>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "specs.h"
#include "sweep/plan.h"

namespace contraflow::sweep {
namespace {

namespace fs = std::filesystem;
using sweep_test::printed;
using sweep_test::spec_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

class planning_test : public testing::Test {
protected:
    planning_test() : folder_(sweep_test::own_folder("plan_test")) { fs::create_directories(folder_); }
    ~planning_test() override { fs::remove_all(folder_); }

    void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }

    std::optional<plan> try_plan(const std::string& text) {
        const auto spec = spec_of(text);
        config::diagnostics diag;
        diag.add_source("s.yaml", "platform: probe\n" + text);
        auto out = make_plan(spec.value, {spec.where("platform"), spec.where("configuration"), folder_, 2}, diag);
        errors_ = printed(diag);
        return out;
    }
    plan made(const std::string& text) {
        auto out = try_plan(text);
        EXPECT_EQ(errors_, "");
        return out ? *out : plan{};
    }
    std::string errors_of(const std::string& text) {
        EXPECT_FALSE(try_plan(text));
        return errors_;
    }
    std::set<std::string> ids(const std::string& text) {
        std::set<std::string> out;
        for (const point& p : made(text).points) out.insert(p.id);
        return out;
    }

    fs::path folder_;
    std::string errors_;
};

TEST_F(planning_test, a_point_is_named_by_what_it_runs_not_by_its_place) {
    const auto few = ids("grid: {factor: [1, 2], size: [1KiB]}");
    const auto more = ids("grid: {size: [2KiB, 1KiB], factor: [3, 2, 1]}");
    EXPECT_EQ(few.size(), 2U);
    EXPECT_EQ(more.size(), 6U);
    for (const std::string& id : few) EXPECT_TRUE(more.contains(id)) << id;
}

TEST_F(planning_test, the_same_value_in_another_writing_is_the_same_point) {
    const plan p = made("grid: {size: [1KiB, 1024B, 1025B], name: [\"a\"]}");
    EXPECT_EQ(p.points[0].id, p.points[1].id);
    EXPECT_NE(p.points[0].id, p.points[2].id);
    EXPECT_EQ(p.points[0].id, *ids("list: [{name: a, size: 1KiB, factor: 2}]").begin()) << "given or default";
    EXPECT_EQ(p.points[0].labels, (std::vector<std::string>{"1KiB", "a"}));
}

TEST_F(planning_test, a_setting_that_every_later_value_replaces_is_refused) {
    const std::string said =
        errors_of("set: {shape.height: 6}\ngrid: {shape: [{kind: fixed}, {kind: varied}], factor: [1, 2]}");
    EXPECT_THAT(said, HasSubstr("s.yaml:2:7: error: 'shape.height' has no effect: each value of 'shape' replaces it"));
    EXPECT_THAT(said, HasSubstr("give it in these values"));
    EXPECT_EQ(said.find("error:"), said.rfind("error:")) << "once, not for every point";
    EXPECT_THAT(errors_of("set: {\"parts[0].weight\": 1}\ngrid: {parts: [[{weight: 2}], [{weight: 3}]]}"),
                HasSubstr("s.yaml:2:7: error: 'parts[0].weight' has no effect: each value of 'parts' replaces it"));
    EXPECT_THAT(errors_of("list: [{shape.depth: 1}]\ngrid: {shape: [{depth: 2}]}"),
                HasSubstr("s.yaml:2:9: error: 'shape.depth' has no effect"));
    EXPECT_THAT(errors_of("grid: {shape.depth: [1, 2], shape: [{depth: 2}]}"),
                HasSubstr("s.yaml:2:8: error: 'shape.d"));
    made("set: {shape.height: 6}\ngrid: {shape: [{kind: fixed}, {depth: 2}]}");  // it counts in the second
    made("set: {shape.height: 6}\ngrid: {shape: [{depth: 1}, {depth: 2}]}");
    made("set: {\"parts[1].weight\": 6}\nlist: [{factor: 1}, {\"parts[*]\": {weight: 1}}]");
    made("set: {\"parts[*].weight\": 6}\nlist: [{\"parts[0]\": {weight: 1}}]");
    made("set: {shape: {depth: 1}, factor: 2}\ngrid: {shape.height: [3], shape.kind: [varied]}");
}

TEST_F(planning_test, a_file_that_a_value_names_counts_with_its_content) {
    write("graph.mtx", "1 2\n");
    const auto before = ids("set: {input: graph.mtx}");
    EXPECT_EQ(ids("set: {input: graph.mtx}"), before);
    write("graph.mtx", "1 3\n");
    EXPECT_NE(ids("set: {input: graph.mtx}"), before);
}

TEST_F(planning_test, the_directory_tells_the_binary_and_the_id_does_not) {
    const plan p = made("set: {factor: 1}");
    EXPECT_EQ(p.points[0].directory, p.points[0].id + "-" + p.platform.sha256.substr(0, 8));
}

TEST_F(planning_test, configurations_are_swept_too) {
    write("first.yaml", "factor: 5\n");
    write("second.yaml", "factor: 6\n");
    const plan p = made("grid: {configuration: [first.yaml, second.yaml], size: [1B]}");
    ASSERT_EQ(p.points.size(), 2U);
    EXPECT_EQ(p.points[1].configuration->filename(), "second.yaml");
    EXPECT_EQ(p.points[1].labels[0], "second.yaml");
    EXPECT_EQ(p.points[0].id, *ids("list: [{factor: 5, size: 1B}]").begin());
}

TEST_F(planning_test, a_key_that_a_point_leaves_out_shows_its_default) {
    const plan p = made("list: [{factor: 7}, {name: x}]");
    EXPECT_THAT(p.points[0].labels, ElementsAre("7", "plain"));
    EXPECT_THAT(p.points[1].labels, ElementsAre("2", "x"));
}

TEST_F(planning_test, a_fixed_setting_names_its_parts_that_are_swept) {
    const plan p = made("set: {\"parts[0]\": {weight: 5}, factor: 3}\ngrid: {\"parts[0].weight\": [8, 9]}");
    EXPECT_THAT(p.given, ElementsAre(Pair("parts[0]", "{weight: 5}; parts[0].weight is swept"), Pair("factor", "3")));
}

TEST_F(planning_test, a_star_stands_for_every_element) {
    write("three.yaml", "parts: [{weight: 1}, {weight: 2}, {weight: 3}]\n");
    const plan p = made("configuration: three.yaml\ngrid: {\"parts[*].weight\": [9]}");
    EXPECT_THAT(p.points[0].sets, ElementsAre("parts[0].weight=9", "parts[1].weight=9", "parts[2].weight=9"));
    EXPECT_THAT(p.keys, ElementsAre("parts[*].weight"));
    EXPECT_THAT(errors_of("grid: {\"part[*].weight\": [9]}"),
                HasSubstr("s.yaml:2:8: error: the configuration has no list 'part'"));
    EXPECT_THAT(errors_of("set: {parts: []}\ngrid: {\"parts[*].weight\": [9]}"), HasSubstr("no list 'parts' with"));
    EXPECT_THAT(errors_of("grid: {\"parts[*].weight\": [101]}"),
                HasSubstr("s.yaml:2:28: error: parts[0].weight: '101'"));
}

TEST_F(planning_test, what_the_platform_refuses_is_shown_where_the_sweep_says_it) {
    const std::string said = errors_of("set: {naem: x}\ngrid:\n  factor: [1, two, 1001]\n  size: [1KiB, 5]\n");
    EXPECT_THAT(said, HasSubstr("s.yaml:2:7: error: unknown key 'naem'"));
    EXPECT_THAT(said, HasSubstr("did you mean 'name'?"));
    EXPECT_THAT(said, HasSubstr("s.yaml:4:15: error: factor: 'two' is not a whole number"));
    EXPECT_THAT(said, HasSubstr("s.yaml:4:20: error: factor: '1001' is out of range"));
    EXPECT_THAT(said, HasSubstr("s.yaml:5:16: error: size: '5'"));
    EXPECT_EQ(said.find("'naem'"), said.rfind("'naem'")) << "said once, not for every point";
    EXPECT_THAT(said, Not(HasSubstr("with "))) << "each value is wrong by itself";
}

TEST_F(planning_test, values_that_are_wrong_together_are_named_together) {
    EXPECT_THAT(errors_of("grid: {factor: [1, 13], name: [lucky, unlucky]}"),
                HasSubstr("s.yaml:2:39: error: this name does not go with 13\n"
                          "    2 | grid: {factor: [1, 13], name: [lucky, unlucky]}\n"
                          "      |                                       ^~~~~~~  another name; with factor=13"));
}

TEST_F(planning_test, a_mistake_in_the_configuration_is_shown_there) {
    write("bad.yaml", "factor: 3\nsize: much\n");
    const std::string said = errors_of("configuration: bad.yaml\ngrid: {factor: [1, 2]}");
    EXPECT_THAT(said, HasSubstr("bad.yaml:2:7: error: size: 'much'"));
    EXPECT_THAT(said, HasSubstr("    2 | size: much")) << "with its line";
    EXPECT_EQ(said.find("error"), said.rfind("error"));
}

TEST_F(planning_test, names_that_lead_nowhere) {
    write("basic.yaml", "factor: 1\n");
    EXPECT_THAT(errors_of("configuration: basci.yaml"), HasSubstr("s.yaml:2:16: error: there is no file 'basci.yaml'"));
    EXPECT_THAT(errors_, HasSubstr("did you mean 'basic.yaml'?"));
    EXPECT_THAT(errors_of("grid: {configuration: [basic.yaml, none]}"), HasSubstr("s.yaml:2:36: error"));
    config::diagnostics diag;
    EXPECT_FALSE(find_platform("pcie_tre", {"s.yaml", 1, 11}, diag));
    EXPECT_FALSE(find_platform("../bin/probe", {"s.yaml", 1, 12}, diag));
    EXPECT_THAT(printed(diag), HasSubstr("s.yaml:1:11: error: no platform 'pcie_tre'"));
    EXPECT_THAT(printed(diag), HasSubstr("did you mean 'pcie_tree'?"));
    EXPECT_THAT(printed(diag), HasSubstr("no platform '../bin/probe'"));
}

}  // namespace
}  // namespace contraflow::sweep
