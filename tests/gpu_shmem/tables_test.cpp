// SPDX-License-Identifier: Apache-2.0
// Every cell of the report's tables, and the headline, computed anew: counts from the statistics of the run, which are
// those of the last one, and ratios from times.
#include <cmath>
#include <map>
#include <string>
#include <utility>
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

class gpu_shmem_tables : public contraflow::test::binary_fixture {
protected:
    gpu_shmem_tables() : binary_fixture(GPU_SHMEM) {}
    void run_with(const std::string& experiment, const std::vector<std::string>& sets) {
        std::vector<std::string> words{"--set", "experiment=" + experiment, "--out", "r"};
        for (const auto& s : sets) words.insert(words.end(), {"--set", s});
        const outcome o = run(words);
        ASSERT_EQ(o.code, 0) << o.out << o.err;
        report_ = report("r");
        statistics_ = std::make_unique<report_statistics>(report_, read_file(here_ / "r/stats.csv"));
    }
    using row = report_statistics::row;
    std::vector<row> rows_of(const std::string& id) const { return statistics_->rows(id); }
    double messages() const { return statistics_->sum(R"(last_run\.node\d+\.nic\.send\.done)"); }
    // From the NICs to the switch.
    double wire_kb() const { return statistics_->sum(R"(last_run\.net\.link\d+\.ab\.wire)") / 1000; }
    std::string headline() const { return report_["headline"].dump(); }
    static double number(const row& r, const char* column) { return r.at(column).get<double>(); }

    json report_;
    std::unique_ptr<report_statistics> statistics_;
};

// Rows of runs by scheme and number of nodes; `time` is the column that ratios are of.
void expect_scaling(const std::vector<report_statistics::row>& rows, const char* time, const std::string& headline) {
    std::map<std::pair<std::string, int>, double> us;
    for (const auto& r : rows) us[{r.at("scheme"), r.at("nodes")}] = r.at(time);
    for (const auto& r : rows) {
        const std::string scheme = r.at("scheme");
        const int nodes = r.at("nodes");
        SCOPED_TRACE(fmt::format("{}, {} nodes", scheme, nodes));
        const double took = us[{scheme, nodes}];
        EXPECT_EQ(r.at("result"), "verified");
        std::string said = fmt::format("{}, {} node{} {:.1f} us", scheme, nodes, nodes == 1 ? "" : "s", took);
        if (nodes == 1) {
            EXPECT_EQ(r.at("over one node"), "-");
            EXPECT_EQ(r.at("messages"), 0);
        } else {
            expect_cell(r.at("over one node"), us[{scheme, 1}] / took, "over one node");
            said += fmt::format(" ({:.2f} times as fast as one node)", us[{scheme, 1}] / took);
        }
        if (scheme == "gio")
            EXPECT_EQ(r.at("gio is faster by"), "-");
        else
            EXPECT_NEAR(r.at("gio is faster by").get<double>(), (took / us[{"gio", nodes}] - 1) * 100, 1e-6);
        EXPECT_THAT(headline, HasSubstr(said));
    }
}

TEST_F(gpu_shmem_tables, cells_of_puts_are_their_parts_and_what_templates_save) {
    run_with("put_latency", {"nodes=2", "puts.puts=4", "puts.sizes=[8B, 4KiB]", "schemes=[gio, ikn]"});
    const auto latency = rows_of("put_latency"), parts = rows_of("put_parts"), saved = rows_of("templates");
    ASSERT_EQ(latency.size(), 2u);
    for (const char* scheme : {"gio", "gio, no templates", "ikn"}) {
        double sum = 0, arrived = 0;
        for (std::size_t i = 0; i + 2 < parts.size(); ++i) {
            sum += number(parts[i], scheme);
            if (parts[i].at("part") == "write") arrived = sum;
        }
        EXPECT_NEAR(sum, number(latency[0], scheme), 1e-5) << scheme;
        EXPECT_NEAR(sum, number(parts[parts.size() - 2], scheme), 1e-9) << scheme;  // all
        EXPECT_NEAR(arrived, number(parts.back(), scheme), 1e-9) << scheme;         // its data is at the target after
        const double times = number(latency[0], scheme) / number(latency[0], "gio");
        EXPECT_THAT(
            headline(),
            HasSubstr(fmt::format("{} {:.2f} us{}", scheme, number(latency[0], scheme),
                                  std::string(scheme) == "gio" ? "" : fmt::format(" ({:.2f} times as long)", times))));
    }
    ASSERT_EQ(saved.size(), 2u);
    for (std::size_t i = 0; i < saved.size(); ++i) {
        const double with = number(latency[i], "gio"), without = number(latency[i], "gio, no templates");
        EXPECT_EQ(saved[i].at("size"), latency[i].at("size"));
        expect_cell(saved[i].at("with"), with, "with");
        expect_cell(saved[i].at("without"), without, "without");
        EXPECT_NEAR(number(saved[i], "saved"), without - with, 1e-9);
        EXPECT_NEAR(number(saved[i], "saved 2"), (1 - with / without) * 100, 1e-6);
    }
    expect_cell(report_["results"]["puts"].back()["messages"], messages(), "messages");
}

