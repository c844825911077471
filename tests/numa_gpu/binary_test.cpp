// SPDX-License-Identifier: Apache-2.0
// The numa_gpu binary in its users' view: its comparisons, its files, its errors and its exit status.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "face/report_statistics.h"
#include "face/traced_requests.h"
#include "numa_gpu/fixture.h"

using contraflow::test::command;
using contraflow::test::outcome;
using contraflow::test::read_file;
using contraflow::test::report_statistics;
using contraflow::test::scratch;
using contraflow::test::traced_request;
using contraflow::test::traced_requests;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

constexpr const char* none_turned = "no lane turned";

}  // namespace

TEST_F(numa_gpu, a_reduction_into_one_socket_gains_by_turning_lanes_and_more_by_wires) {
    const outcome o = run({small, "--set", "workload.name=many_to_one", "--out", "r"});
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    std::map<std::string, double> speed_up;
    const json r = report("r");
    for (const char* links : {"static", "dynamic", "double"}) {
        const json& run = r["results"]["workloads"][0][links];
        EXPECT_EQ(run["verified"], true);
        EXPECT_GT(run["remote_requests"], 1000);
        EXPECT_EQ(run["by_link"].size(), 4u);
        speed_up[links] = run["speed_up"];
    }
    EXPECT_EQ(speed_up["static"], 1.0);
    EXPECT_GT(speed_up["dynamic"], 1.02);
    EXPECT_GT(speed_up["double"], speed_up["dynamic"]);
    for (const json& check : r["conservation"]) EXPECT_EQ(check["in"], check["out"]) << check;
    EXPECT_THAT(r["headline"].dump(), Not(HasSubstr(none_turned)));
}

TEST_F(numa_gpu, a_program_of_local_data_gains_by_neither) {
    const outcome o = run({small, "--set", "workload.name=triad", "--out", "r"});
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    const json r = report("r");
    for (const char* links : {"dynamic", "double"})
        EXPECT_NEAR(r["results"]["workloads"][0][links]["speed_up"].get<double>(), 1.0, 0.01) << links;
    EXPECT_EQ(r["results"]["workloads"][0]["dynamic"]["turns"], 0);
    EXPECT_THAT(r["headline"].dump(), HasSubstr(std::string(none_turned) + ", as in none of "));
}

// Whatever keeps the lanes as they are is named; the counts are those of stats.csv.
TEST_F(numa_gpu, the_headline_says_why_no_lane_turned) {
    const auto told = [this](const std::string& setting) {
        const outcome o =
            run({small, "--set", "workload.name=many_to_one", "--set", "compare=[static, dynamic]", "--set",
                 "lane_controller=tlm", "--set", "network.link.lanes." + setting, "--out", setting});
        EXPECT_EQ(o.code, 0) << o.out << o.err;
        const json r = report(setting);
        EXPECT_EQ(r["results"]["workloads"][0]["dynamic"]["turns"], 0) << setting;
        return r["headline"].dump();
    };
    EXPECT_THAT(told("policy=static"), HasSubstr("no lane turned, as network.link.lanes.policy is static"));
    EXPECT_THAT(told("min_lanes=8"), HasSubstr("no lane turned, as min_lanes is 8 of 8"));
    EXPECT_THAT(told("sample_time=1000000cycles"),
                HasSubstr("no lane turned, as no kernel was as long as sample_time"));
    // Loads of both directions meet in a long window.
    const std::string mixed = told("sample_time=20000cycles");
    const report_statistics s(report("sample_time=20000cycles"),
                              read_file(here_ / "sample_time=20000cycles/stats.csv"));
    const std::string link = "many_to_one\\.dynamic\\.link[0-9]+\\.saturated_";
    EXPECT_EQ(s.sum(link + "one"), 0);
    EXPECT_THAT(mixed,
                HasSubstr("as in none of " + std::to_string(std::llround(s.sum(link + "(both|one|none)"))) +
                          " windows of sample_time (20000cycles) one direction alone was saturated; in shorter"));
}

