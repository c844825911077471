// SPDX-License-Identifier: Apache-2.0
// Case files with every possible mistake: an error with its place, never a crash.
#include "link/cases/lane_case_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support.h"

namespace contraflow::link {
namespace {

using ::testing::HasSubstr;
using json = nlohmann::json;

json good() {
    return json::parse(R"([{"name": "one", "source": "x", "parameters": {"sample_time": 100, "policy": "guarded"},
        "trace": [[10, 8, 1e0], "launch", [0, 0, 0]],
        "expected": {"windows": [{"end": 100, "busy_ab": 80, "capacity_ab": 800, "busy_ba": 10, "capacity_ba": 800,
                                  "decision": "none", "lanes_ab": 8, "lanes_ba": 8, "queued_ab": 0, "queued_ba": 0}],
                     "served_ab": 80, "served_ba": 10, "drained": 10, "turns": 0}}])");
}

std::string first_error(const std::string& text) {
    const lane_case_file file = parse_lane_cases(text);
    if (file.problems.empty()) return "";
    const auto& p = file.problems.front();
    return std::to_string(p.line) + ":" + std::to_string(p.column) + ": " + p.path + ": " + p.message;
}

std::string after(const std::string& pointer, const json& value) {
    json document = good();
    document[json::json_pointer("/0" + pointer)] = value;
    return first_error(document.dump(1));
}

std::string without(const std::string& pointer, const std::string& key) {
    json document = good();
    document[json::json_pointer("/0" + pointer)].erase(key);
    return first_error(document.dump(1));
}

TEST(lane_case_file, a_good_one_has_no_errors) {
    const lane_case_file file = parse_lane_cases(good().dump());
    EXPECT_TRUE(file.problems.empty());
    ASSERT_EQ(file.cases.size(), 1u);
    const lane_case& c = file.cases[0];
    EXPECT_EQ(c.spec.sample_time.count, 100u);
    EXPECT_EQ(c.spec.switch_time.count, 100u);
    EXPECT_EQ(c.spec.policy, "guarded");
    ASSERT_EQ(c.trace.size(), 3u);
    EXPECT_EQ(c.trace[0].arrivals.ba, 1u);
    EXPECT_TRUE(c.trace[1].launch);
    ASSERT_TRUE(c.expected.has_value());
    EXPECT_EQ(c.expected->windows[0].lanes.capacity.ab, 800u);
    EXPECT_EQ(without("", "expected"), "");
    EXPECT_EQ(without("", "parameters"), "");
}

