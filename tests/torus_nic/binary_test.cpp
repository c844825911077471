// SPDX-License-Identifier: Apache-2.0
// The torus_nic binary in its users' view: its output, its files, its errors and its exit status.
#include <algorithm>
#include <cstdio>
#include <map>
#include <sstream>

#include <sys/resource.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cosim/fst_values.h"
#include "face/binary_fixture.h"
#include "observe/vcd_reader.h"

using contraflow::test::command;
using contraflow::test::outcome;
using contraflow::test::read_file;
using nlohmann::json;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

const std::string shipped = CF_PLATFORM_FOLDER "/offered_load.yaml";

class torus_nic : public contraflow::test::binary_fixture {
protected:
    torus_nic() : binary_fixture(TORUS_NIC) {}
    // A small torus for a short time.
    outcome small(std::vector<std::string> more) {
        here_.write("small.yaml", "torus: {nodes: [4, 2], buffer: 64, router: 6, wire: 4}\n"
                                  "traffic: {packet_words: 16, warm_up: 500, measure: 1500}\n"
                                  "loads: [0.1, 0.5, 1.0]\n");
        more.insert(more.begin(), "small.yaml");
        return run(std::move(more));
    }
};

TEST_F(torus_nic, the_names_of_results_are_told_before_a_run) {
    const auto of = [&](const char* kind, std::vector<std::string> sets) {
        std::vector<std::string> words{"--set", std::string("experiment=") + kind, "--set", "torus.nodes=[2, 2]"};
        for (const auto& s : sets) words.insert(words.end(), {"--set", s});
        SCOPED_TRACE(kind);
        expect_results_told(words);
    };
    const std::string sizes = "messages.sizes=[32B, 4KiB]", program = "programs.run=[spin_glass]";
    of("offered_load", {"loads=[0.1, 1]", "traffic.measure=500"});
    of("latency", {sizes});
    of("latency", {sizes, "receive.level=rtl"});
    of("latency", {sizes, "receive.level=firmware"});
    of("bandwidth", {sizes});
    of("bandwidth", {sizes, "receive.level=firmware"});
    of("read", {sizes});
    of("programs", {program});
    of("nodes", {sizes, program});
}

TEST_F(torus_nic, tells_latency_and_throughput_and_how_busy_links_were) {
    const outcome o = small({"--out", "r"});
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    EXPECT_THAT(o.out, HasSubstr("torus 4 x 2, uniform traffic in packets of 16 words"));
    const json loads = report("r")["results"]["loads"];
    ASSERT_EQ(loads.size(), 3u);
    double before = 0;
    for (const json& l : loads) {
        EXPECT_GT(l["mean_ns"], before);
        before = l["mean_ns"];
        EXPECT_EQ(l["links"].size(), 8u * 3);
        EXPECT_GT(l["callbacks"], l["packet_hops"]);
    }
    EXPECT_NEAR(loads[0]["accepted"].get<double>(), 0.1, 0.02);
    EXPECT_TRUE(loads[2]["saturated"]);
    for (const json& l : loads)
        EXPECT_NEAR(l["accepted_at_first"].get<double>() + l["accepted_at_last"].get<double>(),
                    2 * l["accepted"].get<double>(), 1e-9);
    // Nothing is faster than an empty network: at least the time of one link.
    EXPECT_GT(loads[0]["p50_ns"], (6 + 4 + 16) * 4);
    const std::string page = read_file(here_ / "r/report.html");
    EXPECT_THAT(page, HasSubstr("How busy links are at load 1, by node and direction"));
    EXPECT_THAT(page, HasSubstr("latency against throughput"));
    const std::string stats = read_file(here_ / "r/stats.csv");
    for (const char* row : {"load_1.node0.x+.words,", "load_1.node7.y-.credit_stall,", "load_1.source.latency,p99"})
        EXPECT_THAT(stats, HasSubstr(row));
}

TEST_F(torus_nic, says_that_nothing_was_measured) {
    const outcome o = small({"--set", "loads=[0.01]", "--set", "traffic.warm_up=0", "--set", "traffic.measure=2"});
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    EXPECT_THAT(o.out + o.err, HasSubstr("no packet was created in the 2 measured cycles at load 0.01"));
    EXPECT_THAT(o.out, Not(HasSubstr("mean latency 0 ns")));
}

TEST_F(torus_nic, every_pattern_runs_and_is_the_same_in_every_run) {
    for (const std::string pattern : {"uniform", "tornado", "neighbour", "hot_spot", "transpose"}) {
        const std::string nodes = pattern == "transpose" ? "torus.nodes=[3, 3]" : "torus.nodes=[4, 2]";
        for (const std::string out : {"a", "b"}) {
            const outcome o = small({"--set", "traffic.pattern=" + pattern, "--set", nodes, "--set", "loads=[0.3]",
                                     "--set", "traffic.measure=500", "--out", pattern + out});
            ASSERT_EQ(o.code, 0) << o.out << o.err;
        }
        EXPECT_EQ(read_file(here_ / (pattern + "a") / "stats.csv"), read_file(here_ / (pattern + "b") / "stats.csv"));
    }
}

TEST_F(torus_nic, its_own_configuration_gives_the_same_report) {
    ASSERT_EQ(small({"--out", "a", "--set", "torus.kind=mesh", "--set", "loads=[0.1, 0.5]"}).code, 0);
    const outcome o = run({"a/config.yaml", "--out", "b"});
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_EQ(read_file(here_ / "a/report.json"), read_file(here_ / "b/report.json"));
}

TEST_F(torus_nic, a_trace_has_a_slice_for_each_crossing) {
    ASSERT_EQ(small({"--trace", "--out", "r", "--set", "loads=[0.1]"}).code, 0);
    const json trace = json::parse(read_file(here_ / "r/trace.json"));
    std::uint64_t slices = 0;
    for (const json& e : trace) slices += e["ph"] == "X";
    EXPECT_EQ(slices, report("r")["results"]["loads"][0]["packet_hops"].get<std::uint64_t>());
}

TEST_F(torus_nic, bad_wires_cost_words_and_nothing_is_lost) {
    const outcome o = small({"--set", "torus.error_rate=0.01", "--out", "r", "--set", "loads=[0.2]"});
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    EXPECT_THAT(o.out, HasSubstr("damaged words were found"));
    const json load = report("r")["results"]["loads"][0];
    EXPECT_GT(load["damaged_words"], 10);
    EXPECT_GE(load["resent_words"], load["damaged_words"]);
    EXPECT_EQ(load["never_arrived"], 0);
}

TEST_F(torus_nic, a_lost_credit_ends_without_progress_and_is_named) {
    const outcome o = small({"--set", "torus.buffer=16", "--set", "torus.virtual_channels=2", "--set", "loads=[0.3]",
                             "--set", "lost_credits=[{at: 2us, link: node1.x+}]"});
    EXPECT_EQ(o.code, 3) << o.out << o.err;
    EXPECT_THAT(o.out, HasSubstr("node1.x+ waits for credit for 16 words (16 words of credit were lost) of node2"));
}