// Their planes and lines are a power of two apart, so a first level of few ways would let the order in which remote
// lines arrive decide what stays: then twice the wires took 6 % more time.
TEST_F(numa_gpu, programs_with_little_remote_data_are_no_slower_with_twice_the_wires) {
    const outcome o = run({"--set", "workload={name: stencil_3d, size: small}", "--set", "also=[stencil_2d]", "--set",
                           "compare=[static, double]", "--out", "r"});
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    for (const auto& w : report("r")["results"]["workloads"])
        EXPECT_GE(w["double"]["speed_up"].get<double>(), 0.99) << w["workload"];
}

TEST_F(numa_gpu, several_workloads_topologies_and_both_protocols_are_verified) {
    for (const char* topology : {"switch", "fully_connected", "ring"})
        for (const char* coherence : {"memory_side", "remote_caching"}) {
            const outcome o = run({small, "--set", std::string("network.kind=") + topology, "--set",
                                   std::string("gpu.coherence=") + coherence, "--set", "also=[histogram]", "--set",
                                   "compare=[dynamic]", "--out", std::string(topology) + coherence});
            ASSERT_EQ(o.code, 0) << o.out << o.err;
            const json r = report(std::string(topology) + coherence);
            ASSERT_EQ(r["results"]["workloads"].size(), 2u);
            for (const json& workload : r["results"]["workloads"]) EXPECT_EQ(workload["dynamic"]["verified"], true);
        }
}

TEST_F(numa_gpu, two_runs_leave_the_same_bytes) {
    const std::vector<std::string> words{small, "--set", "compare=[dynamic]", "--out"};
    auto first = words;
    first.emplace_back("a");
    auto second = words;
    second.emplace_back("b");
    ASSERT_EQ(run(first).code, 0);
    ASSERT_EQ(run(second).code, 0);
    for (const char* file : {"report.json", "stats.csv", "report.html"})
        EXPECT_EQ(read_file(here_ / "a" / file), read_file(here_ / "b" / file)) << file;
}

// Checkers ask the kernel for the time, so the scheduler does not run ahead of it; that must change nothing.
TEST_F(numa_gpu, a_run_in_the_kernels_time_measures_the_same) {
    const std::vector<std::string> half_of_it{small, "--set", "workload.name=many_to_one", "--set", "gpu.units=2"};
    for (const char* checked : {"false", "true"}) {
        auto words = half_of_it;
        words.insert(words.end(), {"--set", std::string("gpu.check_protocol=") + checked, "--out", checked});
        const outcome o = run(words);
        ASSERT_EQ(o.code, 0) << o.out << o.err;
    }
    EXPECT_EQ(read_file(here_ / "true/stats.csv"), read_file(here_ / "false/stats.csv"));
}

TEST_F(numa_gpu, waves_and_traces_show_the_dynamic_run) {
    const outcome o = run(
        {small, "--set", "lane_controller=tlm", "--set", "window.every=8", "--wave", "vcd", "--trace", "--out", "w"});
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    EXPECT_THAT(read_file(here_ / "w/waves.vcd"), HasSubstr("lanes"));
    std::map<std::string, int> stages, begun;
    std::map<std::pair<int, int>, double> row_free;
    for (const auto& e : json::parse(read_file(here_ / "w/trace.json"))) {
        if (e["ph"] == "X") {
            ++stages[e["name"]];
            const double begin = e["ts"];
            double& free = row_free[{e["pid"], e["tid"]}];
            EXPECT_GE(begin, free - 1e-6) << e;
            free = std::max(free, begin + e["dur"].get<double>());
        }
        if (e["ph"] == "s") ++begun[e["id"]];
    }
    EXPECT_GT(begun.size(), 100u);
    EXPECT_GT(stages["remote store"], 10);
    EXPECT_GT(stages["link"], 10);
    for (const auto& [id, count] : begun) EXPECT_EQ(count, 1) << id;
}

