// SPDX-License-Identifier: Apache-2.0
// The gpu_shmem binary in its users' view: its output, its files, its errors and its exit status.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cosim/fst_values.h"
#include "face/binary_fixture.h"

using contraflow::test::outcome;
using contraflow::test::read_file;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

class gpu_shmem : public contraflow::test::binary_fixture {
protected:
    gpu_shmem() : binary_fixture(GPU_SHMEM) {}
    outcome with(const std::vector<std::string>& sets, const std::string& out = {},
                 std::vector<std::string> more = {}) {
        for (const auto& s : sets) more.insert(more.end(), {"--set", s});
        if (!out.empty()) more.insert(more.end(), {"--out", out});
        return run(std::move(more));
    }
    // Two nodes and few puts.
    outcome puts(std::vector<std::string> sets, const std::string& out = {}, std::vector<std::string> more = {}) {
        sets.insert(sets.begin(), {"experiment=put_latency", "nodes=2", "puts.puts=4"});
        return with(sets, out, std::move(more));
    }
    // Without the line of the input and the marks below it: "what is wrong; what is allowed".
    static std::string on_a_line(const std::string& error) {
        return std::regex_replace(error, std::regex(R"(\n +[0-9]+ \|[^\n]*\n[ |^~]*)"), "; ");
    }
    static json item(const json& report, const std::string& kind, const std::string& id) {
        for (const json& section : report["sections"])
            for (const json& i : section["items"])
                if (i["kind"] == kind && i["id"] == id) return i;
        ADD_FAILURE() << "there is no " << kind << " " << id;
        return {};
    }
};

TEST_F(gpu_shmem, the_names_of_results_are_told_before_a_run) {
    const auto of = [&](const char* kind, std::vector<std::string> sets) {
        std::vector<std::string> words{"--set", std::string("experiment=") + kind};
        for (const auto& s : sets) words.insert(words.end(), {"--set", s});
        SCOPED_TRACE(kind);
        expect_results_told(words);
    };
    const std::string grid = "jacobi={columns: 64, rows: 16, steps: 3}";
    of("put_latency", {"nodes=2", "puts.puts=4", "puts.workgroups=[1, 2]"});
    of("put_latency", {"nodes=2", "puts.puts=4", "puts.awaited=false", "schemes=[gio, ikn]"});
    of("ping_pong", {"nodes=2", "schemes=[gio, cpu]"});
    of("jacobi", {"nodes=2", grid});
    of("jacobi", {"on_nodes=[1, 2]", grid});
    of("triangular_solve", {"on_nodes=[1, 2]", "triangular_solve.matrix.rows=100"});
    of("all_reduce", {"nodes=2", "all_reduce.sizes=[4KiB]"});
    of("bfs", {"on_nodes=[1, 2]", "bfs.graph.scale=5"});
    of("nodes", {"nodes=2", "puts.puts=4", grid});
}

TEST_F(gpu_shmem, a_put_by_every_scheme_is_verified_and_its_parts_add_up_to_its_time) {
    const outcome o = puts({}, "r");
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    EXPECT_EQ(o.err, "");
    const json all = report("r")["results"]["puts"];
    ASSERT_EQ(all.size(), 7u);
    std::map<std::string, json> by;
    for (const json& r : all) {
        const std::string name = r["scheme"].get<std::string>() + (r["templates"].get<bool>() ? "" : " bare");
        EXPECT_EQ(r["verdict"], "verified") << name;
        double sum = 0;
        for (const auto& [part, us] : r["parts_us"].items()) {
            EXPECT_GE(us.get<double>(), 0.0) << name << part;
            sum += us.get<double>();
        }
        EXPECT_NEAR(sum, r["latency_us"].get<double>(), 1e-5) << name;
        by[name] = r;
    }
    const auto us = [&](const char* name) { return by.at(name)["latency_us"].get<double>(); };
    const auto part = [&](const char* name, const char* p) { return by.at(name)["parts_us"][p].get<double>(); };
    EXPECT_LT(us("cpu"), us("gio"));
    EXPECT_LT(us("gio"), us("gio bare"));
    EXPECT_LT(us("gio"), us("inter_k_empty"));
    // Launch and teardown of a kernel, 12.65 us, and nothing else, with a look of the host.
    EXPECT_NEAR(us("inter_k_empty") - us("cpu"), 12.65, 0.4);
    EXPECT_NEAR(part("inter_k_empty", "launch, call"), 12.65, 0.01);
    // A template leaves words 0, 2 and 4 to be stored, one after the other.
    EXPECT_EQ(by.at("gio")["entry_stores"], 3);
    EXPECT_EQ(by.at("gio bare")["entry_stores"], 6);
    EXPECT_NEAR(part("gio bare", "entry") / part("gio", "entry"), 2, 0.1);
    // Only a put by a thread of the host has its parts, and only one by a kernel invalidates the path block.
    EXPECT_GT(part("ikn", "thread: takes it"), 0.2);
    EXPECT_GT(part("ikn", "thread: hands it back"), 0.2);
    EXPECT_EQ(part("gio", "thread: takes it"), 0);
    EXPECT_GT(part("gio", "PPB invalidate"), 0);
    EXPECT_EQ(part("cpu", "PPB invalidate"), 0);
    // Twice through the network, as the specification says: 0.68 us and the time of bits and of the receiver.
    for (const char* name : {"gio", "ikn", "cpu"}) {
        EXPECT_GT(part(name, "network"), 0.68) << name;
        EXPECT_LT(part(name, "network"), 0.8) << name;
    }
}