TEST_F(torus_nic, a_lost_credit_that_never_stops_anything_fails_the_run_all_the_same) {
    const outcome o = small({"--set", "loads=[0.1]", "--set", "lost_credits=[{at: 2us, link: node1.x+}]"});
    EXPECT_EQ(o.code, 1) << o.out << o.err;
    EXPECT_THAT(o.out, HasSubstr("node1.x+: credits of virtual channel"));
}

TEST_F(torus_nic, the_shipped_configuration_is_one_it_takes) {
    const outcome o = run({shipped, "--set", "loads=[0.1]", "--set", "traffic.measure=2000"});
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_THAT(o.out, HasSubstr("torus 4 x 4 x 4"));
    EXPECT_THAT(o.out, Not(HasSubstr("no steady state")));
    // Beyond saturation queues grow for as long as it is measured, and the report says so.
    const outcome full = run({shipped, "--set", "loads=[1]", "--out", "full"});
    ASSERT_EQ(full.code, 0) << full.err;
    EXPECT_THAT(read_file(here_ / "full/report.html"),
                HasSubstr("How busy links are at load 1, by node and direction"));
    EXPECT_THAT(full.out, HasSubstr("At load 1 the network has no steady state"));
}

TEST_F(torus_nic, wrong_input_is_one_clear_message_and_status_2) {
    struct expectation {
        std::vector<std::string> sets;
        std::string text;
    };
    const std::vector<expectation> all{
        {{"torus.nodes=[4, 0]"}, "torus.nodes[1]: '0' is out of range"},
        {{"torus.nodes=[2, 2, 2, 2]"}, "nodes [2, 2, 2, 2] has 4 dimensions"},
        {{"torus.nodes=[1]"}, "is one node"},
        {{"torus.nodes=[64, 64, 64]"}, "at most 4096 in all"},
        {{"torus.virtual_channels=3"}, "a ring needs as many beyond its dateline as before it"},
        {{"torus.link_rate=3GB/s"}, "no whole number"},
        {{"loads=[0.5, 1.5]"}, "loads[1]: '1.5' is out of range"},
        {{"loads=[]"}, "there is no load to run"},
        {{"traffic.pattern=tornadoo"}, "did you mean 'tornado'?"},
        {{"traffic.pattern=transpose"}, "two dimensions or three of the same size, and nodes is [4, 2]"},
        {{"traffic.pattern=hot_spot", "traffic.hot_node=8"}, "hot_node 8: there are 8 nodes"},
        {{"traffic.packet_words=65"}, "a packet of 65 words never fits a buffer of 64"},
        {{"lost_credits=[{at: 1us, link: node5.x}]"}, "there is no link 'node5.x' (did you mean 'node5.x"},
        {{"lost_credits=[{at: 1us, link: node5.x+, channel: 4}]"}, "channel 4: a link has 4"},
        {{"torus.router=-1"}, "torus.router"},
    };
    for (const auto& e : all) {
        std::vector<std::string> words;
        for (const auto& s : e.sets) words.insert(words.end(), {"--set", s});
        const outcome o = small(words);
        EXPECT_EQ(o.code, 2) << o.out << o.err;
        EXPECT_THAT(o.err, HasSubstr(e.text));
        EXPECT_EQ(o.out, "") << e.text;
    }
    for (const std::string option : {"--wave=vcd", "--gdb=0", "--nodes=1"}) {
        const outcome o = small({option, "--out", "w"});
        EXPECT_EQ(o.code, 2);
        EXPECT_THAT(o.err, HasSubstr("a network without nodes")) << option;
    }
}

// ---- nodes

class torus_nodes : public torus_nic {
protected:
    // Two nodes with little memory, and few messages, received by firmware.
    outcome nodes(const std::string& experiment, std::vector<std::string> sets, const std::string& out = {}) {
        here_.write("nodes.yaml", "experiment: " + experiment +
                                      "\ntorus: {nodes: [2]}\nnode: {memory: 1MiB, gpu: {memory: 1MiB}}\n"
                                      "receive: {level: firmware}\n"
                                      "messages: {sizes: [32B, 8KiB], volume: 16KiB, repeat: 2, pairs: [host_host, "
                                      "gpu_gpu]}\n");
        std::vector<std::string> words{"nodes.yaml"};
        for (const auto& s : sets) words.insert(words.end(), {"--set", s});
        if (!out.empty()) words.insert(words.end(), {"--out", out});
        return run(std::move(words));
    }
    // A message of 32 bytes to and fro, three times, and three times one way.
    static constexpr const char* one_size = "experiment: latency\ntorus: {nodes: [2]}\n"
                                            "node: {memory: 1MiB, gpu: {memory: 1MiB}}\n"
                                            "receive: {level: firmware}\n"
                                            "messages: {sizes: [32B], repeat: 2, pairs: [host_gpu], watched: 32B}\n";
    json results(const std::string& out, const std::string& experiment) { return report(out)["results"][experiment]; }
    static json chart(const json& report, const std::string& id) {
        for (const json& section : report["sections"])
            for (const json& item : section["items"])
                if (item["kind"] == "chart" && item["id"] == id) return item;
        ADD_FAILURE() << "there is no chart " << id;
        return {};
    }
    static json table(const json& report, const std::string& id) {
        for (const json& section : report["sections"])
            for (const json& item : section["items"])
                if (item["kind"] == "table" && item["id"] == id) return item["rows"];
        ADD_FAILURE() << "there is no table " << id;
        return json::array();
    }
    // What published points a chart shows.
    static std::vector<double> marks(const json& report, const std::string& id) {
        std::vector<double> all;
        const json c = chart(report, id);
        for (const json& m : c["marks"]) all.push_back(m["y"]);
        return all;
    }
};

// The main job, of few messages and one small program.
TEST_F(torus_nodes, receive_by_rtl_where_nothing_else_is_said) {
    here_.write("plain.yaml", "experiment: latency\ntorus: {nodes: [2]}\n"
                              "node: {memory: 1MiB, gpu: {memory: 1MiB}}\n"
                              "messages: {sizes: [32B], repeat: 2, pairs: [host_gpu]}\n");
    ASSERT_EQ(run({"plain.yaml", "--out", "plain"}).code, 0);
    ASSERT_EQ(run({"plain.yaml", "--set", "receive.level=rtl", "--out", "rtl"}).code, 0);
    EXPECT_EQ(report("plain")["levels"]["receive"], "RTL");
    EXPECT_EQ(report("plain")["results"], report("rtl")["results"]);
}

