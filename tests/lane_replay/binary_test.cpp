// SPDX-License-Identifier: Apache-2.0
// The lane_replay binary as its users meet it: its output, its files, its errors and its exit status.
#include <algorithm>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "face/binary_fixture.h"
#include "face/report_statistics.h"

using contraflow::test::command;
using contraflow::test::outcome;
using contraflow::test::page_without_origin;
using contraflow::test::read_file;
using contraflow::test::scratch;
using nlohmann::json;
using ::testing::HasSubstr;

namespace {

const std::string worked = CF_TEST_DATA "/lanes/worked.json";
const std::string of_rtl = CF_TEST_DATA "/lanes/rtl.json";  // with a sync latency that the RTL has

class lane_replay : public contraflow::test::binary_fixture {
protected:
    lane_replay() : binary_fixture(LANE_REPLAY) {}
    void expect_worked_cases_to_match(const std::string& level, const std::string& title, const std::string& file,
                                      std::size_t cases);
};

}  // namespace

void lane_replay::expect_worked_cases_to_match(const std::string& level, const std::string& title,
                                               const std::string& file, std::size_t cases) {
    const outcome o = run({file, "--level", level, "--out", "r"});
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_THAT(
        o.out, HasSubstr(fmt::format("{0} of {0} cases played, {1}; {0} of {0} match what is expected", cases, title)));
    json got = json::parse(read_file(here_ / "r/windows.json"));
    const json wanted = json::parse(read_file(file));
    ASSERT_EQ(got.size(), wanted.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
        EXPECT_EQ(got[i]["name"], wanted[i]["name"]);
        got[i].erase("name");
        EXPECT_EQ(got[i], wanted[i]["expected"]) << wanted[i]["name"];
    }
    const json report = json::parse(read_file(here_ / "r/report.json"));
    EXPECT_EQ(report["results"]["cases"][0]["verdict"], "matches");
    EXPECT_EQ(report["levels"]["lane controller"], title);
}

TEST_F(lane_replay, worked_cases_match_at_level_tlm) {
    expect_worked_cases_to_match("tlm", "TLM", worked, 15);
    expect_worked_cases_to_match("tlm", "TLM", of_rtl, 20);
}
TEST_F(lane_replay, worked_cases_match_at_level_rtl) { expect_worked_cases_to_match("rtl", "RTL", of_rtl, 20); }
TEST_F(lane_replay, worked_cases_match_in_lockstep) {
    expect_worked_cases_to_match("lockstep", "RTL and TLM in lockstep", of_rtl, 20);
}

TEST_F(lane_replay, cases_in_which_samples_meet_before_the_rtl_decides_are_for_the_model_alone) {
    for (const char* level : {"rtl", "lockstep"}) {
        const outcome o = run({worked, "--level", level});
        EXPECT_EQ(o.code, 2);
        EXPECT_THAT(o.err, HasSubstr("sync_latency is 0cycles, and the RTL takes 8cycles to decide"));
        EXPECT_THAT(o.err, HasSubstr("at least 8cycles, or --level tlm"));
    }
}

TEST_F(lane_replay, what_a_run_leaves_is_told_before_it) { expect_results_told({worked, "--level", "tlm"}); }

TEST_F(lane_replay, cases_of_another_threshold_match) {
    const outcome o = run({CF_TEST_DATA "/lanes/threshold.json"});
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_THAT(o.out, HasSubstr("5 of 5 match what is expected"));
}

TEST_F(lane_replay, every_level_writes_the_same_windows) {
    const std::string phases = CF_PLATFORM_FOLDER "/phases.json";
    for (const char* level : {"tlm", "rtl", "lockstep"})
        ASSERT_EQ(run({phases, "--level", level, "--out", level}).code, 0);
    const auto windows = read_file(here_ / "tlm/windows.json");
    EXPECT_EQ(read_file(here_ / "rtl/windows.json"), windows);
    EXPECT_EQ(read_file(here_ / "lockstep/windows.json"), windows);
}