TEST_F(gpu_shmem_tables, cells_of_schemes_follow_from_times_and_statistics) {
    for (const auto& [experiment, keys] :
         {std::pair{"jacobi", "jacobi={columns: 64, rows: 16, steps: 3}"}, {"ping_pong", "ping_pong.rounds=4"}}) {
        SCOPED_TRACE(experiment);
        run_with(experiment, {"nodes=2", "schemes=[gio, inter_k, ikn]", keys});
        const auto rows = rows_of(experiment);
        ASSERT_EQ(rows.size(), 3u);
        const double gio = number(rows[0], "step");
        EXPECT_EQ(rows[0].at("gio is faster by"), "-");
        EXPECT_THAT(headline(), HasSubstr(fmt::format("gio {:.2f} us", gio)));
        for (std::size_t i = 1; i < rows.size(); ++i) {
            const double gain = (number(rows[i], "step") / gio - 1) * 100;
            EXPECT_NEAR(number(rows[i], "gio is faster by"), gain, 1e-6);
            EXPECT_THAT(headline(),
                        HasSubstr(fmt::format("{} {:.2f} us ({:+.0f} %)", rows[i].at("scheme").get<std::string>(),
                                              number(rows[i], "step"), gain)));
        }
        expect_cell(rows.back().at("messages"), messages(), "messages");
        // The statistics are those of the last run, so each other row's are those of its scheme alone.
        for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
            const std::string scheme = rows[i].at("scheme");
            run_with(experiment, {"nodes=2", "schemes=[" + scheme + "]", keys});
            expect_cell(rows[i].at("messages"), messages(), "messages of " + scheme);
            expect_cell(rows[i].at("all"), number(rows_of(experiment)[0], "all"), "all of " + scheme);
        }
    }
}

TEST_F(gpu_shmem_tables, cells_of_an_all_reduce_follow_from_times_and_statistics) {
    run_with("all_reduce", {"nodes=3", "schemes=[gio]", "all_reduce.sizes=[4KiB, 64KiB]"});
    const auto rows = rows_of("all_reduce");
    ASSERT_EQ(rows.size(), 4u);  // ring and tree
    for (const row& r : rows) {
        const double bytes = r.at("vector") == "4KiB" ? 4096 : 65536;
        const double gb_per_s = 2.0 * 2 / 3 * bytes / number(r, "time") / 1000;
        expect_cell(r.at("bus"), gb_per_s, "bus");
        expect_cell(r.at("of a link"), gb_per_s / 12.5 * 100, "of a link");  // 100 Gb/s
        EXPECT_EQ(r.at("nodes"), 3);
        if (bytes <= 4096) continue;
        EXPECT_THAT(headline(),
                    HasSubstr(fmt::format("{} by gio {:.1f} us ({:.1f} % of a link)", r.at("way").get<std::string>(),
                                          number(r, "time"), gb_per_s / 12.5 * 100)));
    }
    expect_cell(rows.back().at("messages"), messages(), "messages");
    expect_cell(rows.back().at("on the wire"), wire_kb(), "on the wire");
    // The same way with the vector before, alone.
    const row& before = rows[rows.size() - 2];
    run_with("all_reduce", {"nodes=3", "schemes=[gio]", "all_reduce.sizes=[4KiB]"});
    ASSERT_EQ(rows_of("all_reduce").back().at("way"), before.at("way"));
    expect_cell(before.at("messages"), messages(), "messages");
    expect_cell(before.at("on the wire"), wire_kb(), "on the wire");
}

TEST_F(gpu_shmem_tables, cells_of_scaling_follow_from_times_and_statistics) {
    for (const bool strong : {false, true}) {
        SCOPED_TRACE(strong);
        run_with("jacobi", {"on_nodes=[1, 2]", "schemes=[gio, inter_k]", "jacobi={columns: 64, rows: 16, steps: 3}",
                            fmt::format("strong={}", strong)});
        const auto rows = rows_of("jacobi_scaling");
        expect_scaling(rows, "step", headline());
        for (const row& r : rows)
            if (r.at("nodes") == 2) {
                EXPECT_NEAR(number(r, "of ideal"), number(r, "over one node") * 100 / (strong ? 2 : 1), 1e-6);
            }
        expect_cell(rows.back().at("messages"), messages(), "messages");
        expect_cell(rows.back().at("on the wire"), wire_kb(), "on the wire");
    }
}

