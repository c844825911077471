// SPDX-License-Identifier: Apache-2.0
// The litmus binary in its users' view: its output, its files, its errors and its exit status.
#include <algorithm>
#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "face/binary_fixture.h"
#include "face/report_statistics.h"

using contraflow::test::outcome;
using contraflow::test::page_without_origin;
using contraflow::test::read_file;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

const std::string worked = CF_TEST_DATA "/litmus/worked.json";
const std::string shipped = CF_PLATFORM_FOLDER "/litmus.yaml";

// The output for a terminal that is wide enough.
std::string unwrapped(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

class litmus : public contraflow::test::binary_fixture {
protected:
    litmus() : binary_fixture(LITMUS) {}
    std::string changed_worked(const std::string& key, const json& value) {
        json tests = json::parse(read_file(worked));
        tests[0][key] = value;
        here_.write("changed.json", tests.dump());
        return "changed.json";
    }
};

}  // namespace

TEST_F(litmus, worked_tests_have_exactly_their_outcomes) {
    const outcome o = run({worked, "--level", "model", "--out", "r"});
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_THAT(o.out, HasSubstr("10 of 10 cases played, every interleaving of the small machine; 10 of 10 match"));
    const json got = json::parse(read_file(here_ / "r/outcomes.json")), wanted = json::parse(read_file(worked));
    ASSERT_EQ(got.size(), wanted.size());
    for (std::size_t i = 0; i < got.size(); ++i)
        EXPECT_EQ(got[i], (json{{"name", wanted[i]["name"]}, {"outcomes", wanted[i]["outcomes"]}}));
}

TEST_F(litmus, what_a_run_leaves_is_told_before_it) {
    expect_results_told({shipped});
    expect_results_told({worked, "--level", "tlm", "--set", "runs=200"});
}

// A test without a step shows what is forbidden, and its twin, the next one, never does.
TEST_F(litmus, each_step_left_out_shows_wrong_data_and_its_twin_does_not) {
    const outcome o = run({shipped, "--out", "r"});
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    std::set<std::string> steps;
    std::size_t without = 0, with = 0;
    const json played = report("r")["results"]["tests"];
    for (const json& t : played) {
        const std::string step = t["step"];
        EXPECT_EQ(t["forbidden_shown"], !step.empty()) << t["name"];
        EXPECT_EQ(t["verdict"], "matches") << t["name"];
        EXPECT_NE(t["about"], "") << t["name"];
        if (!step.empty()) steps.insert(step);
        (step.empty() ? with : without) += 1;
    }
    EXPECT_GE(without, 15u);
    EXPECT_GE(with, without);
    for (const char* step : {"fence", "PPB invalidate", "wait after the PPB invalidate", "uncached page of the source",
                             "uncached page of the send queue", "uncached page of the destination",
                             "wait for the entry", "wait for the data", "kernel end at the receiver"})
        EXPECT_TRUE(steps.contains(step)) << step;
    EXPECT_THAT(unwrapped(o.out), HasSubstr("the forbidden outcome can happen in " + std::to_string(without) + " of " +
                                            std::to_string(without) + " tests."));
}

TEST_F(litmus, the_page_explains_each_step_by_its_test) {
    const std::string page = read_file(CF_PAGE);
    const json tests = json::parse(read_file(CF_PLATFORM_FOLDER "/steps.json"));
    for (const json& t : tests) {
        if (!t.contains("step")) continue;
        const std::string about = t["about"], test = t["name"];
        EXPECT_THAT(page, HasSubstr("| " + about + " | " + test + " |\n"));
    }
}

TEST_F(litmus, tests_of_rules_have_their_outcomes) {
    const outcome o = run({CF_PLATFORM_FOLDER "/rules.yaml"});
    EXPECT_EQ(o.code, 0) << o.out << o.err;
    EXPECT_THAT(o.out, HasSubstr("8 of 8 match"));
}

TEST_F(litmus, a_difference_is_told_and_fails_the_run) {
    const json one = json::parse(R"([{"t1.r0": 0}])");
    const outcome other = run({changed_worked("outcomes", one)});
    EXPECT_EQ(other.code, 1);
    EXPECT_THAT(other.out, HasSubstr("9 of 10 match"));
    EXPECT_THAT(other.out, HasSubstr(R"({"t1.r0": 1} is not expected)"));
    const outcome forbidden = run({changed_worked("forbidden", json::parse(R"([{"t1.r0": 1}])"))});
    EXPECT_EQ(forbidden.code, 1);
    EXPECT_THAT(unwrapped(forbidden.out), HasSubstr(R"({"t1.r0": 1} is forbidden, and can happen)"));
}