TEST_F(torus_nodes, the_main_job_compares_direct_messages_with_staged_ones) {
    const outcome o = run({CF_PLATFORM_FOLDER "/torus_nic.yaml", "--out", "r", "--set", "messages.sizes=[32B, 8KiB]",
                           "--set", "node.memory=1MiB", "--set", "node.gpu.memory=1MiB", "--set",
                           "programs.run=[spin_glass]", "--set", "programs.spin_glass={side: 16, sweeps: 1}"});
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    EXPECT_THAT(o.out, HasSubstr("4 x 2 nodes"));
    const json latency = results("r", "latency"), bandwidth = results("r", "bandwidth");
    for (const json* const runs : {&latency, &bandwidth}) {
        ASSERT_EQ(runs->size(), 2u);
        EXPECT_EQ((*runs)[0]["variant"], "gpu_gpu, v2, 32KiB");
        EXPECT_EQ((*runs)[1]["variant"], "gpu_gpu, staged");
        for (const json& r : *runs) EXPECT_EQ(r["verdict"], "verified");
    }
    // A copy to the host takes a call of 10 us; the core's look-up of the source, 3 us, and the GPU's latency are
    // saved.
    const auto figure = [](const json& r, int size, const char* what) { return r["sizes"][size][what].get<double>(); };
    const double more = figure(latency[1], 0, "latency_us") - figure(latency[0], 0, "latency_us");
    EXPECT_GT(more, 10 - 3.5 - 2);
    EXPECT_LT(more, 10);
    EXPECT_LT(figure(bandwidth[1], 0, "gb_per_s"), figure(bandwidth[0], 0, "gb_per_s"));
    const json programs = results("r", "programs");
    ASSERT_EQ(programs.size(), 3u);
    for (const json& r : programs) EXPECT_EQ(r["verdict"], "verified") << r["p2p"];
    EXPECT_GT(programs[0]["time_us"], programs[2]["time_us"]);

    const json all = report("r");
    EXPECT_EQ(marks(all, "latency"), (std::vector<double>{16.8, 8.2}));
    EXPECT_EQ(marks(all, "overhead"), (std::vector<double>{17, 8}));
    EXPECT_EQ(marks(all, "bandwidth"), (std::vector<double>{1.1}));
    EXPECT_EQ(chart(all, "bandwidth")["moments"][0]["x"], 32768);
}

TEST_F(torus_nodes, the_reference_is_staged_and_looks_up_in_hardware) {
    const outcome o = run({CF_PLATFORM_FOLDER "/overhead.yaml", "--out", "o", "--set", "messages.sizes=[32B]"});
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    std::map<std::string, json> by_variant;
    for (const json& r : results("o", "latency")) {
        EXPECT_EQ(r["verdict"], "verified");
        by_variant[r["variant"]] = r["sizes"][0];
    }
    const auto figure = [&](const std::string& variant, const char* what) {
        return by_variant.at(variant)[what].get<double>();
    };
    constexpr double lookup_us = 3.4;
    for (const auto& [reference, by_firmware] :
         {std::pair("host_host, reference", "host_host"), std::pair("gpu_gpu, reference", "gpu_gpu, staged")}) {
        EXPECT_NEAR(figure(by_firmware, "latency_us") - figure(reference, "latency_us"), lookup_us, 0.2) << reference;
        EXPECT_NEAR(figure(by_firmware, "overhead_us"), figure(reference, "overhead_us"), 0.05) << reference;
    }
    EXPECT_EQ(marks(report("o"), "overhead"), (std::vector<double>{17, 8, 5}));
    EXPECT_EQ(marks(report("o"), "latency"), (std::vector<double>{16.8, 17.4, 8.2, 6.3}));

    // Both directions at once, because the engine that copies and the link are shared then.
    const auto rates = [&](const std::string& file, const char* out) {
        const outcome run_of =
            run({CF_PLATFORM_FOLDER "/" + file, "--out", out, "--set", "messages.sizes=[4KiB, 256KiB]", "--set",
                 "messages.repeat=1", "--set", "messages.volume=16KiB", "--set", "messages.pairs=[gpu_gpu]"});
        EXPECT_EQ(run_of.code, 0) << run_of.out << run_of.err;
        const json runs = results(out, "bandwidth");
        std::vector<double> all;
        for (const json& r : runs)
            for (const json& size : r["sizes"]) all.push_back(size["gb_per_s"]);
        return all;
    };
    const auto one = rates("one_way.yaml", "one"), both = rates("both_ways.yaml", "both");
    ASSERT_EQ(one.size(), 4u);
    EXPECT_GT(one[0], one[2]);        // small: directly
    EXPECT_LT(1.5 * one[1], one[3]);  // large: staged in pieces, as firmware limits the other
    ASSERT_EQ(both.size(), 4u);
    for (int i = 0; i < 4; ++i) EXPECT_LE(both[i], one[i] + 0.001) << i;
    EXPECT_LT(both[3], 0.9 * one[3]);
}

// Long rings take the memory that messages through it would need.
TEST_F(torus_nodes, rings_and_messages_that_do_not_fit_the_host_together_are_refused) {
    const std::vector<std::string> sets{
        "programs.run=[all_reduce]", "programs.p2p=[off]", "programs.all_reduce.vector=1MiB",
        "node.gpu.memory=4MiB",      "node.memory=3MiB",   "node.process.entries=16384"};
    const outcome o = nodes("programs", sets);
    EXPECT_EQ(o.code, 2) << o.out << o.err;
    EXPECT_THAT(o.err, HasSubstr("all_reduce needs 2MiB of each host for messages through its memory"));
    EXPECT_EQ(o.out, "");
}

