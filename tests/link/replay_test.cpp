// SPDX-License-Identifier: Apache-2.0
// The harness compared with the worked cases, and with the rules applied cycle by cycle.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "link/lanes/policies.h"
#include "reference_replay.h"
#include "support.h"

namespace contraflow::link {
namespace {

using testing::generator;
using testing::pick;

replay_result replayed(const lane_spec& s, const std::vector<trace_row>& trace) {
    return replay(*make_lane_bank(s), trace);
}

TEST(replay, matches_every_worked_case_exactly) {
    const auto cases = testing::worked_cases();
    ASSERT_EQ(cases.size(), 20u);
    auto all = testing::rtl_cases();
    ASSERT_EQ(all.size(), 20u);
    all.insert(all.end(), cases.begin(), cases.end());
    for (const lane_case& c : all) {
        ASSERT_TRUE(c.expected.has_value()) << c.name;
        const replay_result r = replayed(c.spec, c.trace);
        EXPECT_EQ(first_difference(r, *c.expected), "") << c.name;
        EXPECT_EQ(r.windows, c.expected->windows) << c.name;
    }
}

// The comparison itself is tested: the JSON that is written is the JSON of the file.
TEST(replay, writes_what_the_worked_cases_hold) {
    const auto cases = testing::worked_cases();
    nlohmann::json document = nlohmann::json::array();
    for (const char* const file : testing::worked_files)
        for (auto& c : nlohmann::json::parse(testing::read_text(file))) document.push_back(std::move(c));
    ASSERT_EQ(document.size(), cases.size());
    for (std::size_t i = 0; i < cases.size(); ++i) {
        auto written = nlohmann::json::parse(to_json(cases[i].name, replayed(cases[i].spec, cases[i].trace)));
        EXPECT_EQ(written["name"], document[i]["name"]);
        written.erase("name");
        EXPECT_EQ(written, document[i]["expected"]) << cases[i].name;
    }
}

TEST(replay, equals_the_rules_cycle_by_cycle_on_random_traces) {
    generator g(7);
    std::uint64_t turns = 0;
    for (int i = 0; i < 4000; ++i) {
        const lane_spec s = testing::random_spec(g);
        const auto trace = testing::random_trace(g, s);
        const replay_result expected = testing::reference_replay(s).run(trace);
        const replay_result r = replayed(s, trace);
        ASSERT_EQ(first_difference(r, expected), "") << "number " << i;
        ASSERT_EQ(r.waited, expected.waited) << "number " << i;
        turns += r.turns;
    }
    EXPECT_GT(turns, 4000u);
}

TEST(replay, serves_all_that_arrives) {
    generator g(11);
    for (int i = 0; i < 500; ++i) {
        const lane_spec s = testing::random_spec(g);
        const auto trace = testing::random_trace(g, s);
        by_direction<std::uint64_t> arrived;
        for (const trace_row& row : trace)
            for (const auto d : both_directions) arrived[d] += row.cycles * row.arrivals[d];
        EXPECT_EQ(replayed(s, trace).served, arrived);
    }
}

TEST(replay, a_long_quiet_trace_costs_a_step_a_window) {
    lane_spec s;
    s.sample_time = {1'000'000'000};
    const replay_result r = replayed(s, {{1'000'000'000'000, {3, 2}, false}});
    EXPECT_EQ(r.windows.size(), 1000u);
    EXPECT_EQ(r.served.ab, 3'000'000'000'000u);
}

TEST(replay, ends_early_when_told_to) {
    lane_spec s;
    const auto lanes = make_lane_bank(s);
    unsigned asked = 0;
    const replay_result r = replay(*lanes, {{1'000'000, {1, 1}, false}}, [&] { return ++asked < 5; });
    EXPECT_FALSE(r.complete);
    EXPECT_EQ(r.windows.size(), 5u);
}

}  // namespace
}  // namespace contraflow::link
