// SPDX-License-Identifier: Apache-2.0
// Lane controllers as model, as RTL and in lockstep: the same results to the cycle, and their waves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cosim/fst_values.h"
#include "numa_gpu/fixture.h"

using contraflow::core::sim_time;
using contraflow::test::fst_values;
using contraflow::test::outcome;
using contraflow::test::read_file;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

// Lanes turn in this run, and return at launches; one fails during the run.
const std::vector<std::string> turning{"--set", "workload.name=many_to_one",
                                       "--set", "network.link.lanes.sample_time=1000cycles",
                                       "--set", "lane_faults=[{link: link0, direction: b_to_a, at: 14us}]"};

std::vector<std::string> words(const std::vector<std::string>& more) {
    std::vector<std::string> all{CF_PLATFORM_FOLDER "/small.yaml"};
    all.insert(all.end(), turning.begin(), turning.end());
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

}  // namespace

TEST_F(numa_gpu, every_level_gives_the_same_to_the_cycle) {
    std::string statistics;
    json results;
    for (const auto& [level, title] :
         std::map<std::string, std::string>{{"tlm", "TLM"}, {"rtl", "RTL"}, {"lockstep", "RTL and TLM in lockstep"}}) {
        SCOPED_TRACE(level);
        const outcome o = run(words({"--set", "lane_controller=" + level, "--out", level}));
        ASSERT_EQ(o.code, 0) << o.out << o.err;
        const json r = report(level);
        EXPECT_EQ(r["levels"]["lane controller"], title + ", published");
        if (statistics.empty()) {
            statistics = read_file(here_ / level / "stats.csv");
            results = r["results"];
            EXPECT_GT(results["workloads"][0]["dynamic"]["turns"], 3);
        }
        EXPECT_EQ(read_file(here_ / level / "stats.csv"), statistics);
        EXPECT_EQ(r["results"], results);
    }
}

TEST_F(numa_gpu, rtl_controls_the_lanes_unless_told_otherwise) {
    const outcome o = run({CF_PLATFORM_FOLDER "/small.yaml", "--set", "compare=[dynamic]"});
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_THAT(o.out, HasSubstr("lane controller: RTL, published"));
}

TEST_F(numa_gpu, what_the_rtl_has_not_is_said_with_what_would_do) {
    struct expectation {
        std::vector<std::string> sets;
        std::string text;
    };
    const std::vector<expectation> all{
        {{"network.link.lanes.policy=predictive"}, "the RTL has no policy predictive"},
        {{"network.link.lanes.sample_time=1048576cycles"},
         "sample_time is 1048576cycles, and the RTL's register SAMPLE_TIME.CYCLES holds 1048575cycles at most"},
        {{"network.link.lanes.drain=4096cycles"}, "DRAIN.CYCLES holds 4095cycles at most"},
        {{"network.link.lanes.lanes_per_direction=17", "compare=[dynamic]"},
         "17 lanes a direction, and the RTL is built for 16 at most"},
        {{"network.link.lanes.lanes_per_direction=9"},
         "18 lanes a direction, and the RTL is built for 16 at most, for double links"},
    };
    for (const auto& e : all) {
        std::vector<std::string> command{CF_PLATFORM_FOLDER "/small.yaml"};
        for (const auto& s : e.sets) {
            command.push_back("--set");
            command.push_back(s);
        }
        const outcome o = run(command);
        EXPECT_EQ(o.code, 2) << e.text;
        EXPECT_THAT(o.err, HasSubstr(e.text));
        EXPECT_THAT(o.err, HasSubstr("or lane_controller: tlm")) << e.text;
        command.insert(command.end(),
                       {"--set", "lane_controller=tlm", "--set", "workload.size=small", "--print-config"});
        EXPECT_EQ(run(command).code, 0) << e.text;
    }
}

TEST_F(numa_gpu, waves_show_rtl_and_link_around_the_first_turn) {
    const outcome o = run(words({"--wave", "fst", "--wave-around", "first_turn", "--out", "w"}));
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    const auto v = fst_values::read((here_ / "w/waves.fst").string());
    // In the link whose lane turns: the lane leaves 8 cycles after the window's end, the sync latency, and serves again
    // after 104 more.
    int turned = 0;
    for (const std::string link : {"link0", "link1", "link2", "link3"}) {
        for (const char* const d : {"ab", "ba"})
            EXPECT_EQ(v.changes(link + '.' + d + ".lanes"), v.changes("rtl." + link + ".lanes_" + d + "_o"))
                << link << d;
        const auto& turning_lanes = v.changes("rtl." + link + ".turning_o");
        EXPECT_EQ(v.changes(link + ".turning"), turning_lanes);
        if (turning_lanes.size() < 3) continue;
        ++turned;
        EXPECT_EQ(turning_lanes[2].first - turning_lanes[1].first, 104'000u);
        EXPECT_EQ(v.at("rtl." + link + ".window_end_o", sim_time{turning_lanes[1].first - 8'000 - 1}), 1u);
        EXPECT_EQ(turning_lanes[1].first - turning_lanes[0].first, 500'000u + 8'000u);
    }
    EXPECT_GE(turned, 1);
    ASSERT_EQ(run(words({"--wave", "fst", "--wave-around", "first_turn", "--out", "again"})).code, 0);
    EXPECT_EQ(read_file(here_ / "w/waves.fst"), read_file(here_ / "again/waves.fst"));
}

TEST_F(numa_gpu, waves_show_the_time_that_is_asked_for_in_either_form) {
    for (const char* const form : {"fst", "vcd"}) {
        const outcome o = run(words({"--wave", form, "--wave-from", "13us", "--wave-to", "15us", "--out", form}));
        ASSERT_EQ(o.code, 0) << o.out << o.err;
        const auto v = fst_values::read((here_ / form / "waves.").string() + form);
        EXPECT_EQ(v.changes("rtl.link0.clk_i").front().first, 13'000'000u);
        EXPECT_GT(v.changes("rtl.link0.clk_i").back().first, 14'990'000u);
        EXPECT_LE(v.changes("rtl.link0.clk_i").back().first, 15'000'000u);
        EXPECT_EQ(v.at("rtl.link0.failed_o", {13'999'999}), 0u);
        EXPECT_EQ(v.at("rtl.link0.failed_o", {14'000'000}), 1u);
        EXPECT_EQ(v.at("link0.failed", {14'000'000}), 1u);
    }
}

TEST_F(numa_gpu, waves_of_models_alone_and_of_what_did_not_happen) {
    outcome o =
        run(words({"--set", "lane_controller=tlm", "--wave", "fst", "--wave-around", "first_fault", "--out", "m"}));
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    const auto v = fst_values::read((here_ / "m/waves.fst").string());
    EXPECT_EQ(v.at("link0.failed", {14'000'000}), 1u);
    EXPECT_FALSE(v.has("rtl.link0.clk_i"));
    o = run({CF_PLATFORM_FOLDER "/small.yaml", "--set", "compare=[dynamic]", "--wave", "fst", "--wave-around",
             "first_fault", "--out", "n"});
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    EXPECT_THAT(o.out, HasSubstr("there are no waves: there was no first_fault to show"));
    o = run({CF_PLATFORM_FOLDER "/small.yaml", "--wave", "fst", "--wave-around", "first_tirn", "--out", "n"});
    EXPECT_EQ(o.code, 2);
    EXPECT_THAT(o.err, HasSubstr("did you mean 'first_turn'? first_turn and first_fault can be shown"));
}