TEST_F(torus_nodes, latency_is_that_of_the_host_and_a_gpu_is_read_more_slowly) {
    const outcome o = nodes("latency", {}, "r");
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    EXPECT_THAT(o.out, HasSubstr("latency, node 0 to node 1: at 32B: host_host"));
    const json runs = results("r", "latency");
    ASSERT_EQ(runs.size(), 2u);
    // The core looks up the place of a GPU's buffer; a GPU answers a read after 1.5 us, the host after 0.2 us.
    const double more =
        runs[1]["sizes"][0]["latency_us"].get<double>() - runs[0]["sizes"][0]["latency_us"].get<double>();
    EXPECT_GT(more, 2.5 + 0.7);
    EXPECT_LT(more, 3.3 + 1.3);
    for (const json& r : runs) {
        EXPECT_EQ(r["verdict"], "verified");
        EXPECT_GT(r["sizes"][1]["latency_us"], r["sizes"][0]["latency_us"]);
        EXPECT_GT(r["firmware"]["lookups"], 20);
        EXPECT_GT(r["tlps"], 30);
        for (const auto& [name, time] : r["stages_us"].items()) EXPECT_GE(time, 0.0) << name;
    }
    // Stages tile the message; firmware looks it up in about 3 us, and 0.5 us for the buffer before.
    EXPECT_NEAR(runs[0]["stages_us"]["look-up"].get<double>(), 3.4, 0.15);
    // The core's table is about packets and messages: none of its routines set buffers up.
    const json routines = table(report("r"), "routines");
    EXPECT_FALSE(routines.empty());
    for (const json& row : routines)
        EXPECT_THAT(row[0].get<std::string>(), Not(ContainsRegex("init|driver_command|buffer_list_set"))) << row;
    const std::string page = read_file(here_ / "r/report.html");
    for (const char* text : {"Bus analyser", "PCIe address map of each node", "Where the core's cycles go",
                             "Where the time of one message", "published"})
        EXPECT_THAT(page, HasSubstr(text));

    // The same with one thing changed: hardware saves the firmware's time, and a driver that takes longer for
    // a put does so after it has been sent.
    const auto figures = [&](const char* out, std::vector<std::string> sets) {
        sets.insert(sets.end(), {"messages.sizes=[32B]", "messages.pairs=[host_host]"});
        const outcome changed = nodes("latency", sets, out);
        EXPECT_EQ(changed.code, 0) << changed.out << changed.err;
        return results(out, "latency")[0];
    };
    const auto figure = [](const json& r, const char* what) { return r["sizes"][0][what].get<double>(); };
    const json hardware = figures("tlm", {"receive.level=tlm"}), slow = figures("slow", {"node.process.put=4.6us"});
    EXPECT_NEAR(figure(runs[0], "latency_us") - figure(hardware, "latency_us"), 3.4, 0.15);
    EXPECT_FALSE(hardware.contains("firmware"));
    EXPECT_NEAR(figure(slow, "latency_us") - figure(runs[0], "latency_us"), 0, 0.05);
    EXPECT_NEAR(figure(slow, "overhead_us") - figure(runs[0], "overhead_us"), 2, 0.05);
    figures("lockstep", {"receive.level=lockstep"});
}

// The host's part of a message is one figure, and the receiver's back-pressure another: only that one grows while the
// buffers fill.
TEST_F(torus_nodes, overhead_is_the_same_for_any_number_of_messages_and_back_pressure_is_told_apart) {
    const std::vector<std::string> all_kinds{"messages.pairs=[host_host, gpu_gpu]", "messages.routes=[direct, staged]"};
    const auto sizes = [&](const std::string& out, std::vector<std::string> sets) {
        sets.push_back("messages.sizes=[32B, 32KiB]");
        const outcome o = nodes("latency", sets, out);
        EXPECT_EQ(o.code, 0) << o.out << o.err;
        std::map<std::string, json> by_variant;
        for (const json& r : results(out, "latency")) by_variant[r["variant"]] = r["sizes"];
        return by_variant;
    };
    const auto figure = [](const json& size, const char* what) { return size[what].get<double>(); };
    auto few = sizes("few", all_kinds);
    for (const std::string level : {"firmware", "tlm"}) {
        const json many = sizes(level, {"messages.pairs=[host_host]", "messages.repeat=24", "receive.level=" + level})
                              .at("host_host");
        for (int i = 0; i < 2; ++i) {
            const double us = figure(few["host_host"][i], "overhead_us");
            EXPECT_NEAR(figure(many[i], "overhead_us"), us, 0.01 * us) << level << i;
        }
        // By firmware, 8 packets take 3.4 us each, and are sent in 19.6 us.
        if (level == "firmware")
            EXPECT_GT(figure(many[1], "held_back_us"), 3);
        else
            EXPECT_NEAR(figure(many[1], "held_back_us"), 0, 0.1);
    }
    for (const auto& [variant, of] : few)
        for (int i = 0; i < 2; ++i)
            EXPECT_LT(figure(of[i], "overhead_of_host_us"), figure(of[i], "overhead_us")) << variant << i;
    EXPECT_NEAR(figure(few["host_host"][1], "held_back_us"), 0, 0.1) << "buffers take them";
    EXPECT_NEAR(figure(few["gpu_gpu, v2, 32KiB"][0], "overhead_of_host_us"), 2.6, 0.001);
    EXPECT_NEAR(figure(few["gpu_gpu, staged"][0], "overhead_of_host_us"), 12.6 + 0.7, 0.2) << "and a copy to the host";
}

// The first message waits for a window's move, and the last ones find an idle core: neither is measured.
TEST_F(torus_nodes, bandwidth_does_not_depend_on_how_many_messages_are_measured) {
    const auto rates = [&](const std::string& repeat) {
        const outcome o = nodes("bandwidth",
                                {"messages.target=0", "messages.sizes=[4KiB]", "messages.volume=1B",
                                 "messages.pairs=[host_gpu, gpu_host]", "messages.repeat=" + repeat},
                                repeat);
        EXPECT_EQ(o.code, 0) << o.out << o.err;
        std::vector<double> all;
        for (const json& r : results(repeat, "bandwidth")) {
            all.push_back(r["sizes"][0]["gb_per_s"]);
            EXPECT_EQ(std::to_string(r["sizes"][0]["messages"].get<int>()), repeat);
            char lookup[64];
            std::snprintf(lookup, sizeof lookup, "%s %.3g us", r["variant"].get<std::string>().c_str(),
                          r["firmware"]["lookup_us"].get<double>());
            EXPECT_THAT(report(repeat)["headline"].dump(), HasSubstr(lookup)) << "each run has a time of its own";
        }
        return all;
    };
    const auto few = rates("4"), many = rates("64");
    ASSERT_EQ(few.size(), 2u);
    for (int i = 0; i < 2; ++i) EXPECT_NEAR(few[i], many[i], 0.01 * many[i]) << i;
}

// Messages of 4 KiB come from 16 places in turn, those of node 1 from every other one.
TEST_F(torus_nodes, memory_is_registered_by_the_put_that_needs_it) {
    const auto run_of = [&](const std::string& cache) {
        const outcome o = nodes("latency",
                                {"messages.sizes=[4KiB]", "messages.watched=64KiB", "messages.pairs=[host_host]",
                                 "messages.repeat=64", "receive.level=tlm", "messages.registration.cache=" + cache},
                                cache);
        EXPECT_EQ(o.code, 0) << o.out << o.err;
        const json r = results(cache, "latency")[0];
        EXPECT_EQ(r["verdict"], "verified");
        return std::pair{r["sizes"][0]["latency_us"].get<double>(), o.out};
    };
    const auto [before, said_before] = run_of("0");
    const auto [all, said_all] = run_of("16");
    const auto [few, said_few] = run_of("4");
    EXPECT_THAT(said_before, Not(HasSubstr("register their memory")));
    // Node 0 puts 4 KiB 1 + 64 + 64 + 64 times, node 1 1 + 64 times; the last message has 64 KiB, all places.
    EXPECT_THAT(said_all, HasSubstr("register their memory: host_host 25 of "));
    EXPECT_THAT(said_few, HasSubstr("register their memory: host_host 259 of "));
    EXPECT_LT(all, before + 0.25 * 2) << "a quarter of the messages pays";
    EXPECT_GT(few, all + 0.25) << "a page each, 250 ns, and one that makes room for it";
}