TEST_F(numa_gpu, a_trace_shows_the_stages_of_a_request_in_the_order_in_which_they_happened) {
    const outcome o = run({small, "--set", "compare=[dynamic]", "--set", "window.every=8", "--trace", "--out", "w"});
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    std::set<std::string> parts;  // that have statistics: "gpu0.cu1_l1"
    std::istringstream statistics(read_file(here_ / "w/stats.csv"));
    const std::string run_name = "transpose.dynamic.";
    for (std::string line; std::getline(statistics, line);)
        if (line.starts_with(run_name))
            parts.insert(line.substr(run_name.size(), line.substr(0, line.find(',')).rfind('.') - run_name.size()));
    std::map<std::string, int> ways, unknown;
    for (const traced_request& r : traced_requests(json::parse(read_file(here_ / "w/trace.json")), "")) {
        std::string way = r.name + ": ";
        for (std::size_t i = 0; i < r.stages.size(); ++i) {
            EXPECT_GE(r.stages[i].begin_us, r.stages[i > 0 ? i - 1 : 0].begin_us);
            way += r.stages[i].name + " ";
            const std::string& part =
                r.stages[i].part;  // the switch has no statistics, and those of a queue are its part's
            if (part != "switch" && !parts.contains(part) && !parts.contains(part.substr(0, part.rfind('.'))))
                ++unknown[part];
        }
        ++ways[way];
    }
    EXPECT_TRUE(unknown.empty()) << "rows with the names of no part: " << json(unknown).dump();
    // A load passes the L1 before and after, a store its look-up; two links lead to another socket, with the crossbars
    // of both at the ends.
    EXPECT_GT(ways["local load: coalescer l1 crossbar l2 response_crossbar l1 "], 10) << json(ways).dump(1);
    EXPECT_GT(ways["remote store: coalescer l1 crossbar link_queue link link_queue link crossbar remote_l2 "
                   "response_crossbar response_link_queue response_link response_link_queue response_link "
                   "response_crossbar "],
              10)
        << json(ways).dump(1);
}

TEST_F(numa_gpu, a_lane_that_fails_leaves_fewer_and_all_data_right) {
    const outcome o = run({small, "--set", "workload.name=many_to_one", "--set",
                           "lane_faults=[{link: link0, direction: b_to_a, at: 12us}, {link: link2, at: 15us}, "
                           "{link: link1, at: 1s}]",
                           "--out", "r"});
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    EXPECT_THAT(o.out, HasSubstr("many_to_one, static links: 1 lane of link0 failed"));
    EXPECT_THAT(o.out, HasSubstr("many_to_one, dynamic links: 1 lane of link2 failed"));
    EXPECT_THAT(o.out + o.err, HasSubstr("1 of 3 lane faults came to nothing"));
    const json r = report("r");
    for (const char* links : {"static", "dynamic", "double"})
        EXPECT_EQ(r["results"]["workloads"][0][links]["verified"], true);
    const outcome whole = run({small, "--set", "workload.name=many_to_one", "--out", "whole"});
    ASSERT_EQ(whole.code, 0);
    EXPECT_GT(r["results"]["workloads"][0]["static"]["time_ms"],
              report("whole")["results"]["workloads"][0]["static"]["time_ms"]);
}

TEST_F(numa_gpu, a_lane_each_way_and_buffers_for_one_packet) {
    const outcome o = run({small, "--set", "network.link.lanes.lanes_per_direction=1", "--set", "network.link.queue=1",
                           "--set", "network.link.receive_buffer=160B", "--out", "r"});
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    for (const char* links : {"static", "dynamic", "double"})
        EXPECT_EQ(report("r")["results"]["workloads"][0][links]["verified"], true);
}

TEST_F(numa_gpu, a_mistake_in_a_matrix_is_shown_in_its_file) {
    here_.write("m.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n3 9\n");
    const outcome o = run({small, "--set", "workload={name: spmv, matrix: {kind: file, file: m.mtx}}"});
    EXPECT_EQ(o.code, 2) << o.out;
    EXPECT_THAT(o.err, HasSubstr("m.mtx:4:3: error: '9' is not a column"));
}