TEST_F(lane_replay, a_difference_is_told_and_fails_the_run) {
    json cases = json::parse(read_file(worked));
    cases[2]["expected"]["windows"][4]["busy_ab"] = 1;
    here_.write("wrong.json", cases.dump());
    const outcome o = run({"wrong.json"});
    EXPECT_EQ(o.code, 1);
    EXPECT_THAT(o.out, HasSubstr("14 of 15 match"));
    EXPECT_THAT(o.out, HasSubstr("window 4 (end 10000): busy_ab is"));
}

TEST_F(lane_replay, the_run_directory_can_be_run_again) {
    ASSERT_EQ(run({worked, "--out", "a"}).code, 0);
    const outcome o = run({"a/config.yaml", "--out", "b"});
    ASSERT_EQ(o.code, 0) << o.err;
    for (const char* file : {"windows.json", "cases.json", "report.json"})
        EXPECT_EQ(read_file(here_ / "a" / file), read_file(here_ / "b" / file)) << file;
    EXPECT_EQ(page_without_origin(here_ / "a" / "report.html"), page_without_origin(here_ / "b" / "report.html"));
}

TEST_F(lane_replay, the_shipped_configuration_runs) {
    const outcome o = run({CF_PLATFORM_FOLDER "/phases.yaml"});
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_THAT(o.out, HasSubstr("one way, published"));
    EXPECT_THAT(o.out, HasSubstr("10 + 6"));
}

TEST_F(lane_replay, the_configuration_it_prints_is_one_it_takes) {
    for (const std::string& input : {worked, std::string(CF_PLATFORM_FOLDER "/phases.yaml")}) {
        const outcome printed = run({input, "--print-config"});
        ASSERT_EQ(printed.code, 0) << printed.err;
        here_.write("mine.yaml", printed.out);
        EXPECT_EQ(run({"mine.yaml", "--quiet"}).code, 0) << input;
    }
}

TEST_F(lane_replay, wrong_input_is_one_clear_message_and_status_2) {
    struct expectation {
        std::vector<std::string> words;
        std::string text;
    };
    here_.write("cut.json", "[{\"name\": \"x\",\n  \"trace\": [[1, 2");
    here_.write("typo.json", "[{\"name\": \"x\",\n  \"parameters\": {\"sample_tme\": 5},\n  \"trace\": []}]");
    here_.write("unfit.json", R"([{"name":"x","parameters":{"policy":"predictive"},"trace":[]}])");
    here_.write("long.json", R"([{"name":"x","parameters":{"sample_time":2000000},"trace":[]}])");
    here_.write("empty.json", "");
    here_.write("binary.json", "[\xff]");
    here_.write("blank.json", "[]");
    here_.write("none.yaml", "cases: nowhere.json\n");
    const std::vector<expectation> all{
        {{worked, "--level", "rtk"}, "--level 'rtk': there is no such level; tlm, rtl and lockstep are"},
        {{"unfit.json", "--level", "rtl"},
         "unfit.json:1:37: error: [0].parameters.policy: the RTL has no policy predictive"},
        {{"long.json", "--set", "level=lockstep"},
         "sample_time is 2000000cycles, and the RTL's register SAMPLE_TIME.CYCLES holds 1048575cycles at most"},
        {{"cut.json"}, "cut.json:2:"},
        {{"empty.json"}, "error: the file is empty; a list of cases as JSON is wanted, with at least one case\n"},
        {{"binary.json"}, "binary.json:1:2: error: not a text file: byte 0xff; a file of cases is JSON in UTF-8\n"},
        {{"."}, "error: is a directory; name a JSON file of cases in it\n"},
        {{"blank.json"}, "blank.json"},
        {{"typo.json"}, "typo.json:2:18: error: [0].parameters: unknown key 'sample_tme'\n"},
        {{"typo.json"}, "did you mean 'sample_time'? known: lanes_per_direction, "},
        {{"nowhere.json"}, "nowhere.json"},
        {{"none.yaml"}, "nowhere.json"},
        {{worked, "--levle", "tlm"}, "--level"},
        {{worked, "--limit-time", "1us"}, "unknown option '--limit-time'"},
        {{}, "nothing to play"},
    };
    for (const auto& e : all) {
        const outcome o = run(e.words);
        EXPECT_EQ(o.code, 2) << o.out << o.err;
        EXPECT_THAT(o.err, HasSubstr(e.text));
        EXPECT_EQ(o.out, "") << e.text;
    }
}