TEST_F(torus_nodes, the_address_map_of_a_node_is_told_once_whatever_the_number_of_runs) {
    const outcome o = nodes("nodes",
                            {"receive.level=tlm", "messages.sizes=[32B]", "messages.pairs=[host_host]",
                             "programs.run=[halo]", "programs.rounds=1", "programs.block=512B"},
                            "r");
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    std::size_t maps = 0, ranges = 0;  // ranges: of the GPU
    const json all = report("r");
    for (const json& section : all["sections"]) {
        if (section["id"] != "addresses") continue;
        ++maps;
        for (const json& row : section["items"][0]["rows"])
            ranges += row[0] == "gpu" && row[2].get<std::string>().starts_with("BAR");
    }
    EXPECT_EQ(maps, 1u);
    EXPECT_EQ(ranges, 3u);
}

// The shortest watchdog that is taken lets all of the firmware's routines come to their end.
TEST_F(torus_nodes, firmware_that_works_is_no_hang) {
    const outcome o = nodes("latency", {"watchdog=19us", "node.gpu_link=gen2 x4", "messages.sizes=[32B]"});
    EXPECT_EQ(o.code, 0) << o.out << o.err;
}

// In loop-back one node reads the message and writes it: what it reads behind received data is not the message.
TEST_F(torus_nodes, a_message_to_a_gpu_of_its_own_node_has_the_stages_of_any_other) {
    const outcome o = nodes(
        "bandwidth",
        {"messages.target=0", "messages.pairs=[host_host, host_gpu]", "messages.sizes=[4KiB]", "messages.watched=4KiB"},
        "own");
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    const json runs = results("own", "bandwidth");
    ASSERT_EQ(runs.size(), 2u);
    for (const json& r : runs) {
        EXPECT_NEAR(r["stages_us"]["look-up"].get<double>(), 3.4, 0.3);
        EXPECT_LT(r["stages_us"]["data into the NIC"].get<double>(), 4);
    }
    EXPECT_THAT(o.out, HasSubstr("One message of 4KiB by stage"));
    // The look-ups of several packets overlap with other stages: none is told, instead of 0.
    const outcome longer = nodes("bandwidth",
                                 {"messages.target=0", "messages.pairs=[host_host]", "messages.sizes=[4KiB]",
                                  "messages.volume=1B", "messages.watched=12KiB"},
                                 "longer");
    ASSERT_EQ(longer.code, 0) << longer.out << longer.err;
    EXPECT_THAT(longer.out, ContainsRegex("look-up +-\n"));
    EXPECT_THAT(longer.out, HasSubstr("nor of several packets"));
    EXPECT_FALSE(results("longer", "bandwidth")[0]["stages_us"].contains("look-up"));
}

// The shipped configuration: memories are compared in the end, and the core, the RTL's queues and its ports share an
// axis.
TEST_F(torus_nodes, firmware_serves_the_misses_of_the_rtl) {
    const outcome o = run({CF_PLATFORM_FOLDER "/misses.yaml", "--wave", "vcd", "--nodes", "1", "--out", "r", "--set",
                           "messages.sizes=[4KiB, 64KiB]"});
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    EXPECT_EQ(report("r")["levels"]["receive"], "RTL with firmware");
    const auto waves = contraflow::test::fst_values::read((here_ / "r/waves.vcd").string());
    const auto rises = [&](const std::string& name, const std::string& under = "") {
        std::vector<std::uint64_t> at;
        for (const auto& [time, value] : waves.changes(under + "node1.nic." + name))
            if (value != 0) at.push_back(time);
        return at;
    };
    EXPECT_EQ(rises("receive.dma_valid_o", "rtl."), rises("receive.dma_valid"))
        << "the RTL that is played again after the run";
    const auto asked = rises("core_queues.lookups"), routine = rises("core.receive_packet");
    EXPECT_GE(asked.size(), 16u) << "pages of 4 KiB";
    // The core leaves the routine for others, and comes back.
    for (std::size_t i = 0; i < asked.size(); ++i) {
        const auto next = std::ranges::upper_bound(routine, asked[i]);
        ASSERT_NE(next, routine.end());
        if (i + 1 < asked.size()) { EXPECT_LT(*next, asked[i + 1]); }
    }
    EXPECT_GT(rises("receive.dma_valid").size(), asked.size());
    EXPECT_GT(rises("receive.bus_access").size(), 10 * asked.size());
    EXPECT_TRUE(rises("receive.table_valid").empty());
}

TEST_F(torus_nodes, trace_and_waves_of_chosen_nodes_are_on_one_axis) {
    here_.write("shown.yaml", one_size);
    const outcome o = run({"shown.yaml", "--trace", "--wave", "vcd", "--nodes", "1", "--out", "r"});
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    EXPECT_THAT(o.out, HasSubstr("saw the first run, host_gpu"));
    const auto waves = contraflow::test::vcd_reader::read(read_file(here_ / "r/waves.vcd"));
    const auto last = [&](const std::string& name) {
        return waves.signals.at("node1.nic." + name).changes.back().second;
    };
    const auto rises = [&](const std::string& name) {
        std::vector<std::uint64_t> at;
        for (const auto& [time, value] : waves.signals.at("node1.nic." + name).changes)
            if (value == 1) at.push_back(time);
        return at;
    };
    const std::uint64_t packets = last("receive.retired");
    EXPECT_EQ(last("receive.received"), packets);
    EXPECT_EQ(last("transmit.launched"), last("transmit.left"));
    EXPECT_EQ(last("core_queues.lookups"), 0u);
    EXPECT_FALSE(waves.signals.contains("node0.nic.receive.received"));
    // Each packet that waits for the core is looked up: the routine begins after the queue has it.
    const auto looked_up = rises("core.look_up"), waits = rises("core_queues.lookups");
    ASSERT_EQ(waits.size(), packets);
    ASSERT_EQ(looked_up.size() % packets, 0u);
    for (std::size_t i = 0; i < packets; ++i) EXPECT_GT(looked_up[i * (looked_up.size() / packets)], waits[i]);

    // The trace has puts, crossings of links, TLPs and routines; a put ends after its packet has begun to cross.
    const json trace = json::parse(read_file(here_ / "r/trace.json"));
    std::map<std::string, std::vector<double>> begins;
    std::vector<double> put_ends;
    std::map<std::string, double> counters;  // their last values
    for (const json& e : trace) {
        if (e["ph"] == "C") counters[e["name"]] = e["args"].begin().value();
        if (e["ph"] != "X") continue;
        begins[e["name"]].push_back(e["ts"]);
        if (e["name"] == "put" && e["args"].size() == 1)
            put_ends.push_back(e["ts"].get<double>() + e["dur"].get<double>());
    }
    constexpr unsigned away = 2;  // those of the overhead that are thrown away
    EXPECT_EQ(put_ends.size(), 2 * packets - 3 + away)
        << "of both nodes: all but those that node 0 alone sends and the last one come back";
    EXPECT_EQ(begins["put"].size(), 2 * put_ends.size() - away) << "one packet each, one link each";
    for (const char* name : {"doorbell", "completion record", "move of a window", "page_walk", "receive_packet"})
        EXPECT_FALSE(begins[name].empty()) << name;
    // What the NIC has in its queues is counters of the trace, and ends as in the waves.
    EXPECT_EQ(counters["nic.transmit.launched"], last("transmit.launched"));
    EXPECT_EQ(counters["nic.receive.retired"], packets);
    EXPECT_TRUE(counters.contains("nic.transmit.descriptors"));
}