TEST_F(gpu_shmem, the_page_shows_published_points_and_no_result_depends_on_them) {
    ASSERT_EQ(puts({"puts.sizes=[4B, 64B]", "schemes=[gio, cpu]"}, "r").code, 0);
    const json all = report("r");
    std::vector<double> marks;
    const json by_size = item(all, "chart", "latency_by_size");
    for (const json& m : by_size["marks"]) marks.push_back(m["y"]);
    EXPECT_EQ(marks, (std::vector<double>{5.15, 2.8}));
    EXPECT_EQ(item(all, "chart", "breakdown")["marks"].size(), 2u);
    const json line = item(all, "timeline", "one_put");
    EXPECT_GT(line["bars"].size(), 15u);
    EXPECT_THAT(line["rows"].dump(), HasSubstr("gio: software"));
    EXPECT_THAT(line["rows"].dump(), HasSubstr("cpu: NIC"));
    // At another size nothing was published.
    ASSERT_EQ(puts({"puts.sizes=[64B]", "schemes=[gio]"}, "s").code, 0);
    EXPECT_EQ(item(report("s"), "chart", "breakdown")["marks"].size(), 0u);
}

TEST_F(gpu_shmem, what_is_slower_shows_in_its_part_only) {
    ASSERT_EQ(puts({"schemes=[cpu]"}, "a").code, 0);
    ASSERT_EQ(puts({"schemes=[cpu]", "node.nic.processing=1130ns"}, "b").code, 0);
    const json a = report("a")["results"]["puts"][0]["parts_us"], b = report("b")["results"]["puts"][0]["parts_us"];
    EXPECT_NEAR(b["processing"].get<double>() - a["processing"].get<double>(), 1, 1e-6);
    for (const char* part : {"entry", "doorbell", "fetch", "network", "acknowledgement"})
        EXPECT_NEAR(a[part].get<double>(), b[part].get<double>(), 1e-3) << part;
}

TEST_F(gpu_shmem, the_main_job_ends_with_jacobi_by_every_scheme_that_computes) {
    const outcome o = with({"puts.puts=4", "puts.without_templates=false", "jacobi={columns: 64, rows: 16, steps: 3}"},
                           "r", {CF_PLATFORM_FOLDER "/gpu_shmem.yaml"});
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    const json all = report("r")["results"]["jacobi"];
    ASSERT_EQ(all.size(), 5u);
    for (const json& r : all) {
        EXPECT_EQ(r["verdict"], "verified") << r["scheme"];
        EXPECT_GT(r["step_us"], 1.0) << r["scheme"];
    }
    EXPECT_GT(all[2]["step_us"].get<double>() - all[0]["step_us"].get<double>(), 10) << "a kernel's launch a step";
    EXPECT_THAT(o.out, HasSubstr("jacobi, 64 x 16 points a GPU, 4 nodes"));
    EXPECT_THAT(o.out, HasSubstr("a put of 4B takes: gio"));
}

// In the first two steps the grid comes into the second level.
TEST_F(gpu_shmem, a_step_of_jacobi_does_not_depend_on_the_number_of_steps) {
    std::map<unsigned, double> us;
    for (const unsigned steps : {3u, 9u}) {
        const outcome o = with({"experiment=jacobi", "nodes=1", "schemes=[gio]",
                                fmt::format("jacobi={{columns: 256, rows: 128, workgroups: 4, steps: {}}}", steps)},
                               "r");
        ASSERT_EQ(o.code, 0) << o.out << o.err;
        EXPECT_THAT(o.out, HasSubstr("points a GPU, 1 node:"));
        us[steps] = report("r")["results"]["jacobi"][0]["step_us"];
    }
    EXPECT_NEAR(us[3], us[9], 0.03 * us[9]);
}

TEST_F(gpu_shmem, a_rate_is_told_for_the_most_workgroups_and_drawn) {
    const outcome o = puts({"puts.awaited=false", "schemes=[gio]", "puts.workgroups=[1, 2]", "puts.sizes=[8B, 64B]",
                            "puts.without_templates=false"},
                           "r");
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    EXPECT_THAT(o.out, HasSubstr("puts of 8B by 2 workgroups that are not awaited: gio"));
    const json all = report("r"), by = item(all, "chart", "rate_by_workgroups"),
               size = item(all, "chart", "rate_by_size");
    EXPECT_EQ(by["series"][0]["points"].size(), 2u);
    EXPECT_GT(by["series"][0]["points"][1][1], by["series"][0]["points"][0][1]);
    EXPECT_EQ(size["series"][0]["points"].size(), 2u);
}