// From what was given and from the windows that were left: nothing else is known of a case.
TEST_F(lane_replay, every_cell_follows_from_the_cases_and_their_windows) {
    const outcome o = run({CF_PLATFORM_FOLDER "/phases.yaml", "--level", "tlm", "--out", "r"});
    ASSERT_EQ(o.code, 0) << o.err;
    const json given = json::parse(read_file(here_ / "r/cases.json")),
               left = json::parse(read_file(here_ / "r/windows.json")),
               report = json::parse(read_file(here_ / "r/report.json"));
    const json table = report["sections"][0]["items"][0];
    ASSERT_EQ(table["id"], "cases");
    ASSERT_EQ(table["rows"].size(), given.size());
    EXPECT_THAT(report["headline"].dump(),
                HasSubstr(std::to_string(given.size()) + " of " + std::to_string(given.size()) + " cases played"));
    for (std::size_t i = 0; i < given.size(); ++i) {
        const auto cell = contraflow::test::report_statistics::cells(table, table["rows"][i]);
        const json& windows = left[i]["windows"];
        SCOPED_TRACE(given[i]["name"]);
        EXPECT_EQ(cell.at("case"), given[i]["name"]);
        EXPECT_EQ(left[i]["name"], given[i]["name"]);
        EXPECT_EQ(cell.at("windows"), windows.size());
        const json& last = windows.back();
        EXPECT_EQ(cell.at("lanes at last"),
                  std::to_string(last["lanes_ab"].get<int>()) + " + " + std::to_string(last["lanes_ba"].get<int>()));
        std::uint64_t ab = 0, ba = 0;
        for (const json& row : given[i]["trace"])
            if (row.is_array()) {
                ab += row[0].get<std::uint64_t>() * row[1].get<std::uint64_t>();
                ba += row[0].get<std::uint64_t>() * row[2].get<std::uint64_t>();
            }
        EXPECT_EQ(cell.at("served ab"), ab);
        EXPECT_EQ(cell.at("served ba"), ba);
        // It has drained within a window that did not end.
        const std::uint64_t drained = cell.at("drained"), ended = last["end"];
        EXPECT_GE(drained, ended);
        EXPECT_LT(drained, ended + windows[0]["end"].get<std::uint64_t>());
        // Each decision turns a lane, unless a launch comes before that.
        const bool launched = std::ranges::any_of(given[i]["trace"], [](const json& row) { return row == "launch"; });
        std::uint64_t decisions = 0;
        for (const json& w : windows) decisions += w["decision"] == "none" ? 0 : 1;
        if (launched)
            EXPECT_LT(cell.at("turns").get<std::uint64_t>(), decisions);
        else
            EXPECT_EQ(cell.at("turns"), decisions);
        const json& result = report["results"]["cases"][i];
        EXPECT_EQ(cell.at("mean wait"), result["mean_wait_cycles"]);
        if (cell.at("policy") == "static" && ba == 0) {
            // Eight lanes serve fifteen phits a cycle: the last one waits longest, and the mean is half of that.
            EXPECT_EQ(cell.at("drained"), ab / 8);
            EXPECT_EQ(cell.at("mean wait").get<double>(), static_cast<double>(ab) / 2 * (1.0 / 8 - 1.0 / 15));
        }
    }
}