// The machine is made first: a limit that ends before is too short for this computer.
TEST_F(torus_nodes, a_wait_for_a_debugger_ends_at_the_limit) {
    here_.write("shown.yaml", one_size);
    outcome o;
    const std::string waited = "stopped while it waited for a debugger";
    for (unsigned seconds = 1; seconds < 1000 && o.out.find(waited) == o.out.npos; seconds *= 4) {
        const std::string limit = std::to_string(seconds);
        o = run({"shown.yaml", "--gdb", "0", "--limit-wall", limit});
        EXPECT_EQ(o.code, 4) << o.err;
        EXPECT_THAT(o.out, HasSubstr("Partial results: stopped by --limit-wall " + limit + "."));
    }
    EXPECT_THAT(o.out, HasSubstr(waited));
}

// A real debugger, with the program's symbols, at the core of the node that receives.
TEST_F(torus_nodes, gdb_stops_where_a_packet_is_looked_up_and_shows_it) {
    here_.write("shown.yaml", one_size);
    here_.write("commands", "break look_up\ncontinue\nprint *request\nbacktrace\ndelete\ncontinue\n");
    command played({TORUS_NIC, "shown.yaml", "--gdb", "0", "--nodes", "1", "--out", "r"}, here_.path());
    ASSERT_TRUE(played.wait_for("\n"));
    const std::string said = played.errors();
    EXPECT_THAT(said, HasSubstr("torus_nic: waiting for a debugger: target remote localhost:"));
    const std::string port = said.substr(said.rfind(':') + 1, said.find('\n') - said.rfind(':') - 1);
    const outcome gdb =
        command({"/usr/bin/timeout", "900", "gdb-multiarch", "-nx", "-batch", "-ex", "set confirm off", "-ex",
                 "target remote localhost:" + port, "-x", (here_ / "commands").string(), CF_NIC_FIRMWARE},
                here_.path())
            .wait();
    EXPECT_THAT(gdb.out, HasSubstr("address = 35184372088832, length = 32, process = 1, tag = 0, source = 0"));
    EXPECT_THAT(gdb.out, HasSubstr("in receive_packet"));
    EXPECT_EQ(played.wait().code, 0);
    // Simulated time stood still meanwhile.
    ASSERT_EQ(run({"shown.yaml", "--out", "alone"}).code, 0);
    for (const char* what : {"sizes", "stages_us"})
        EXPECT_EQ(results("r", "latency")[0][what], results("alone", "latency")[0][what]);
}

TEST_F(torus_nodes, firmware_that_is_wrong_is_one_line_and_a_status) {
    const auto with = [&](const std::string& file, std::vector<std::string> more = {}) {
        here_.write("wrong.yaml", one_size);
        more.insert(more.begin(), {"wrong.yaml", "--set", "receive.firmware=" + file});
        outcome o = run(std::move(more));
        std::ranges::replace(o.out, '\n', ' ');  // the terminal's lines
        return o;
    };
    const std::string folder = CF_WRONG_FIRMWARE "/";
    const outcome crashed = with(folder + "nic_crash.elf");
    EXPECT_EQ(crashed.code, 1) << crashed.err;
    EXPECT_THAT(crashed.out,
                ContainsRegex("host_gpu: FAULT at [0-9.]+us: node1.nic.node1_nic_core.core: store to 0x40000030: "
                              "there is nothing at pc 0x[0-9a-f]+ in '[a-z_]+'"));
    const outcome hung = with(folder + "nic_hang.elf", {"--set", "watchdog=200us"});
    EXPECT_EQ(hung.code, 3) << hung.err;
    EXPECT_THAT(hung.out, HasSubstr("host_gpu: no progress: nothing has moved from"));
    EXPECT_THAT(hung.out, HasSubstr("in 'receive_packet'; last bus access: load from 0x40000"));
    // What is no program for this core.
    here_.write("text.elf", "no program\n");
    std::string large = read_file(CF_NIC_FIRMWARE);
    const std::uint32_t at = static_cast<unsigned char>(large[28]);  // program headers; the size in memory of the first
    large[at + 20 + 2] = 1;                                          // 64 KiB more than there is
    here_.write("large.elf", large);
    for (const auto& [file, text] :
         {std::pair<std::string, std::string>{TORUS_NIC, ": is for x86-64; a RISC-V program of 32 bits is wanted"},
          {"text.elf", "text.elf: is no ELF file"},
          {"none.elf", "none.elf: cannot be read"},
          {".", ".: cannot be read"},
          {"large.elf", "lies outside of the memories of"}}) {
        const outcome o = with(file);
        EXPECT_EQ(o.code, 2) << o.out;
        EXPECT_THAT(o.err, HasSubstr(text));
        if (file == "large.elf")  // the core says so, when it is built
            EXPECT_EQ(std::ranges::count(o.err, '\n'), 1) << o.err;
        else
            EXPECT_THAT(o.err, HasSubstr(" error: receive.firmware: "));
    }
}

// The core looks up each packet that arrives and, on the same node, the source of each message that leaves a GPU.
TEST_F(torus_nodes, bandwidth_is_what_the_core_has_time_for) {
    const std::string big = "messages.sizes=[8KiB]";
    constexpr double packet_us = 3.44, source_us = 2.95;
    const auto gb_per_s = [](double us) { return 8192 / us / 1e3; };
    for (const std::string flow : {"one_way", "both_ways", "ring"}) {
        const outcome o = nodes(
            "bandwidth", {"messages.flow=" + flow, "messages.pairs=[gpu_gpu]", "messages.volume=256KiB", big}, flow);
        ASSERT_EQ(o.code, 0) << o.out << o.err;
        const json r = results(flow, "bandwidth")[0];
        EXPECT_EQ(r["verdict"], "verified");
        const double bound = gb_per_s(2 * packet_us + (flow == "one_way" ? 0 : source_us));
        EXPECT_NEAR(r["sizes"][0]["gb_per_s"].get<double>(), bound, 0.06) << flow;
        EXPECT_EQ(r["links"].size(), 2u);
    }
    const outcome o = nodes("bandwidth", {"messages.target=0", "messages.pairs=[host_host]", big}, "loop");
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    EXPECT_THAT(o.out, HasSubstr("loop-back"));
    for (const json& l : results("loop", "bandwidth")[0]["links"]) EXPECT_EQ(l["busy"], 0.0);
}