TEST(lane_case_file, mistakes_are_named) {
    EXPECT_THAT(after("/parameters/sample_tme", 1), HasSubstr("unknown key 'sample_tme'"));
    EXPECT_THAT(after("/parameters/policy", "publishd"), HasSubstr("did you mean 'published'?"));
    EXPECT_THAT(after("/parameters/policy", 3), HasSubstr("[0].parameters.policy: no policy"));
    EXPECT_THAT(after("/parameters/sample_time", 0), HasSubstr("a whole number from 1 to"));
    EXPECT_THAT(after("/parameters/switch_time", -1), HasSubstr("a whole number from 0 to"));
    EXPECT_THAT(after("/parameters/drain", 1.5), HasSubstr("a whole number"));
    EXPECT_THAT(after("/parameters/sync_latency", "4"), HasSubstr("[0].parameters.sync_latency: a whole number"));
    EXPECT_THAT(after("/parameters/exchange", "4"), HasSubstr("[0].parameters.exchange: a whole number"));
    EXPECT_THAT(after("/parameters", {{"exchange", 4}, {"sync_latency", 4}}),
                HasSubstr("[0].parameters.exchange: another name of sync_latency"));
    EXPECT_THAT(after("/parameters/lanes_per_direction", 65), HasSubstr("from 1 to 64"));
    EXPECT_THAT(after("/parameters/min_lanes", 9), HasSubstr("min_lanes is 9, but there are 8 lanes"));
    EXPECT_THAT(after("/parameters", 7), HasSubstr("an object is wanted, not number"));
    EXPECT_THAT(after("/trace", "launch"), HasSubstr("an array is wanted"));
    EXPECT_THAT(after("/trace/1", "lunch"), HasSubstr("[0].trace[1]: a row is"));
    EXPECT_THAT(after("/trace/1", json::array({1, 2})), HasSubstr("a row is"));
    EXPECT_THAT(after("/trace/0/1", -8), HasSubstr("[0].trace[0][1]: a whole number"));
    EXPECT_THAT(after("/trace/0/0", 1e300), HasSubstr("a whole number"));
    EXPECT_THAT(after("/tracee", 1), HasSubstr("[0]: unknown key 'tracee'"));
    EXPECT_THAT(after("/name", ""), HasSubstr("a text is wanted"));
    EXPECT_THAT(without("", "name"), HasSubstr("'name' is missing"));
    EXPECT_THAT(without("", "trace"), HasSubstr("'trace' is missing"));
    EXPECT_THAT(after("/expected/windows/0/decision", "left"), HasSubstr("one of none, to_ab, to_ba"));
    EXPECT_THAT(without("/expected/windows/0", "busy_ab"), HasSubstr("'busy_ab' is missing"));
    EXPECT_THAT(without("/expected", "turns"), HasSubstr("'turns' is missing"));
}

TEST(lane_case_file, an_error_points_at_line_and_column) {
    EXPECT_THAT(first_error("[{\"name\": \"x\",\n  \"trace\": [[1, 2, -3]]}]"), HasSubstr("2:20: [0].trace[0][2]"));
    EXPECT_THAT(first_error("[\n  {\"name\": }]"), HasSubstr("2:12: : not JSON"));
    EXPECT_THAT(first_error("{}"), HasSubstr("1:1: : a list of cases is wanted"));
    EXPECT_THAT(first_error("[]"), HasSubstr("holds no case"));
    EXPECT_THAT(first_error("[1]"), HasSubstr("an object is wanted, not number"));
    EXPECT_THAT(first_error(""), HasSubstr("not JSON"));
    EXPECT_THAT(first_error("[1,\n 1e999]"), HasSubstr("2:2: : not JSON: number overflow parsing '1e999'"));
}

TEST(lane_case_file, what_could_not_end_is_refused) {
    EXPECT_THAT(after("/trace/0", json::array({1'000'000'000'000, 1'000'000, 0})), HasSubstr("phits arrive"));
    EXPECT_THAT(after("/trace/0", json::array({1'000'000'000'000, 0, 0})), HasSubstr("windows of sample_time"));
}

TEST(lane_case_file, two_cases_have_two_names) {
    json document = good();
    document.push_back(document[0]);
    EXPECT_THAT(first_error(document.dump()), HasSubstr("[1].name: a second case named 'one'"));
}

TEST(lane_case_file, problems_are_bounded) {
    json document = json::array();
    for (int i = 0; i < 1000; ++i) document.push_back(i);
    EXPECT_EQ(parse_lane_cases(document.dump()).problems.size(), 100u);
}

TEST(lane_case_file, the_first_difference_is_told) {
    const auto c = parse_lane_cases(good().dump()).cases[0];
    const replay_result expected = *c.expected;
    EXPECT_EQ(first_difference(expected, expected), "");
    replay_result r = expected;
    r.windows[0].lanes.busy.ba = 11;
    EXPECT_EQ(first_difference(r, expected), "window 0 (end 100): busy_ba is 11, expected 10");
    r = expected;
    r.windows.clear();
    EXPECT_EQ(first_difference(r, expected), "0 windows, expected 1");
    r = expected;
    r.turns = 4;
    EXPECT_EQ(first_difference(r, expected), "turns is 4, expected 0");
}

}  // namespace
}  // namespace contraflow::link