TEST_F(numa_gpu, other_numbers_of_sockets_and_seeds_reach_the_workloads) {
    const outcome o = run({small, "--set", "gpus=2", "--set", "workload.name=many_to_one", "--set", "also=[histogram]",
                           "--set", "compare=[dynamic]", "--seed", "7", "--out", "r"});
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    EXPECT_THAT(report("r")["results"]["workloads"][0]["parameters"].get<std::string>(),
                ::testing::AllOf(HasSubstr("sockets 2"), HasSubstr("seed 7")));
}

// The last example of docs/traces.md: its array lies in socket 1, whose CTA touched it first. Interleaved it lies in 0.
TEST_F(numa_gpu, arrays_of_a_trace_lie_where_its_page_says) {
    const std::string page = read_file(CF_PLATFORM_FOLDER "/../../docs/traces.md"), begin = "```text\n";
    const std::size_t at = page.rfind(begin) + begin.size();
    std::ofstream(here_ / "trace.txt") << page.substr(at, page.find("```", at) - at);
    const auto loads = [&](const char* placement) {
        const outcome o = run({small, "--set", "workload={name: trace, file: trace.txt}", "--set", "compare=[static]",
                               "--set", "gpus=2", "--set", std::string("placement=") + placement, "--out", placement});
        EXPECT_EQ(o.code, 0) << o.out << o.err;
        return read_file(here_ / placement / "stats.csv");
    };
    EXPECT_THAT(loads("first_touch"), HasSubstr("remote_loads.latency,count,samples,1\n"));
    EXPECT_THAT(loads("interleaved"), HasSubstr("local_loads.latency,count,samples,1\n"));
}

TEST_F(numa_gpu, what_comes_after_the_end_counts_for_nothing) {
    const auto energy = [&](const char* cycles) {
        const outcome o = run({small, "--set", "compare=[static]", "--set",
                               std::string("network.link.lanes.sample_time=") + cycles, "--out", cycles});
        EXPECT_EQ(o.code, 0) << o.out << o.err;
        return report(cycles)["results"]["workloads"][0]["static"]["link_energy_mj"].get<double>();
    };
    EXPECT_EQ(energy("1000cycles"), energy("100000cycles"));
}

TEST_F(numa_gpu, limits_and_wrong_input) {
    EXPECT_EQ(run({small, "--limit-time", "3us"}).code, 4);
    struct expectation {
        std::string set, text;
    };
    const std::vector<expectation> all{
        {"workload.name=transpoes", "did you mean 'transpose'"},
        {"workload.gird=8", "unknown key"},
        {"gpus=0", "gpus"},
        {"network.link.lanes.policy=wild", "policy"},
        {"network.link.lane_rate=3.3GB/s", "whole number"},
        {"compare=[static, static]", "static twice"},
        {"compare=[]", "nothing to compare"},
        {"window.from=1s", "window ends before"},
        {"network.link.receive_buffer=100B", "holds no line with its header"},
        {"watchdog=1us", "launch.cost"},
        {"workload={name: spmv, matrix: {kind: file, file: none.mtx}}", "error: none.mtx: there is no such file"},
        {"workload={name: spmv, matrix: {kind: file}}", "no file is named"},
        {"workload={name: spmv, matrix: {file: none.mtx}}", "would not be read"},
        {"workload={name: many_to_one, sockets: 2}", "leave workload.sockets out"},
        {"lane_faults=[{link: link9, at: 1us}]", "there is no link 'link9'"},
    };
    for (const auto& e : all) {
        const outcome o = run({small, "--set", e.set});
        EXPECT_EQ(o.code, 2) << e.set << "\n" << o.out << o.err;
        EXPECT_THAT(o.err, HasSubstr(e.text)) << e.set;
        EXPECT_EQ(o.out, "") << e.set;
    }
}

TEST_F(numa_gpu, a_lane_that_fails_is_marked_in_the_chart_of_its_link) {
    const outcome o =
        run({small, "--set", "workload.name=many_to_one", "--set", "compare=[static]", "--set",
             "lane_faults=[{link: link2, at: 15us}, {link: link2, direction: b_to_a, at: 1s}]", "--out", "r"});
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    std::map<std::string, std::vector<json>> faults;
    const json r = report("r");
    for (const json& section : r["sections"])
        for (const json& item : section["items"])
            for (const json& m : item.value("moments", json::array()))
                if (m["label"] == "a lane a to b fails") faults[item["id"]].push_back(m["x"]);
    EXPECT_EQ(faults, (std::map<std::string, std::vector<json>>{{"many_to_one-link2", {15.0}}}));
}