TEST_F(torus_nodes, bad_links_cost_time_and_no_data) {
    const std::string bad = CF_PLATFORM_FOLDER "/link_errors.yaml";
    const std::vector<std::string> small{"--set", "messages.sizes=[4KiB]", "--set", "messages.pairs=[gpu_gpu]"};
    const auto rate = [&](std::vector<std::string> more, const char* out) {
        std::vector<std::string> words{bad, "--out", out};
        words.insert(words.end(), small.begin(), small.end());
        words.insert(words.end(), more.begin(), more.end());
        const outcome o = run(words);
        EXPECT_EQ(o.code, 0) << o.out << o.err;
        EXPECT_EQ(results(out, "bandwidth")[0]["verdict"], "verified");
        return std::pair(o.out, results(out, "bandwidth")[0]["sizes"][0]["gb_per_s"].get<double>());
    };
    const auto [text, with] = rate({}, "bad");
    const auto [none, without] = rate(
        {"--set", "torus.error_rate=0", "--set", "node.fabric.faults.bit_error_rate=0", "--set", "receive.level=tlm"},
        "good");
    EXPECT_THAT(text, HasSubstr("damaged words were found by CRC"));
    EXPECT_THAT(none, Not(HasSubstr("damaged")));
    EXPECT_GT(without, with);
    const outcome unmet = nodes("latency", {"messages.sizes=[32B]", "messages.pairs=[host_host]",
                                            "node.fabric.faults.corrupt=[{port: nic.up, number: 1000000}]"});
    EXPECT_EQ(unmet.code, 0) << unmet.err;
    EXPECT_THAT(unmet.out + unmet.err, HasSubstr("a planned fault did not occur: node 0: nic.up: TLP 1000000"));
}

TEST_F(torus_nodes, a_lost_credit_is_named_across_the_torus) {
    const outcome o = nodes("bandwidth", {"messages.sizes=[8KiB]", "messages.pairs=[host_host]", "torus.kind=mesh",
                                          "torus.virtual_channels=1", "torus.buffer=258", "watchdog=200us",
                                          "lost_credits=[{at: 1us, link: node0.x+}]"});
    EXPECT_EQ(o.code, 3) << o.out << o.err;
    EXPECT_THAT(o.out, HasSubstr("host_host: no progress: nothing has moved from"));
    EXPECT_THAT(o.out, HasSubstr("torus.node0.x+ waits for credit for 258 words (258 words of credit were lost)"));
}

TEST_F(torus_nodes, reads_of_a_gpu_grow_with_the_window) {
    const outcome o = nodes("read",
                            {"messages.pairs=[gpu_gpu]", "messages.sizes=[64KiB]", "messages.repeat=2",
                             "messages.readers=[{window: 4KiB}, {window: 8KiB}, {window: 16KiB}, {window: 32KiB}, "
                             "{generation: v3}]"},
                            "r");
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    const json runs = results("r", "read");
    ASSERT_EQ(runs.size(), 5u);
    double before = 0;
    for (const json& r : runs) {
        EXPECT_GT(r["sizes"][0]["gb_per_s"], before + 0.05);
        before = r["sizes"][0]["gb_per_s"];
    }
    EXPECT_NEAR(before, 1.6, 0.02);  // a line of 128 bytes each 80 ns
    EXPECT_NEAR(runs[4]["link_to_nic"].get<double>(), 0.54, 0.04);
}

const std::vector<std::string> small_programs{
    "torus.nodes=[2, 2]",  "programs.spin_glass.side=8",      "programs.spin_glass.sweeps=1", "programs.rounds=1",
    "programs.block=512B", "programs.all_reduce.vector=4KiB", "programs.bfs.graph.scale=6"};

TEST_F(torus_nodes, every_program_is_verified_and_the_same_in_every_run) {
    for (const std::string out : {"a", "b"}) {  // statistics are those of the last program
        auto sets = small_programs;
        sets.push_back("receive.level=tlm");
        if (out == "b") sets.push_back("programs.run=[bfs]");
        const outcome o = nodes("programs", sets, out);
        ASSERT_EQ(o.code, 0) << o.out << o.err;
    }
    const json runs = results("a", "programs");
    ASSERT_EQ(runs.size(), 5u);
    for (const json& r : runs) {
        EXPECT_EQ(r["verdict"], "verified") << r["program"];
        EXPECT_GT(r["messages"], 0) << r["program"];
        EXPECT_GT(r["time_us"], 5.0) << r["program"];
    }
    EXPECT_EQ(read_file(here_ / "a/stats.csv"), read_file(here_ / "b/stats.csv"));
}

// RTL writes what the model writes, and takes as long: 2 % more at most.
TEST_F(torus_nodes, programs_with_the_receive_path_as_rtl) {
    std::map<std::string, double> us;  // with the model
    for (const std::string level : {"tlm", "rtl", "lockstep"}) {
        auto sets = small_programs;
        sets.push_back("receive.level=" + level);
        if (level == "lockstep") sets.push_back("receive.lockstep.acts=rtl");
        const outcome o = nodes("programs", sets, level);
        ASSERT_EQ(o.code, 0) << o.out << o.err;
        const json runs = results(level, "programs");
        ASSERT_EQ(runs.size(), 5u);
        for (const json& r : runs) {
            EXPECT_EQ(r["verdict"], "verified") << r["program"];
            const double time = r["time_us"];
            double& with_model = us[r["program"]];
            if (level == "tlm") with_model = time;
            EXPECT_NEAR(time, with_model, 0.02 * with_model) << r["program"];
        }
    }
    EXPECT_EQ(report("lockstep")["levels"]["receive"], "RTL and TLM in lockstep");
}

TEST_F(torus_nodes, the_headline_is_the_ratio_of_times_with_and_without_direct_access) {
    const outcome o = nodes("programs",
                            {"programs.run=[halo]", "programs.p2p=[off, rx, rx_tx]", "programs.rounds=1",
                             "programs.block=512B", "receive.level=tlm"},
                            "r");
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    const json runs = results("r", "programs");
    ASSERT_EQ(runs.size(), 3u);
    const auto time = [&](unsigned n) { return runs[n]["time_us"].get<double>(); };
    EXPECT_GT(time(0), time(1));
    EXPECT_GT(time(1), time(2));
    char ratio[32];
    std::snprintf(ratio, sizeof ratio, "halo %.2f x", time(0) / time(2));
    EXPECT_THAT(report("r")["headline"][0].get<std::string>(), HasSubstr(ratio));
}

