// SPDX-License-Identifier: Apache-2.0
// Every cell of the tables of programs and of messages, computed anew: counts from the statistics of the run, rates and
// shares from counts and times.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "face/binary_fixture.h"
#include "face/report_statistics.h"

using contraflow::test::expect_cell;
using contraflow::test::outcome;
using contraflow::test::read_file;
using contraflow::test::report_statistics;
using nlohmann::json;
using ::testing::HasSubstr;

namespace {

constexpr double word_ns = 4;  // a link takes for a word: 16 bytes at 4 GB/s

class torus_tables : public contraflow::test::binary_fixture {
protected:
    torus_tables() : binary_fixture(TORUS_NIC) {}
    void run_with(const std::string& experiment, std::vector<std::string> sets) {
        here_.write("nodes.yaml", "experiment: " + experiment +
                                      "\ntorus: {nodes: [2]}\nnode: {memory: 1MiB, gpu: {memory: 1MiB}}\n"
                                      "receive: {level: firmware}\n");
        std::vector<std::string> words{"nodes.yaml", "--out", "r"};
        for (const auto& s : sets) words.insert(words.end(), {"--set", s});
        const outcome o = run(std::move(words));
        ASSERT_EQ(o.code, 0) << o.out << o.err;
        report_ = report("r");
        statistics_ = std::make_unique<report_statistics>(report_, read_file(here_ / "r/stats.csv"));
    }
    using row = report_statistics::row;
    std::vector<row> rows_of(const std::string& id) const { return statistics_->rows(id); }
    static double number(const row& r, const std::string& column) { return r.at(column).get<double>(); }