// Road networks have few levels' worth of work for each message, so nothing is said about who is faster.
TEST_F(gpu_shmem, a_triangular_system_is_solved_on_each_number_of_nodes) {
    const outcome o = with({"experiment=triangular_solve", "on_nodes=[1, 2, 4]", "schemes=[gio, ikn]",
                            "triangular_solve={matrix: {kind: road, rows: 700, entries: 1680}, workgroups: 4}"},
                           "r");
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    const json all = report("r")["results"]["triangular_solve"];
    ASSERT_EQ(all.size(), 6u);
    std::map<std::string, json> by;
    for (const json& r : all) {
        EXPECT_EQ(r["verdict"], "verified");
        by[r["scheme"].get<std::string>() + std::to_string(r["nodes"].get<unsigned>())] = r;
    }
    for (const std::string scheme : {"gio", "ikn"}) {
        EXPECT_EQ(by.at(scheme + "1")["messages"], 0);
        EXPECT_EQ(by.at(scheme + "1")["wire_bytes"], 0);
        for (const std::string nodes : {"2", "4"}) {
            const json& r = by.at(scheme + nodes);
            // A packet's header, address and 8 bytes of payload for each message, and an acknowledgement for some.
            EXPECT_GT(r["messages"], 100);
            EXPECT_GE(r["wire_bytes"], 106 * r["messages"].get<std::uint64_t>());
            EXPECT_LE(r["wire_bytes"], (106 + 86 + 2 * 8) * r["messages"].get<std::uint64_t>());
            EXPECT_NEAR(r["over_one_node"].get<double>(),
                        by.at(scheme + "1")["time_us"].get<double>() / r["time_us"].get<double>(), 1e-9);
        }
    }
    // Each row and sender has a sum, whoever communicates; a PE's last fence comes on top.
    EXPECT_NEAR(by.at("gio4")["messages"].get<double>(), by.at("ikn4")["messages"].get<double>(), 4 * 4 * 3);
    EXPECT_EQ(report("r")["results"]["matrix"]["rows"], 700);
    EXPECT_EQ(report("r")["results"]["matrix"]["entries_below_diagonal"], 840);
    EXPECT_THAT(o.out, HasSubstr("triangular solve, road, 700 rows"));
}

TEST_F(gpu_shmem, a_matrix_is_read_from_a_file_beside_the_configuration) {
    std::filesystem::create_directory(here_ / "d");
    std::ofstream(here_ / "d/m.mtx") << "%%MatrixMarket matrix coordinate real general\n"
                                        "4 4 6\n1 1 2\n2 1 1\n3 2 1\n4 3 -1\n4 1 0.5\n1 4 9\n";
    std::ofstream(here_ / "d/c.yaml") << "experiment: triangular_solve\nnodes: 2\nschemes: [gio]\n"
                                         "triangular_solve:\n  matrix: {kind: file, file: m.mtx}\n"
                                         "  block: 1\n  workgroups: 2\n";
    const outcome o = run({"d/c.yaml", "--out", "r"});
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    EXPECT_EQ(report("r")["results"]["matrix"]["entries_below_diagonal"], 4);
    EXPECT_EQ(report("r")["results"]["matrix"]["levels"], 4);
    EXPECT_THAT(read_file(here_ / "r/report.html"), HasSubstr("\"matrix\":\"d/m.mtx, SHA-256 "));
    EXPECT_EQ(report("r")["results"]["triangular_solve"][0]["verdict"], "verified");
    std::ofstream(here_ / "d/m.mtx") << "%%MatrixMarket matrix coordinate real general\n4 4 1\n5 1 2\n";
    const outcome bad = run({"d/c.yaml", "--out", "s"});
    EXPECT_EQ(bad.code, 2);
    EXPECT_THAT(bad.err, HasSubstr("m.mtx:3:1: error:"));
    std::ofstream(here_ / "d/m.mtx") << "%%MatrixMarket matrix coordinate real general\n4 3 1\n4 1 2\n";
    const outcome oblong = run({"d/c.yaml", "--out", "s"});
    EXPECT_EQ(oblong.code, 2);
    EXPECT_THAT(oblong.err, HasSubstr("c.yaml:5:"));
    EXPECT_THAT(oblong.err, HasSubstr("square"));
}