TEST_F(litmus, a_witness_is_printed_where_it_is_asked_for) {
    const std::vector<std::string> one{shipped, "--only", "put and flag, no fence"};
    const outcome quiet = run(one);
    EXPECT_THAT(quiet.out, Not(HasSubstr("leaves the write combiner")));
    auto asked = one;
    asked.emplace_back("--witness");
    const outcome o = run(asked);
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_THAT(o.out, HasSubstr(R"(put and flag, no fence: {"t1.r0": 0})"));
    // The flag leaves first.
    const auto flag = o.out.find("node 1: f = 1 leaves the write combiner for memory");
    ASSERT_NE(flag, std::string::npos);
    EXPECT_THAT(o.out.substr(flag, 200), HasSubstr("t1: load y t1.r0 = 0, from memory"));
    asked.back() = "--set";
    asked.emplace_back("witness=true");
    EXPECT_EQ(run(asked).out, o.out);
}

TEST_F(litmus, too_many_states_are_a_limit_with_status_4) {
    const outcome o = run({worked, "--set", "states=200", "--out", "r"});
    EXPECT_EQ(o.code, 4);
    EXPECT_THAT(
        unwrapped(o.out),
        HasSubstr("message passing, all steps: stopped while its states were explored: there are more than 200; the "
                  "key states allows more"));
    EXPECT_EQ(json::parse(read_file(here_ / "r/outcomes.json")).size(), 0u);
}

TEST_F(litmus, the_states_of_a_test_in_which_it_was_stopped_count) {
    const outcome o = run({worked, "--set", "states=200"});
    EXPECT_EQ(o.code, 4);
    EXPECT_THAT(unwrapped(o.out), ::testing::ContainsRegex("[1-9][0-9]* states, [1-9][0-9]* steps between them"));
}

TEST_F(litmus, the_run_directory_can_be_run_again) {
    ASSERT_EQ(run({worked, "--out", "a"}).code, 0);
    std::filesystem::rename(here_ / "a", here_ / "elsewhere");
    const outcome o = run({"elsewhere/config.yaml", "--out", "b"});
    ASSERT_EQ(o.code, 0) << o.err;
    for (const char* file : {"outcomes.json", "cases.json", "report.json"})
        EXPECT_EQ(read_file(here_ / "elsewhere" / file), read_file(here_ / "b" / file)) << file;
    EXPECT_EQ(page_without_origin(here_ / "elsewhere" / "report.html"),
              page_without_origin(here_ / "b" / "report.html"));
}

TEST_F(litmus, the_configuration_it_prints_is_one_it_takes) {
    for (const std::string& input : {worked, shipped}) {
        const outcome printed = run({input, "--print-config"});
        ASSERT_EQ(printed.code, 0) << printed.err;
        here_.write("mine.yaml", printed.out);
        EXPECT_EQ(run({"mine.yaml", "--quiet"}).code, 0) << input;
    }
}

TEST_F(litmus, refuses_waves_and_traces_which_it_does_not_have) {
    for (const std::vector<std::string>& asked : {std::vector<std::string>{"--wave", "vcd"}, {"--trace"}}) {
        std::vector<std::string> words{CF_PLATFORM_FOLDER "/litmus.yaml", "--out", "r"};
        words.insert(words.end(), asked.begin(), asked.end());
        const outcome o = run(words);
        EXPECT_EQ(o.code, 2);
        EXPECT_EQ(o.err,
                  "litmus: error: " + asked.front() + ": a litmus test shows none; gpu_shmem shows the same machine\n");
        EXPECT_FALSE(std::filesystem::exists(here_ / "r"));
    }
}