    json report_;
    std::unique_ptr<report_statistics> statistics_;
};

TEST_F(torus_tables, cells_of_a_program_follow_from_times_and_statistics) {
    run_with("programs", {"programs.run=[halo]", "programs.rounds=2", "programs.block=512B"});
    const auto rows = rows_of("programs");
    ASSERT_EQ(rows.size(), 1u);
    const row& r = rows.front();
    const report_statistics& s = *statistics_;
    EXPECT_EQ(r.at("result"), "verified");
    expect_cell(r.at("rate"), number(r, "operations") / number(r, "time"), "rate");
    expect_cell(r.at("messages"), s.sum(R"(halo\.node\d+\.nic\.transmit\.sent)"), "messages");
    expect_cell(r.at("payload"), s.sum(R"(halo\.node\d+\.nic\.transmit\.payload)") / 1024, "payload");
    const double words = s.most(R"(halo\.torus\.node\d+\.[xyz][+-]\.words)", "count");
    EXPECT_NEAR(number(r, "busiest link"), words * word_ns / (number(r, "time") * 1000) * 100, 1e-6);
    EXPECT_THAT(report_["headline"][0].get<std::string>(), HasSubstr(fmt::format("halo {:.4g} us", number(r, "time"))));
}

// Nodes of a search have lists of different lengths for each other.
TEST_F(torus_tables, the_busiest_link_of_a_program_is_the_one_with_most_words) {
    run_with("programs", {"programs.run=[bfs]", "programs.bfs.graph.scale=8"});
    const auto rows = rows_of("programs");
    ASSERT_EQ(rows.size(), 1u);
    const double words = statistics_->most(R"(bfs\.torus\.node\d+\.[xyz][+-]\.words)", "count");
    EXPECT_NEAR(number(rows.front(), "busiest link"), words * word_ns / (number(rows.front(), "time") * 1000) * 100,
                1e-6);
}

TEST_F(torus_tables, the_core_s_cycles_by_routine_are_all_its_cycles) {
    run_with("programs", {"programs.run=[halo]", "programs.rounds=2", "programs.block=512B"});
    double work = 0, share = 0;
    const auto rows = rows_of("routines");
    for (const row& r : rows)
        if (r.at("routine") != "(waits for an interrupt)") work += number(r, "cycles");
    ASSERT_GT(work, 0);
    for (const row& r : rows) {
        if (r.at("routine") == "(waits for an interrupt)") continue;
        expect_cell(r.at("share of the work"), number(r, "cycles") / work * 100, r.at("routine"));
        share += number(r, "share of the work");
        if (r.at("routine") == "look_up") {
            expect_cell(r.at("entries"), statistics_->sum(R"(halo\.node\d+\.nic\.core\.lookups)"), "look-ups");
        }
    }
    EXPECT_NEAR(share, 100, 1e-6);
}

// Of messages the largest use all stages; the mean of look-ups is that of all sizes.
TEST_F(torus_tables, cells_of_messages_follow_from_times_and_statistics) {
    run_with("bandwidth", {"messages.pairs=[host_gpu]", "messages.sizes=[512B, 8KiB]", "messages.volume=64KiB"});
    const json& variant = report_["results"]["bandwidth"][0];
    const auto bandwidth = rows_of("bandwidth");
    ASSERT_EQ(bandwidth.size(), 2u);
    const std::string name = variant["variant"];
    for (std::size_t i = 0; i < 2; ++i) expect_cell(bandwidth[i].at(name), variant["sizes"][i]["gb_per_s"], name);
    EXPECT_LT(number(bandwidth[1], name), 16 / word_ns) << "more than a link carries";
    EXPECT_THAT(report_["headline"][0].get<std::string>(),
                HasSubstr(fmt::format("at 8KiB: {} {:.2f} GB/s", name, number(bandwidth[1], name))));
    double lookups = 0, ps = 0;
    lookups = statistics_->sum(R"(.*\.nic\.core\.lookups)");
    ps = statistics_->sum(R"(.*\.nic\.core\.lookup_time)");
    expect_cell(variant["firmware"]["lookups"], lookups, "look-ups");
    EXPECT_NEAR(variant["firmware"]["lookup_us"].get<double>(), ps / lookups / 1e6, 1e-6);
    EXPECT_THAT(report_["headline"][1].get<std::string>(),
                HasSubstr(fmt::format("{} {:.3g} us", name, ps / lookups / 1e6)));
}

// A run of one load leaves that load's statistics; the table of several has its row.
TEST_F(torus_tables, cells_of_a_load_follow_from_its_statistics) {
    const std::vector<std::string> few{"traffic.warm_up=2000", "traffic.measure=8000"};
    auto sets = few;
    sets.push_back("loads=[0.3, 0.9]");
    run_with("offered_load", sets);
    const auto both = rows_of("loads");
    ASSERT_EQ(both.size(), 2u);
    EXPECT_THAT(report_["headline"].dump(),
                HasSubstr(fmt::format("{:.3f} words a cycle and node accepted at most, {:.2f} GB/s; mean latency "
                                      "{:.0f} ns at load 0.3",
                                      number(both[1], "accepted"), number(both[1], "a node"),
                                      number(both[0], "mean latency"))));
    for (const std::size_t i : {0u, 1u}) {
        const std::string load = i == 0 ? "0.3" : "0.9";
        SCOPED_TRACE(load);
        sets = few;
        sets.push_back("loads=[" + load + "]");
        run_with("offered_load", sets);
        const auto rows = rows_of("loads");
        ASSERT_EQ(rows.size(), 1u);
        const row& r = rows[0];
        EXPECT_EQ(r, both[i]);
        const report_statistics& s = *statistics_;
        const std::string latency = "load_" + load + ".source.latency";
        expect_cell(r.at("mean latency"), s.value(latency, "mean") / 1000, "mean latency");
        expect_cell(r.at("p50"), s.value(latency, "p50") / 1000, "p50");
        expect_cell(r.at("p99"), s.value(latency, "p99") / 1000, "p99");
        expect_cell(r.at("max"), s.value(latency, "max") / 1000, "max");
        expect_cell(r.at("a node"), number(r, "accepted") * 16 / word_ns, "a node");
        const json& of = report_["results"]["loads"][0];
        expect_cell(of["measured_packets"], s.value(latency), "packets that were measured");
        expect_cell(of["packet_hops"], s.sum(R"(load_.*\.[xyz][+-]\.packets)"), "packets of links");
        // Two nodes: each word crosses a link, and the measurement has four of five cycles.
        const double crossed = s.sum(R"(load_.*\.[xyz][+-]\.words)"), measured = number(r, "accepted") * 2 * 8000;
        EXPECT_LT(measured, crossed);
        EXPECT_NEAR(measured, crossed * 8000 / 10'000, 0.15 * measured);
        double busiest = 0;
        for (const json& link : of["links"]) busiest = std::max(busiest, link["busy"].get<double>());
        expect_cell(r.at("busiest link"), 100 * busiest, "busiest link");
        EXPECT_NEAR(2 * number(r, "accepted") - number(r, "last half"), of["accepted_at_first"].get<double>(), 1e-9);
    }
}

TEST_F(torus_tables, cells_of_latencies_and_overheads_are_of_their_messages) {
    run_with("latency", {"messages.pairs=[host_gpu]", "messages.sizes=[32B, 512B]", "messages.repeat=3"});
    const json& variant = report_["results"]["latency"][0];
    const std::string name = variant["variant"];
    const auto latency = rows_of("latency"), overhead = rows_of("overhead"), host = rows_of("host_time"),
               held = rows_of("held_back"), stage = rows_of("stage_times");
    ASSERT_EQ(latency.size(), 2u);
    for (std::size_t i = 0; i < 2; ++i) {
        const json& of = variant["sizes"][i];
        EXPECT_EQ(of["bytes"], i == 0 ? 32 : 512);
        expect_cell(latency[i].at(name), of["latency_us"], "latency");
        expect_cell(overhead[i].at(name), of["overhead_us"], "overhead");
        expect_cell(host[i].at(name), of["overhead_of_host_us"], "host time");
        expect_cell(held[i].at(name), of["held_back_us"], "held back");
        EXPECT_LT(number(host[i], name), number(overhead[i], name));
    }
    // A word more takes a link's time for it at least.
    EXPECT_GT(number(latency[1], name) - number(latency[0], name), (512 - 32) / 16 * word_ns / 1000);
    EXPECT_THAT(report_["headline"][0].get<std::string>(),
                HasSubstr(fmt::format("at 32B: {} {:.2f} us", name, number(latency[0], name))));
    // The message that was watched, as the stages and as the links show it.
    double all = 0, last = 0;
    for (const row& r : stage) {
        expect_cell(r.at(name), variant["stages_us"][r.at("stage").get<std::string>()], r.at("stage"));
        all += number(r, name);
    }
    const auto tlps = rows_of("tlps");
    EXPECT_EQ(variant["tlps"], tlps.size());
    for (const row& r : tlps) last = std::max(last, number(r, "time"));
    EXPECT_GT(last, 0);
    EXPECT_GE(all, last - number(stage.front(), name));
    const json& firmware = variant["firmware"];
    expect_cell(firmware["lookups"], statistics_->sum(R"(.*\.nic\.core\.lookups)"), "look-ups");
    EXPECT_NEAR(firmware["lookup_us"].get<double>(),
                statistics_->sum(R"(.*\.nic\.core\.lookup_time)") / firmware["lookups"].get<double>() / 1e6, 1e-6);
}

}  // namespace