// A PE of weak scaling has the rows of one node's grid; of strong scaling, a share of them.
TEST_F(gpu_shmem, jacobi_scales_weakly_and_strongly) {
    for (const bool strong : {false, true}) {
        const outcome o = with({"experiment=jacobi", "on_nodes=[1, 2, 4]", "schemes=[gio, inter_k]",
                                strong ? "strong=true" : "strong=false",
                                "jacobi={columns: 256, rows: 128, steps: 3, workgroups: 2, threads: 64}"},
                               "r");
        ASSERT_EQ(o.code, 0) << o.out << o.err;
        const json all = report("r")["results"]["jacobi_scaling"];
        ASSERT_EQ(all.size(), 6u);
        for (std::size_t i = 0; i < all.size(); ++i) {
            EXPECT_EQ(all[i]["verdict"], "verified") << all[i];
            if (i % 3 == 0) continue;
            const double one = all[i - i % 3]["step_us"], here = all[i]["step_us"], nodes = all[i]["nodes"];
            EXPECT_NEAR(all[i]["of_ideal_percent"].get<double>(), one / here * 100 / (strong ? nodes : 1), 1e-6);
            // By the host, a put, a fence and a flag for each of 2 (n - 1) rows of a step.
            if (all[i]["scheme"] == "inter_k") { EXPECT_EQ(all[i]["messages"], 3 * 3 * 2 * (nodes - 1)) << strong; }
            // Less to compute is faster; as much to compute is not, beside the communication.
            if (strong)
                EXPECT_LT(here, one) << all[i];
            else
                EXPECT_GT(here, 0.9 * one) << all[i];
        }
    }
}

// Each PE has to send and to receive 2 (n - 1) / n of the vector, so 2 (n - 1) of it cross the network, either way.
TEST_F(gpu_shmem, an_all_reduce_is_verified_and_compared_with_a_link) {
    const outcome o = with({"experiment=all_reduce", "schemes=[gio, inter_k]", "all_reduce.sizes=[64KiB]"}, "r");
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    const json all = report("r")["results"]["all_reduce"];
    ASSERT_EQ(all.size(), 4u);
    std::map<std::string, json> by;
    for (const json& r : all) {
        const std::string name = r["way"].get<std::string>() + " " + r["scheme"].get<std::string>();
        EXPECT_EQ(r["verdict"], "verified") << name;
        EXPECT_EQ(r["bytes"], 65536);
        EXPECT_GT(r["wire_bytes"], 6 * 65536) << name;
        EXPECT_LT(r["wire_bytes"], 1.5 * 6 * 65536) << name;
        const double bus = 1.5 * 65536 / r["time_us"].get<double>() / 1000;
        EXPECT_NEAR(r["bus_gb_per_s"].get<double>(), bus, 1e-6 * bus) << name;
        EXPECT_NEAR(r["wire_percent"].get<double>(), bus / 12.5 * 100, 1e-4 * bus) << name;
        by[name] = r;
    }
    // By the host, each transfer is a put, a fence and a flag: six of each PE around the ring, six in the tree.
    EXPECT_EQ(by.at("ring inter_k")["messages"], 6 * 4 * 3);
    EXPECT_EQ(by.at("tree inter_k")["messages"], 6 * 3);
    EXPECT_LT(by.at("ring gio")["time_us"], by.at("ring inter_k")["time_us"]) << "it has six launches less";
    EXPECT_THAT(o.out, HasSubstr("an all-reduce of 64KiB on 4 nodes takes: ring by gio"));
}

TEST_F(gpu_shmem, a_search_is_verified_on_each_number_of_nodes) {
    const outcome o = with({"experiment=bfs", "on_nodes=[1, 3]", "schemes=[gio, ikn]",
                            "bfs={graph: {scale: 9, edge_factor: 8}, workgroups: 4}"},
                           "r");
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    const json graph = report("r")["results"]["graph"], all = report("r")["results"]["bfs"];
    EXPECT_EQ(graph["vertices"], 512);
    EXPECT_LE(graph["edges"], 512 * 8);
    ASSERT_EQ(all.size(), 4u);
    for (const json& r : all) {
        EXPECT_EQ(r["verdict"], "verified");
        EXPECT_EQ(r["messages"] == 0, r["nodes"] == 1);
        const double edges = r["edges_per_s"].get<double>() * r["time_us"].get<double>() * 1e-6;
        EXPECT_NEAR(edges, graph["edges"].get<double>(), 1e-6 * edges);
    }
    // On three nodes, every level has at most a put, a fence, and words of two numbers for each of the two others, from
    // each; and the contexts' last fences.
    EXPECT_LE(all[1]["messages"], graph["levels"].get<unsigned>() * 3 * 2 * 5 + 3 * 4 * 2);
    EXPECT_THAT(o.out, HasSubstr("breadth-first search, rmat, 512 vertices"));
}

// The search begins at the vertex with the most edges, which is 1.
TEST_F(gpu_shmem, a_graph_is_read_from_a_file_beside_the_configuration) {
    std::filesystem::create_directory(here_ / "d");
    std::ofstream(here_ / "d/g.txt") << "0 1\n1 2\n2 3\n1 4\n";
    std::ofstream(here_ / "d/c.yaml") << "experiment: bfs\nnodes: 2\nschemes: [gio]\n"
                                         "bfs:\n  graph: {kind: file, file: g.txt}\n";
    const outcome o = run({"d/c.yaml", "--out", "r"});
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    EXPECT_EQ(report("r")["results"]["graph"],
              json::parse(R"({"vertices": 5, "reached": 5, "edges": 4, "levels": 3})"));
    EXPECT_THAT(read_file(here_ / "r/report.html"), HasSubstr("\"graph\":\"d/g.txt, SHA-256 "));
    std::ofstream(here_ / "d/g.txt") << "0 1\n1 x\n";
    const outcome bad = run({"d/c.yaml", "--out", "s"});
    EXPECT_EQ(bad.code, 2);
    EXPECT_THAT(bad.err, HasSubstr("g.txt:2:3: error:"));
}