// On the platform's parts. Every outcome is one of the set, and what is forbidden is seen where a step is left out.
TEST_F(litmus, on_the_platform_each_step_left_out_shows_wrong_data_and_nothing_is_outside_the_set) {
    const outcome o = run({CF_PLATFORM_FOLDER "/tlm.yaml", "--out", "r"});
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    EXPECT_THAT(unwrapped(o.out),
                HasSubstr("41 of 41 cases played, 1000 runs each on the platform's parts; 41 of 41 stay "
                          "inside the set of their outcomes."));
    EXPECT_THAT(o.out, Not(HasSubstr("match")));
    EXPECT_THAT(unwrapped(o.out), HasSubstr("the forbidden outcome was seen in 19 of 19 tests"));
    const json tests = json::parse(read_file(CF_PLATFORM_FOLDER "/steps.json")),
               seen = json::parse(read_file(here_ / "r/outcomes.json")), played = report("r")["results"]["tests"];
    ASSERT_EQ(seen.size(), tests.size());
    const std::string page = read_file(CF_PAGE);
    std::size_t without = 0;
    for (std::size_t i = 0; i < tests.size(); ++i) {
        const json& set = tests[i]["outcomes"];
        std::uint64_t runs = 0, forbidden = 0;
        for (const json& one : played[i]["outcomes"]) {
            EXPECT_TRUE(std::ranges::find(set, one["outcome"]) != set.end()) << tests[i]["name"] << one;
            EXPECT_TRUE(std::ranges::find(seen[i]["outcomes"], one["outcome"]) != seen[i]["outcomes"].end());
            runs += one["times"].get<std::uint64_t>();
            for (const json& f : tests[i].value("forbidden", json::array())) {
                bool matches = true;
                for (const auto& [key, v] : f.items())
                    matches &= one["outcome"].contains(key) && one["outcome"][key] == v;
                if (matches) forbidden += one["times"].get<std::uint64_t>();
            }
        }
        EXPECT_EQ(runs, 1000u);
        EXPECT_EQ(played[i]["forbidden_times"], forbidden);
        EXPECT_EQ(forbidden != 0, tests[i].contains("step")) << tests[i]["name"];
        if (!tests[i].contains("step")) continue;
        ++without;
        EXPECT_THAT(page, HasSubstr(fmt::format("| {} | {} | {} |\n", tests[i]["step"].get<std::string>(),
                                                tests[i]["name"].get<std::string>(), forbidden)))
            << "the table of docs/litmus.md";
    }
    EXPECT_EQ(without, 19u);
}

TEST_F(litmus, on_the_platform_worked_tests_stay_inside_their_sets_and_the_seed_decides) {
    const std::vector<std::string> words{worked, "--level", "tlm", "--set", "runs=200", "--out"};
    const auto counts = [&](const std::string& to, const std::string& seed) {
        auto all = words;
        all.insert(all.end(), {to, "--seed", seed});
        const outcome o = run(all);
        EXPECT_EQ(o.code, 0) << o.out << o.err;
        return report(to)["results"]["tests"].dump();
    };
    const std::string first = counts("a", "7");
    EXPECT_EQ(counts("b", "7"), first);
    EXPECT_NE(counts("c", "8"), first);
}

TEST_F(litmus, on_the_platform_an_outcome_outside_the_set_fails_the_run) {
    // As if the flag never came before the data.
    const outcome outside = run({changed_worked("outcomes", json::parse(R"([{"t1.r0": 0}])")), "--level", "tlm"});
    EXPECT_EQ(outside.code, 1);
    EXPECT_THAT(unwrapped(outside.out), HasSubstr(R"({"t1.r0": 1} is not in the set)"));
    EXPECT_THAT(outside.out, HasSubstr("OUTSIDE"));
    json tests = json::parse(read_file(worked));
    tests[0]["step"] = "nothing";
    tests[0]["forbidden"] = json::parse(R"([{"t1.r0": 0}])");
    here_.write("changed.json", tests.dump());
    const outcome unseen = run({"changed.json", "--level", "tlm", "--set", "runs=20"});
    EXPECT_EQ(unseen.code, 1);
    EXPECT_THAT(unwrapped(unseen.out), HasSubstr(R"({"t1.r0": 0} was not seen, although there is no nothing)"));
    EXPECT_THAT(unseen.out, HasSubstr("not shown"));
    EXPECT_THAT(unseen.out, Not(HasSubstr("OUTSIDE")));
}

// A test without its set gets it from the small machine.
TEST_F(litmus, on_the_platform_a_test_without_a_set_is_measured_against_the_small_machine) {
    json tests = json::parse(read_file(worked));
    for (json& t : tests) t.erase("outcomes");
    here_.write("changed.json", tests.dump());
    const outcome o = run({"changed.json", "--level", "tlm", "--set", "runs=50"});
    EXPECT_EQ(o.code, 0) << o.out << o.err;
    EXPECT_THAT(unwrapped(o.out), HasSubstr("10 of 10 stay inside the set"));
    EXPECT_EQ(run({"changed.json", "--level", "tlm", "--set", "states=10"}).code, 4);
}