TEST_F(numa_gpu, a_single_socket_runs_once_and_says_why) {
    const outcome o = run({small, "--set", "gpus=1", "--trace", "--wave", "vcd", "--out", "r"});
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    EXPECT_THAT(o.out,
                HasSubstr("warning: transpose, static links: the waves are empty: a single socket has no links"));
    EXPECT_THAT(read_file(here_ / "r/trace.json"), HasSubstr("local load"));
    EXPECT_THAT(o.out, HasSubstr("1 socket x 4 units"));
    EXPECT_THAT(o.out, HasSubstr("warning: a single socket has no links to compare: it ran once, as 'static'"));
    EXPECT_EQ(o.out.find("dynamic"), std::string::npos) << o.out;
    const json r = report("r");
    EXPECT_EQ(r["results"]["workloads"][0]["static"]["verified"], true);
    EXPECT_FALSE(r["results"]["workloads"][0].contains("dynamic"));

    const outcome fault = run({small, "--set", "gpus=1", "--set", "lane_faults=[{link: link0, at: 1us}]"});
    EXPECT_EQ(fault.code, 2);
    EXPECT_THAT(fault.err, HasSubstr("--set:2:21: error: a single socket has no links"));
}

TEST_F(numa_gpu, a_window_in_which_nothing_happens_is_said) {
    const std::vector<std::string> all{
        small, "--set", "lane_controller=tlm", "--set", "compare=[dynamic]", "--trace", "--wave", "vcd", "--out"};
    const auto shown = [&](std::vector<std::string> more) {
        std::vector<std::string> words = all;
        words.insert(words.end(), more.begin(), more.end());
        const outcome o = run(words);
        EXPECT_EQ(o.code, 0) << o.err;
        return o.out;
    };
    EXPECT_THAT(shown({"late", "--set", "window={from: 1ms, to: 2ms}"}),
                HasSubstr("waves and trace are empty: the run ended at "));
    EXPECT_THAT(shown({"early", "--set", "window.to=1ns"}),
                HasSubstr("the trace is empty: no request began in window 0ps to 1ns"));
    EXPECT_THAT(shown({"right"}), ::testing::Not(HasSubstr("empty")));
}

TEST_F(numa_gpu, waves_begin_and_end_with_the_window) {
    const outcome o = run(
        {small, "--set", "compare=[dynamic]", "--set", "window={from: 18us, to: 20us}", "--wave", "vcd", "--out", "r"});
    ASSERT_EQ(o.code, 0) << o.err;
    std::istringstream vcd(read_file(here_ / "r/waves.vcd"));
    std::vector<unsigned long> times;
    for (std::string line; std::getline(vcd, line);)
        if (line[0] == '#') times.push_back(std::stoul(line.substr(1)));
    ASSERT_GT(times.size(), 100u);
    for (const unsigned long t : times) EXPECT_TRUE(t == 0 || (t >= 18'000'000 && t <= 20'000'000)) << t;
}

// Refused before the run, which would be lost.
TEST_F(numa_gpu, results_go_to_places_that_can_take_them) {
    const outcome within = run({small, "--record", "r/x.cft", "--out", "r"});
    EXPECT_EQ(within.code, 2);
    EXPECT_THAT(within.err, HasSubstr("--record r/x.cft is in the run directory, --out r: name a file elsewhere"));
    EXPECT_FALSE(std::filesystem::exists(here_ / "r"));
    std::filesystem::create_symlink("nowhere", here_ / "link");
    const outcome dangling = run({small, "--out", "link"});
    EXPECT_EQ(dangling.code, 2);
    EXPECT_THAT(dangling.err, HasSubstr("--out link: is a symbolic link to nothing"));
}