TEST_F(gpu_shmem, two_runs_give_the_same_bytes_and_another_seed_others) {
    for (const char* out : {"a", "b"})
        ASSERT_EQ(puts({"schemes=[gio, ikn]", "node.nic.loss.probability=0.1"}, out).code, 0);
    EXPECT_EQ(read_file(here_ / "a/report.json"), read_file(here_ / "b/report.json"));
    EXPECT_EQ(read_file(here_ / "a/stats.csv"), read_file(here_ / "b/stats.csv"));
    ASSERT_EQ(puts({"schemes=[gio, ikn]", "node.nic.loss.probability=0.1", "seed=7"}, "c").code, 0);
    EXPECT_NE(report("a")["results"], report("c")["results"]);
}

TEST_F(gpu_shmem, its_own_configuration_gives_the_same_report) {
    ASSERT_EQ(puts({"schemes=[gio]", "puts.workgroups=[1, 3]"}, "a").code, 0);
    ASSERT_EQ(run({"a/config.yaml", "--out", "b"}).code, 0);
    EXPECT_EQ(read_file(here_ / "a/report.json"), read_file(here_ / "b/report.json"));
}

TEST_F(gpu_shmem, a_trace_has_the_parts_of_the_first_run) {
    ASSERT_EQ(puts({"schemes=[ikn, cpu]", "puts.without_templates=false"}, "r", {"--trace"}).code, 0);
    std::map<std::string, unsigned> slices;
    for (const json& e : json::parse(read_file(here_ / "r/trace.json")))
        if (e["ph"] == "X") ++slices[e["name"]];
    EXPECT_EQ(slices["thread: takes it"], 4u);  // a put each
    EXPECT_EQ(slices["poll"], 4u);
}

// The NIC of PE 0 reads and completes; that of PE 1 writes into its GPU's memory. Each TLP is acknowledged.
TEST_F(gpu_shmem, queues_and_credits_of_pcie_are_signals_of_the_first_run) {
    const outcome o = puts({"schemes=[gio, cpu]", "puts.without_templates=false"}, "r", {"--trace", "--wave", "vcd"});
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    EXPECT_THAT(o.out, HasSubstr("Trace and waves show the first run: gio, 4B."));
    const auto waves = contraflow::test::fst_values::read((here_ / "r/waves.vcd").string());
    for (const std::string port : {"node0.nic.up", "node0.gpu.up", "node1.nic.up", "node1.gpu.down"}) {
        const auto sent = waves.changes(port + ".unacknowledged");
        ASSERT_GT(sent.size(), 8u) << port << ": something for each put";
        EXPECT_EQ(sent.back().second, 0u) << port;
        const auto credits = waves.changes(port + ".posted_header_credits");
        std::uint64_t most = 0;
        for (const auto& [time, value] : credits) most = std::max(most, value);
        EXPECT_EQ(credits.back().second, most) << port << ": all credits are back";
    }
    std::map<std::string, unsigned> counters;
    for (const json& e : json::parse(read_file(here_ / "r/trace.json")))
        if (e["ph"] == "C") ++counters[e["name"]];
    EXPECT_GT(counters["nic.up.unacknowledged"], 8u);
    EXPECT_GT(counters["gpu.down.posted_header_credits"], 8u);
}

TEST_F(gpu_shmem, lost_packets_are_sent_again_and_the_bytes_are_right) {
    const outcome o = puts({"schemes=[gio, cpu]", "puts.puts=64", "node.nic.loss.probability=0.05",
                            "node.nic.retry_after=20us", "puts.sizes=[16KiB]"},
                           "r");
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    for (const json& r : report("r")["results"]["puts"]) {
        EXPECT_EQ(r["verdict"], "verified");
        EXPECT_GT(r["sent_again"], 3);
    }
    EXPECT_THAT(o.out, HasSubstr("packets were sent again; nothing had come for retry_after"));
}

TEST_F(gpu_shmem, a_pe_that_dies_is_named_by_the_put_that_gets_no_answer) {
    const outcome o = puts({"schemes=[gio]", "puts.puts=64", "dead=[{pe: 1, at: 30us}]", "node.nic.retry_after=20us",
                            "node.nic.retries=2"});
    EXPECT_EQ(o.code, 1) << o.out << o.err;
    EXPECT_THAT(o.out, HasSubstr("FAULT at"));
    EXPECT_THAT(o.out, HasSubstr("to PE 1 (entry"));
    EXPECT_THAT(o.out, HasSubstr("retries exceeded"));
}