// Threads that never see their value are stuck, and those that wait long are not.
TEST_F(litmus, on_the_platform_stuck_threads_and_stopped_queues_are_outcomes) {
    here_.write("stuck.json", R"([{"name": "stuck", "nodes": 2,
 "variables": {"x": {"node": 0}, "y": {"node": 0, "cached": true}, "w": {"node": 0}, "z": {"node": 1}},
 "queues": {"q0": {"node": 0, "to": 1, "entries": [{"slot": "w", "ready": 1, "op": "inline", "value": 7, "to": "z"}]}},
 "threads": {"t0": {"node": 0, "program": [["wait_until", "x", 1]]},
             "t1": {"node": 0, "program": [["store", "y", 1], ["doorbell", "q0", 1], ["wait_until", "y", 2]]},
             "t2": {"node": 1, "program": [["load", "z", "r"]]}},
 "outcomes": [{"t2.r": 0, "q0": "bad_entry 0", "stuck": ["t0", "t1"]}]}])");
    const outcome o = run({"stuck.json", "--level", "tlm", "--set", "runs=20"});
    EXPECT_EQ(o.code, 0) << o.out << o.err;
    EXPECT_THAT(unwrapped(o.out), HasSubstr("1 of 1 stay inside the set"));
}

TEST_F(litmus, wrong_input_is_one_clear_message_and_status_2) {
    struct expectation {
        std::vector<std::string> words;
        std::string text;
    };
    here_.write("cut.json", "[{\"name\": \"x\",\n  \"nodes\": 2");
    here_.write("empty.json", "");
    here_.write("typo.json", R"([{"name": "x", "nodes": 1, "variables": {"a": {"node": 0}},
 "threads": {"t": {"node": 0, "program": [["lod", "a", "r"]]}}}])");
    json many = json::parse(read_file(worked));
    for (int i = 0; i < 62; ++i) many[0]["queues"]["q0"]["entries"].push_back(many[0]["queues"]["q0"]["entries"][2]);
    many[0]["queues"]["q0"]["entries"].erase(0);
    many[0]["threads"]["t1"]["program"].push_back({"wait_until", "f", 2});
    here_.write("many.json", many.dump());
    // For the platform: slots that are no ring, or one for two entries, and so on.
    const auto like_worked = [&](const std::string& file, auto change) {
        json tests = json::parse(read_file(worked));
        change(tests[1]["queues"]["q0"], tests[1]);
        here_.write(file, json::array({tests[1]}).dump());
    };
    like_worked("unlike.json", [](json& q, json&) {
        q["entries"].push_back(q["entries"][1]);
        q["entries"][1]["slot"] = "w0";
        q["entries"][1]["ready"] = 2;
    });
    like_worked("twice.json", [](json& q, json&) { q["entries"][1]["slot"] = "w0"; });
    like_worked("within.json", [](json& q, json& t) {
        q["to"] = 0;
        for (const char* v : {"y", "f"}) t["variables"][v]["node"] = 0;
        t["threads"]["t1"]["node"] = 0;
    });
    like_worked("lines.json", [](json&, json& t) {
        for (const char* v : {"x", "w0"}) t["variables"][v]["line"] = "one";
    });
    like_worked("counted.json", [](json& q, json& t) {
        t["variables"]["w0"]["initial"] = 1;
        q["completion"] = "w0";
    });
    const std::vector<expectation> all{
        {{worked, "--level", "rtl"}, "--level 'rtl': there is no such level; model and tlm are"},
        {{worked, "--set", "level=rtl"}, "level"},
        {{worked, "--level", "tlm", "--set", "runs=0"}, "runs"},
        {{worked, "--level", "tlm", "--set", "delays=10us"},
         "delays: a thread that waits would be taken for stuck: delays is 10us, patience 60us"},
        {{"unlike.json", "--level", "tlm"},
         "unlike.json:1:2: error: [0]: the slots of q0 are not those of a ring, one place after the other"},
        {{"twice.json", "--level", "tlm"}, "w0 is ready with 1 for two entries; an entry has a number of its own"},
        {{"within.json", "--level", "tlm"}, "queue q0 stays within a node; the platform's NIC has no such path"},
        {{"lines.json", "--level", "tlm"}, "the lines of its slots cannot be built: an entry has 64 bytes"},
        {{"counted.json", "--level", "tlm"}, "w0 counts completions, and has another use as well"},
        {{worked, "--set", "states=0"}, "states"},
        {{worked, "--only", "cached sorce"}, "there is no such case (did you mean 'cached source'?)"},
        {{"cut.json"}, "cut.json:2:"},
        {{"empty.json"}, "error: the file is empty; a list of cases as JSON is wanted, with at least one case\n"},
        {{"typo.json"}, "typo.json:2:44: error: [0].threads.t.program[0][0]: no instruction 'lod'"},
        {{"many.json"},
         "many.json:1:2: error: [0]: 63 messages and completions write to f; the model holds 32 of them"},
        {{"nowhere.json"}, "nowhere.json"},
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

namespace {

// Whether an outcome has all values of a pattern.
bool has(const json& outcome, const json& pattern) {
    return std::all_of(pattern.items().begin(), pattern.items().end(),
                       [&](const auto& v) { return outcome.contains(v.key()) && outcome[v.key()] == v.value(); });
}

}  // namespace

TEST_F(litmus, every_cell_follows_from_the_outcomes_that_were_left) {
    using contraflow::test::report_statistics;
    const outcome o = run({shipped, "--level", "model", "--out", "r"});
    ASSERT_EQ(o.code, 0) << o.err;
    const json r = report("r"), left = json::parse(read_file(here_ / "r/outcomes.json"));
    const json& results = r["results"]["tests"];
    const json& table = r["sections"][0]["items"][0];
    ASSERT_EQ(table["id"], "tests");
    ASSERT_EQ(table["rows"].size(), left.size());
    std::uint64_t states = 0, steps = 0;
    unsigned without = 0, shown = 0, with = 0, never = 0;
    for (std::size_t i = 0; i < left.size(); ++i) {
        const auto cell = report_statistics::cells(table, table["rows"][i]);
        SCOPED_TRACE(left[i]["name"]);
        EXPECT_EQ(cell.at("test"), left[i]["name"]);
        EXPECT_EQ(cell.at("outcomes"), left[i]["outcomes"].size());
        EXPECT_EQ(cell.at("states"), results[i]["states"]);
        states += results[i]["states"].get<std::uint64_t>();
        steps += results[i]["steps"].get<std::uint64_t>();
        const std::string forbidden = cell.at("forbidden");
        if (forbidden == "-") {
            EXPECT_EQ(cell.at("can happen"), "-");
            continue;
        }
        const bool is_without = cell.at("step left out") != "none";
        bool can = false;
        for (const json& one : left[i]["outcomes"]) can = can || has(one, json::parse(forbidden));
        EXPECT_EQ(cell.at("can happen"), can ? "yes" : "never");
        (is_without ? without : with) += 1;
        shown += is_without && can ? 1 : 0;
        never += !is_without && !can ? 1 : 0;
    }
    EXPECT_GT(without, 10u);
    const std::string said = r["headline"].dump();
    EXPECT_THAT(said, HasSubstr(fmt::format("the forbidden outcome can happen in {} of {} tests", shown, without)));
    EXPECT_THAT(said, HasSubstr(fmt::format("With all steps, it never happens in {} of {} tests", never, with)));
    EXPECT_THAT(said, HasSubstr(fmt::format("{} states, {} steps between them", states, steps)));
}

TEST_F(litmus, every_count_of_runs_is_the_sum_of_its_outcomes) {
    using contraflow::test::report_statistics;
    const outcome o = run({CF_PLATFORM_FOLDER "/tlm.yaml", "--set", "runs=30", "--out", "r"});
    ASSERT_NE(o.code, 2) << o.err;
    const json r = report("r");
    const auto rows = [&](const std::string& id) {
        std::vector<report_statistics::row> all;
        for (const json& section : r["sections"])
            for (const json& i : section["items"])
                if (i["id"] == id)
                    for (const json& row : i["rows"]) all.push_back(report_statistics::cells(i, row));
        return all;
    };
    const auto tests = rows("tests"), outcomes = rows("outcomes");
    const json& results = r["results"]["tests"];
    ASSERT_EQ(tests.size(), results.size());
    double of_forbidden = 0;
    for (std::size_t i = 0; i < tests.size(); ++i) {
        SCOPED_TRACE(tests[i].at("test"));
        double all = 0, forbidden = 0;
        for (const auto& one : outcomes) {
            if (one.at("test") != tests[i].at("test")) continue;
            all += one.at("times").get<double>();
            EXPECT_EQ(one.at("of runs"), tests[i].at("of runs"));
            if (tests[i].at("forbidden") != "-" && has(json::parse(one.at("outcome").get<std::string>()),
                                                       json::parse(tests[i].at("forbidden").get<std::string>())))
                forbidden += one.at("times").get<double>();
        }
        EXPECT_EQ(all, tests[i].at("of runs").get<double>());
        EXPECT_EQ(tests[i].at("of runs"), 30);
        if (tests[i].at("forbidden") != "-") {
            EXPECT_EQ(tests[i].at("times").get<double>(), forbidden);
            of_forbidden += forbidden;
        }
        EXPECT_EQ(tests[i].at("outcomes seen"), results[i]["outcomes"].size());
    }
    EXPECT_GT(of_forbidden, 0) << "or that column was not tried";
}