TEST_F(torus_nodes, the_shipped_configurations_are_ones_it_takes) {
    for (const char* name : {"torus_nic", "latency", "overhead", "one_way", "both_ways", "loop_back", "link_errors",
                             "misses", "read", "programs", "many_nodes"}) {
        const outcome o = run({std::string(CF_PLATFORM_FOLDER "/") + std::string(name) + ".yaml", "--print-config"});
        EXPECT_EQ(o.code, 0) << name << o.err;
    }
}

TEST_F(torus_nodes, many_nodes_are_small_and_verified) {
    const outcome o = run({CF_PLATFORM_FOLDER "/many_nodes.yaml", "--out", "r"});
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    EXPECT_EQ(results("r", "programs")[0]["verdict"], "verified");
    rusage used{};
    ASSERT_EQ(getrusage(RUSAGE_CHILDREN, &used), 0);
    EXPECT_LT(used.ru_maxrss, 300'000)
        << "kilobytes";  // a third of it: TLPs that real receive buffers let be under way
}

// Other work on the computer makes runs slower, never faster: the least time of several runs is the run's own. Where it
// never rests, both runs of a pair are slowed down alike, and it is the median of the pairs' ratios that stays. The aim
// is 1.25, which programs do not quite meet: docs/performance.md. The bound finds what makes the RTL dearer.
TEST_F(torus_nodes, the_processor_time_of_programs_with_the_rtl_is_bounded) {
    const auto seconds = [] {
        rusage used{};
        EXPECT_EQ(getrusage(RUSAGE_CHILDREN, &used), 0);
        return static_cast<double>(used.ru_utime.tv_sec) + 1e-6 * static_cast<double>(used.ru_utime.tv_usec);
    };
    const auto cost = [&](const char* level) {
        const double before = seconds();
        EXPECT_EQ(run({CF_PLATFORM_FOLDER "/programs.yaml", "--jobs", "1", "--set", level}).code, 0);
        return seconds() - before;
    };
    constexpr double bound = 1.37;
    double rtl = 1e9, tlm = 1e9, ratio = 1e9;
    std::vector<double> pairs;
    while (pairs.size() < 61 && (pairs.size() < 3 || ratio > bound)) {
        const double with = cost("receive.level=rtl"), without = cost("receive.level=tlm");
        rtl = std::min(rtl, with);
        tlm = std::min(tlm, without);
        pairs.push_back(with / without);
        std::sort(pairs.begin(), pairs.end());
        ratio = std::min(rtl / tlm, pairs[pairs.size() / 2]);
    }
    EXPECT_LE(ratio, bound);
}

TEST_F(torus_nodes, wrong_input_is_one_clear_message_and_status_2) {
    struct expectation {
        std::vector<std::string> sets;
        std::string text;
    };
    const std::vector<expectation> all{
        {{"messages.target=2"}, "there is no node 2"},
        {{"messages.registration.cache=16", "node.receive.buffers=19"}, "BUF_LIST has room for 19 buffers"},
        {{"messages.sizes=[]"}, "there is no size to run"},
        {{"messages.sizes=[0B]"}, "messages.sizes[0]: '0B' is out of range"},
        {{"messages.pairs=[]"}, "there is no pair to run"},
        {{"messages.pairs=[gpu_hots]"}, "did you mean 'gpu_host'?"},
        {{"messages.routes=[]"}, "there is no route to run"},
        {{"messages.routes=[referense]"}, "did you mean 'reference'?"},
        {{"messages.routes=[staged]", "messages.pairs=[host_host]"}, "no message has any of these routes"},
        {{"messages.sizes=[1MiB]"},
         "messages of 1MiB: a buffer to send from and one to receive in have no room in the host's memory and in the "
         "GPU's "
         "memory"},
        {{"messages.readers=[{window: 5KiB}]"}, "messages.readers[0].window"},
        {{"torus.buffer=100"}, "the longest packet does not fit"},
        {{"torus.nodes=[40]"}, "at most 32 in each dimension"},
        {{"lost_credits=[{at: 1us, link: node5.x+}]"}, "there is no link 'node5.x+'"},
        {{"receive.level=rt"}, "receive.level"},
        {{"receive.level=tlm", "receive.lockstep.acts=rtl"},
         "receive.lockstep.acts: it has a meaning at level lockstep, and level is tlm"},
        {{"receive.miss=firmware"}, "receive.miss: firmware serves the misses of RTL, and level is firmware"},
        {{"receive.level=rtl", "node.receive.packets=8"}, "packets is 8, and the RTL is built for 16"},
        {{"receive.firmware=none.elf"}, "none.elf: cannot be read"},
        {{"experiment=latencies"}, "did you mean 'latency'?"},
        {{"watchdog=0ps"}, "allowed: at least 1us"},
        {{"watchdog=1us"}, "a routine of firmware may take 9480ns: more than half of watchdog, 1us"},
        {{"node.fabric.watchdog=1ms"}, "the key 'node.fabric.watchdog' is called 'watchdog' now"},
        {{"node.fabric.transfers=pull"},
         "the key 'transfers' in node.fabric is gone: a node's devices write and read as they are programmed"},
        {{"torus.topology=mesh"}, "the key 'topology' in torus is called 'kind' now"},
        {{"node.gpu_lanes=4"},
         "write 'gpu_link', a generation from 1 to 6 and a width of 1, 2, 4, 8 or 16, such as 'gen4 x16'"},
        {{"receive.level=rtl", "receive.firmware=none.elf"}, "no core would run this program, as receive.level is rtl"},
        {{"node.gpu_link=gen2 x3"}, "such as 'gen4 x16'"},
    };
    for (const auto& e : all) {
        const outcome o = nodes("latency", e.sets);
        EXPECT_EQ(o.code, 2) << o.out << o.err;
        EXPECT_THAT(o.err, HasSubstr(e.text));
        EXPECT_EQ(o.out, "") << e.text;
    }
    here_.write("nodes.yaml", one_size);
    for (const auto& [word, text] :
         {std::pair<std::string, std::string>{
              "--nodes=2", "--nodes 2: there is no node 2; nodes 0 to 1 are allowed, each once, such as --nodes 0,1"},
          {"--nodes=a", "--nodes a: 'a' is no node's number"},
          {"--nodes=0,", "--nodes 0,: '' is no node's number"},
          {"--nodes=0", "--nodes is given without --wave, --trace and --gdb\n"},
          {"--wave=vcd --wave-around=first_difference --out=r",
           "only level lockstep compares two levels, and level is firmware\n"},
          {"--gdb=70000", "--gdb"},
          {"--set=receive.level=tlm --gdb=0", "--gdb debugs firmware"},
          {"--set=receive.level=rtl --gdb=0", ", or --set receive.miss=firmware\n"}}) {
        std::vector<std::string> words{"nodes.yaml"};
        std::istringstream in(word);
        for (std::string one; in >> one;) words.push_back(one);
        const outcome o = run(words);
        EXPECT_EQ(o.code, 2) << word;
        EXPECT_THAT(o.err, HasSubstr(text));
    }
}

}  // namespace