// PE 2 is the neighbour of PE 1, which PE 0 waits for.
TEST_F(gpu_shmem, a_hang_names_who_polls_what_which_queue_has_failed_and_which_pe_is_dead) {
    const std::vector<std::string> sets{"experiment=jacobi", "nodes=3", "schemes=[gio]",
                                        "jacobi={columns: 64, rows: 8, steps: 40, workgroups: 2}",
                                        "dead=[{pe: 2, at: 60us}]"};
    const outcome o = with(sets, "r");
    EXPECT_EQ(o.code, 3) << o.out << o.err;
    EXPECT_THAT(o.out, HasSubstr("no progress"));
    const std::string said = report("r")["headline"].dump();
    EXPECT_THAT(said, HasSubstr("pe0.context1 polls for offset"));
    EXPECT_THAT(said, HasSubstr("pe1.context1 polls for offset"));
    EXPECT_THAT(said, HasSubstr("of its heap >="));
    EXPECT_THAT(said, ::testing::ContainsRegex(
                          "queue pair [0-9]+ of PE 1 to PE 2 is in error: entry [0-9]+: retries exceeded"));
    EXPECT_THAT(said, HasSubstr("PE 2 is dead since 60us"));
    EXPECT_LT(said.find("PE 2 is dead"), said.find("polls for")) << "the cause comes first";
}

TEST_F(gpu_shmem, a_completion_that_never_comes_is_named) {
    const outcome o =
        puts({"schemes=[gio]", "puts.puts=64", "dead=[{pe: 1, at: 30us}]", "node.nic.retry_after=2ms", "watchdog=5ms"},
             "r", {"--limit-time", "1ms"});
    EXPECT_EQ(o.code, 4) << o.out << o.err;
    EXPECT_THAT(report("r")["headline"].dump(),
                HasSubstr("pe0.context0 polls for the completion of the put of 4 bytes to PE 1 (entry"));
}

TEST_F(gpu_shmem, a_kernel_whose_own_pcie_stands_still_hangs) {
    const outcome o = puts({"schemes=[gio, cpu]", "puts.puts=64", "dead=[{pe: 0, at: 30us}]"});
    EXPECT_EQ(o.code, 3) << o.out << o.err;
    EXPECT_THAT(o.out, HasSubstr("Not run after that: gio, no templates, 4B; cpu, 4B."));
    EXPECT_THAT(o.out, HasSubstr("PE 0 is dead since 30us"));
}

TEST_F(gpu_shmem, mistakes_of_kernels_are_named_where_they_are_made_and_change_nothing_elsewhere) {
    const std::map<std::string, std::string> all{
        {"put_outside_heap", "PE 0, context 0, put: the destination, 16 bytes at"},
        {"pe_out_of_range", "PE 0, context 0, put: there is no PE 4, they are 0 to 3"},
        {"doorbell_past_queue", "has failed: doorbell 128 is past the queue of 64 entries"},
        {"completions_not_taken", "has failed: its completion queue of 128 places was full at entry 129"},
        {"two_contexts", "PE 0, workgroup 1, create: context 0 belongs to workgroup 0; a queue has one context"}};
    for (const auto& [kind, text] : all) {
        const outcome o = with({"experiment=mistake", "mistake=" + kind}, kind);
        EXPECT_EQ(o.code, 1) << kind << o.out << o.err;
        EXPECT_THAT(report(kind)["results"]["mistake"]["said"].get<std::string>(), HasSubstr(text));
        EXPECT_EQ(report(kind)["results"]["mistake"]["changed_bytes"], 0) << kind;
    }
}