TEST_F(gpu_shmem_tables, cells_of_a_search_and_of_a_solve_follow_from_times_and_statistics) {
    run_with("bfs", {"on_nodes=[1, 2]", "schemes=[gio, ikn]", "bfs.graph.scale=5"});
    const auto search = rows_of("bfs");
    expect_scaling(search, "time", headline());
    for (const row& r : search)
        expect_cell(r.at("edges"), report_["results"]["graph"]["edges"].get<double>() / number(r, "time"), "edges");
    expect_cell(search.back().at("messages"), messages(), "messages");
    expect_cell(search.back().at("on the wire"), wire_kb(), "on the wire");

    run_with("triangular_solve", {"on_nodes=[1, 2]", "schemes=[gio, ikn]", "triangular_solve.matrix.rows=100"});
    const auto solve = rows_of("triangular_solve");
    expect_scaling(solve, "time", headline());
    expect_cell(solve.back().at("messages"), messages(), "messages");
    expect_cell(solve.back().at("on the wire"), wire_kb(), "on the wire");
}

TEST_F(gpu_shmem_tables, cells_of_rates_are_puts_over_their_time) {
    run_with("put_latency", {"nodes=2", "puts={puts: 4, sizes: [8B, 4KiB], workgroups: [1, 2], awaited: false}",
                             "schemes=[gio, ikn]"});
    const auto rows = rows_of("put_rate");
    ASSERT_EQ(rows.size(), 4u);
    unsigned runs = 0;
    for (const json& of : report_["results"]["puts"]) {
        const std::string name =
            of["scheme"].get<std::string>() + (of["scheme"] == "gio" && !of["templates"] ? ", no templates" : "");
        const double bytes = of["bytes"], workgroups = of["workgroups"];
        const auto at = std::find_if(rows.begin(), rows.end(), [&](const row& r) {
            return r.at("size") == (bytes == 8 ? "8B" : "4KiB") && r.at("workgroups") == workgroups;
        });
        ASSERT_NE(at, rows.end());
        SCOPED_TRACE(fmt::format("{}, {} bytes, {} workgroups", name, bytes, workgroups));
        const double million = 4 * workgroups / of["time_us"].get<double>();
        expect_cell(at->at(name), million, "million/s");
        expect_cell(at->at(name + " 2"), million * bytes / 1000, "GB/s");
        if (bytes == 8 && workgroups == 2) {
            EXPECT_THAT(headline(), HasSubstr(fmt::format("{} {:.2f} million/s", name, million)));
        }
        ++runs;
    }
    EXPECT_EQ(runs, 4u * 3);
    expect_cell(report_["results"]["puts"].back()["messages"], messages(), "messages");
}

// The drawing of one put, the bars of its parts and the table of them are one.
TEST_F(gpu_shmem_tables, one_put_is_drawn_as_its_parts_are_listed) {
    run_with("put_latency", {"nodes=2", "puts.puts=4", "puts.sizes=[8B]", "schemes=[gio, ikn]"});
    const auto parts = rows_of("put_parts");
    json bars, stacked;
    for (const json& s : report_["sections"])
        for (const json& i : s["items"]) {
            if (i.value("id", "") == "one_put") bars = i["bars"];
            if (i.value("id", "") == "breakdown") stacked = i;
        }
    ASSERT_FALSE(bars.empty());
    for (std::size_t scheme = 0; scheme < stacked["categories"].size(); ++scheme) {
        const std::string name = stacked["categories"][scheme];
        SCOPED_TRACE(name);
        double end = 0;
        for (std::size_t i = 0; i + 2 < parts.size(); ++i) {
            const std::string part = parts[i].at("part"), where = parts[i].at("where");
            const double us = number(parts[i], name.c_str());
            double drawn = 0, stack = 0;
            for (const json& b : bars)
                if (b["label"] == part && b["row"] == name + ": " + where) {
                    drawn += b["end"].get<double>() - b["begin"].get<double>();
                    end = std::max(end, b["end"].get<double>());
                }
            for (const json& s : stacked["series"])
                if (s["name"] == part) stack += s["points"][scheme][1].get<double>();
            EXPECT_NEAR(drawn, us, 1e-9) << part;
            EXPECT_NEAR(stack, us, 1e-9) << part;
        }
        EXPECT_NEAR(end, number(parts[parts.size() - 2], name.c_str()), 1e-6);
    }
}

}  // namespace