TEST_F(gpu_shmem, wrong_input_is_one_clear_message_and_status_2) {
    struct expectation {
        std::vector<std::string> sets;
        std::string text;
    };
    const std::vector<expectation> all{
        {{"schemes=[]"}, "there is no scheme to run"},
        {{"schemes=[gioo]"}, "did you mean 'gio'?"},
        {{"puts.sizes=[]"}, "there is no size to run"},
        {{"puts.sizes=[0B]"}, "puts.sizes[0]: '0B' is out of range"},
        {{"puts.workgroups=[65]"}, "gio with 65 workgroups on 2 nodes needs 65 queue pairs a NIC, and it has 64"},
        {{"nodes=0"}, "nodes: '0' is out of range"},
        {{"nodes=1"}, "put_latency: PE 0 puts to PE 1, and there is one node"},
        {{"dead=[{pe: 2, at: 1us}]"}, "there is no PE 2"},
        {{"dead=[{at: 1us}]"}, "'pe' is missing in dead[0]"},
        {{"node.nic.retry_after=400us"}, "packets are sent again after 400us: more than half of watchdog, 500us"},
        {{"experiment=jacobi", "schemes=[inter_k_empty]"}, "no scheme of a program that computes is left"},
        {{"experiment=jacobi", "jacobi={rows: 4, workgroups: 8}"}, "8 workgroups share 4 rows, and each needs one"},
        {{"experiment=jacobi", "jacobi={columns: 4096, rows: 4096}"}, "the host computes a step of jacobi in"},
        {{"experiment=jacobi", "jacobi={columns: 65536, rows: 8}", "shmem.heap=1MiB"},
         "jacobi with 65536 columns: 4198528B of the symmetric heap are needed, and it has 1MiB"},
        {{"network.receive_buffer=1KiB"}, "the longest packet does not fit into the receive buffer"},
        {{"experiment=mistake"}, "no mistake to make"},
        {{"mistake=put_outside_heap"}, "a mistake has no effect on put_latency"},
        {{"experiment=triangular_solve", "schemes=[inter_k]"}, "puts whenever its data are ready, which only kernels"},
        {{"experiment=triangular_solve", "triangular_solve.matrix={kind: road, rows: 100, entries: 900}"},
         "a road matrix of 100 rows has"},
        {{"experiment=triangular_solve", "on_nodes=[4]", "triangular_solve.workgroups=64"},
         "gio with 64 workgroups on 4 nodes needs 192 queue pairs"},
        {{"experiment=triangular_solve", "triangular_solve.matrix.file=m.mtx"}, "this file would not be read"},
        {{"experiment=triangular_solve", "triangular_solve.matrix={kind: file, file: none.mtx}"}, "no such file"},
        {{"experiment=jacobi", "on_nodes=[3]", "strong=true", "jacobi.rows=64"}, "3 nodes share 64 rows"},
        {{"experiment=jacobi", "strong=true"}, "strong scaling is over several numbers of nodes"},
        {{"experiment=all_reduce", "schemes=[inter_k_overlap]"}, "no scheme is left: something has to be added"},
        {{"experiment=all_reduce", "all_reduce.sizes=[6B]"}, "6B are no whole number of floats"},
        {{"experiment=all_reduce", "all_reduce.ways=[]"}, "there is no way to run"},
        {{"experiment=all_reduce", "on_nodes=[2, 1]"},
         "--set:5:14: error: on_nodes[1]: all_reduce on one node has nothing to reduce; allowed: 2 to 1024"},
        {{"experiment=bfs", "schemes=[cpu]"}, "puts whenever its data are ready, which only kernels"},
        {{"experiment=bfs", "bfs={graph: {kind: file, file: none.txt}}"},
         "--set:5:32: error: none.txt: there is no such file"},
        {{"experiment=bfs", "bfs.workgroups=65"}, "gio with 65 workgroups on 2 nodes needs 65 queue pairs"},
        {{"experiment=triangular_solve", "on_nodes=[1, 2]", "dead=[{pe: 1, at: 1us}]"}, "there is no PE 1"},
        // Parts that are too small.
        {{"node.gpu.dram.size=64KiB"}, "node.gpu.dram.size: the GPU's memory, 64KiB, is full; allowed: at least"},
        {{"node.memory=1MiB", "puts.workgroups=[32]", "schemes=[ikn]", "shmem.entries=512"},
         "node.memory: the host's memory, 1MiB, does not hold its rings and flags; allowed: at least"},
        {{"node.nic.regions=1"}, "gio registers 2 regions at each NIC, and it has 1; allowed: at least 2"},
        {{"node.nic.regions=2", "schemes=[cpu]"}, "cpu registers 3 regions at each NIC, and it has 2"},
        {{"node.gpu.unit.wave_slots=4", "puts.threads=512"}, "node.gpu.unit.wave_slots: a workgroup of 16 wavefronts"},
        {{"shmem.heap=4KiB"}, "of the symmetric heap are needed, and it has 4KiB; allowed: at least"},
        {{"shmem.heap=16KiB", "puts.puts=5000"}, "shmem.heap: 5000 puts of 4B by 1 workgroup: "},
        {{"experiment=all_reduce", "shmem.heap=64KiB"},
         "of the symmetric heap are needed, and it has 64KiB; allowed: at least"},
        {{"experiment=bfs", "schemes=[gio]", "shmem.heap=4KiB"},
         "shmem.heap: the program needs 12576B of the symmetric heap, and it has 4KiB; allowed: at least 12576B"},
        {{"experiment=triangular_solve", "schemes=[gio]", "shmem.heap=4KiB"}, "shmem.heap: the program needs"},
        // Values that no tree or network has.
        {{"node.read_rate=0GB/s"}, "node.read_rate: '0GB/s' is out of range"},
        {{"node.fabric.arbitration=[{node: switch, weights: [1, 2]}]"},
         "node.fabric.arbitration[0].weights: 2 weights for 3 ports of 'switch'; allowed: 3 weights"},
        {{"node.fabric.arbitration=[{node: swich, weights: [1, 2, 3]}]"},
         "no switch or root complex 'swich' (did you mean 'switch'?); allowed: rc, switch"},
        {{"node.fabric.faults.corrupt=[{port: gpu.upp}]"}, "no port 'gpu.upp'"},
        {{"node.fabric.faults.downgrades=[{node: nik, at: 1us, to: gen3 x8}]"}, "did you mean 'nic'?"},
        {{"node.fabric.faults.flips=[{node: gpu}]"}, "no switch or root complex 'gpu'; allowed: rc, switch"},
        {{"node.fabric.posted_data=63B"},
         "node.fabric.posted_data: this value is not allowed; allowed: 0B, or 64B to 16MiB"},
        {{"node.fabric.completion_data=1B"}, "node.fabric.completion_data: this value is not allowed"},
        {{"network.receive_buffer=2KiB"}, "the longest packet does not fit into the receive buffer of a link"},
        // Values that would have no effect.
        {{"on_nodes=[2, 4]"}, "on_nodes: a list of numbers of nodes has no effect on put_latency; allowed: []"},
        {{"strong=true"}, "strong: strong scaling has no effect on put_latency"},
        {{"experiment=ping_pong", "puts.awaited=false"}, "puts.awaited: puts.awaited has no effect on ping_pong"},
        {{"schemes=[gio]", "shmem.helpers=2"}, "threads of the host serve kernels in ikn only, which does not run"},
        {{"shmem.contexts=2"}, "the key 'contexts' in shmem is gone: a program has a context for each of its"},
        {{"jacobi.host_memory=1GB/s"}, "is called 'host.memory' now"},
        {{"schemes=[gio, cpu, gio]"}, "schemes[2]: gio is in the list already"},
        {{"experiment=jacobi", "on_nodes=[2, 2]"}, "on_nodes[1]: 2 is in the list already"},
        {{"puts.sizes=[4B, 4B]"}, "puts.sizes[1]: 4B is in the list already"},
        // What is allowed has its numbers, and one of something is one.
        {{"nodes=64", "puts.workgroups=[80]"},
         "gio with 80 workgroups on 64 nodes needs 5040 queue pairs a NIC, and it has 64; allowed: at most 1"},
        {{"nodes=300", "node.nic.queues=100"}, "gio with 1 workgroup on 300 nodes needs 299 queue pairs a NIC"},
        {{"experiment=jacobi", "jacobi={rows: 4, workgroups: 8}"}, "each needs one; allowed: at most 4"},
        {{"watchdog=150us"}, "allowed: at least 200us"},
        // What would look like a hang.
        {{"host.look=0ps"}, "host.look: '0ps' is out of range; allowed: 1ns to 1s"},
        {{"host.post=1ms"}, "host.post: the host's post of an entry takes 1ms: more than half of watchdog, 500us"},
        {{"node.gpu.ppb.drain_after=300us"}, "more than half of watchdog, 500us; allowed: at most 250us"},
        {{"network.propagation=1ms"}, "network.propagation: the way along a link of the network takes 1ms"},
        {{"experiment=jacobi", "jacobi={columns: 8, rows: 256, threads: 1024, workgroups: 130}", "node.nic.queues=400"},
         "130 workgroups of 1024 threads wait for each other, and the GPU has room for 128 at a time"},
        {{"experiment=bfs", "schemes=[gio]", "bfs.workgroups=3", "node.gpu.units=2", "node.gpu.unit.cta_slots=1"},
         "bfs.workgroups: 3 workgroups of"},
        {{"experiment=jacobi", "jacobi.steps=2"}, "jacobi.steps: '2' is out of range; allowed: 3 to 100000"},
        {{"experiment=triangular_solve", "schemes=[gio]", "triangular_solve.matrix.preset=ASIC_320k"},
         "did you mean 'asic_320ks'?"},
        {{"experiment=triangular_solve", "schemes=[gio]", "triangular_solve.matrix.kind=file"},
         "triangular_solve.matrix.file: no file is named"},
        {{"experiment=bfs", "schemes=[gio]", "bfs.graph.kind=file"}, "bfs.graph.file: no file is named"},
    };
    for (const auto& e : all) {
        const outcome o = puts(e.sets);
        EXPECT_EQ(o.code, 2) << e.text << o.out << o.err;
        EXPECT_THAT(on_a_line(o.err), HasSubstr(e.text));
        EXPECT_EQ(o.out, "") << e.text;
    }
}

TEST_F(gpu_shmem, the_shipped_configurations_are_ones_it_takes) {
    for (const std::string name : {"gpu_shmem", "latency", "workgroups", "jacobi", "ping_pong", "triangular_solve",
                                   "all_reduce", "bfs", "jacobi_scaling", "triangular_solve_large", "loss"})
        EXPECT_EQ(run({CF_PLATFORM_FOLDER "/" + name + ".yaml", "--print-config"}).code, 0) << name;
    const outcome o = run({CF_PLATFORM_FOLDER "/ping_pong.yaml", "--out", "p"});
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    for (const json& r : report("p")["results"]["ping_pong"]) EXPECT_EQ(r["verdict"], "verified") << r["scheme"];
}

}  // namespace
