// SPDX-License-Identifier: Apache-2.0
// The unified_gpu binary in its users' view: its comparisons, its files, its errors and its exit status.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "face/traced_requests.h"
#include "unified_gpu/fixture.h"

using contraflow::test::outcome;
using contraflow::test::read_file;
using contraflow::test::traced_request;
using contraflow::test::traced_requests;
using contraflow::test::traced_stage;
using nlohmann::json;
using ::testing::HasSubstr;

namespace {

// An item of the report by its id; null if there is none.
json item(const json& report, const std::string& id) {
    for (const json& section : report["sections"])
        for (const json& i : section["items"])
            if (i.value("id", "") == id) return i;
    return {};
}

}  // namespace

TEST_F(unified_gpu, one_gpu_reaching_across_and_moving_side_by_side) {
    const outcome o = run({small, "--out", "r"});
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    const json r = report("r");
    const json& runs = r["results"]["workloads"][0];
    for (const char* policy : {"one_gpu", "dca", "migrate"}) EXPECT_EQ(runs[policy]["verified"], true) << policy;
    EXPECT_EQ(runs["one_gpu"]["speed_up"], 1.0);
    EXPECT_EQ(runs["one_gpu"]["remote_requests"], 0);
    EXPECT_EQ(runs["one_gpu"]["between_gpus_bytes"], 0);
    EXPECT_GT(runs["dca"]["speed_up"], 1.5);
    EXPECT_GT(runs["dca"]["remote_requests"], 1000);
    EXPECT_GT(runs["dca"]["remote_load_ns"], runs["dca"]["local_load_ns"]);
    EXPECT_EQ(runs["dca"]["migration"]["moved"], 0);
    EXPECT_GT(runs["migrate"]["migration"]["moved"], 0);
    EXPECT_EQ(runs["migrate"]["migration"]["bytes"], runs["migrate"]["migration"]["moved"].get<int>() * 4096);
    for (const json& check : r["conservation"]) EXPECT_EQ(check["in"], check["out"]) << check;
    const std::string said = unwrapped(o.out);
    EXPECT_THAT(said, HasSubstr("a load that its first level does not answer takes "));
    EXPECT_THAT(said, HasSubstr("A move holds its page's requests up for "));
    // The meaning of the name is printed once.
    EXPECT_THAT(said, HasSubstr("matmul: dca (direct cache access: GPUs reach across) "));
    EXPECT_EQ(said.find("direct cache access"), said.rfind("direct cache access"));
    EXPECT_THAT(r["sections"].dump(),
                HasSubstr("dca: they stay, and GPUs reach across; migrate: they move as `migration` says)"));
}

// The headline blames what the chart shows as the largest part of a remote load's life.
TEST_F(unified_gpu, the_headline_and_the_chart_agree_on_where_remote_loads_spend_their_time) {
    const outcome o = run({small, "--set", "network.kind=pcie", "--set", "compare=[dca]", "--out", "r"});
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    const json r = report("r");
    const json where = item(r, "matmul-where");
    const auto& bars = where["categories"];
    const auto remote = std::find_if(bars.begin(), bars.end(), [](const json& name) {
        return name.get<std::string>().find("another") != std::string::npos;
    });
    ASSERT_NE(remote, bars.end()) << where["categories"];
    const auto bar = static_cast<std::size_t>(remote - bars.begin());
    std::string largest;
    double most = 0, all = 0;
    for (const json& part : where["series"]) {
        const double ns = part["points"][bar][1];
        all += ns;
        if (ns <= most) continue;
        most = ns;
        largest = part["name"];
    }
    char text[128];
    std::snprintf(text, sizeof text, "and %.0f ns where it is in another one's (%s %.0f %%", all, largest.c_str(),
                  100 * most / all);
    EXPECT_THAT(r["headline"].dump(), HasSubstr(text));
}

// Whether a move paid, from the stays that the drawing of pages shows: where a page has moved to, its GPU asked for it
// at least as often as the move is worth.
TEST_F(unified_gpu, the_headline_says_how_many_of_the_moves_that_are_drawn_have_paid) {
    const outcome o = run({small, "--set", "compare=[dca, migrate]", "--out", "r"});
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    const json r = report("r");
    const json pages = item(r, "matmul-migrate-pages");
    ASSERT_THAT(pages["note"], Not(HasSubstr("of neighbours")));  // every page that moved is drawn
    std::map<std::string, std::map<double, int>> stays;           // requests of the page's GPU, by page and begin
    for (const json& bar : pages["bars"]) {
        const std::string detail = bar["detail"];
        const auto own = detail.find("meanwhile: ");
        ASSERT_NE(own, std::string::npos) << detail;
        stays[bar["row"]][bar["begin"]] = std::stoi(detail.substr(own + 11));
    }
    std::vector<int> uses;
    for (const auto& [page, by_begin] : stays)
        for (auto s = std::next(by_begin.begin()); s != by_begin.end(); ++s) uses.push_back(s->second);
    const json& moving = r["results"]["workloads"][0]["migrate"]["migration"];
    ASSERT_EQ(uses.size(), moving["moved"].get<std::size_t>());
    const auto need = 4096 / 128;  // lines of a page: more than a move takes in time, as the headline says
    const auto paid = std::count_if(uses.begin(), uses.end(), [](int n) { return n >= need; });
    EXPECT_GT(paid, 0);
    EXPECT_LT(static_cast<std::size_t>(paid), uses.size());
    char text[80];
    std::snprintf(text, sizeof text, "; %.0f %% of the moved pages were used at least %d times",
                  100.0 * static_cast<double>(paid) / static_cast<double>(uses.size()), need);
    EXPECT_THAT(r["headline"].dump(), HasSubstr(text));
}

// The headline from the slices of every load, unit and translation included.
TEST_F(unified_gpu, the_headline_is_the_whole_life_of_every_load_in_the_trace) {
    const outcome o = run({small, "--set", "workload.n=64", "--set", "compare=[dca]", "--set", "window.every=1",
                           "--trace", "--out", "r"});
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    const std::map<std::string, std::string> part_of{{"coalescer", "unit and first level"},
                                                     {"l1", "unit and first level"},
                                                     {"merge", "unit and first level"},
                                                     {"l1_tlb", "TLBs"},
                                                     {"l2_tlb", "TLBs"},
                                                     {"gmmu", "walkers"},
                                                     {"iommu", "walkers"},
                                                     {"page_walk", "walkers"},
                                                     {"crossbar", "crossbars and RDMA"},
                                                     {"response_crossbar", "crossbars and RDMA"},
                                                     {"link_queue", "waiting for a link"},
                                                     {"response_link_queue", "waiting for a link"},
                                                     {"link", "on a link"},
                                                     {"response_link", "on a link"},
                                                     {"l2", "second level and DRAM"},
                                                     {"remote_l2", "second level and DRAM"},
                                                     {"dram", "second level and DRAM"},
                                                     {"remote_dram", "second level and DRAM"}};
    std::map<std::string, double> spent;
    double all = 0, near = 0;
    int loads = 0, near_loads = 0;
    for (const traced_request& r : traced_requests(json::parse(read_file(here_ / "r/trace.json")), "load")) {
        const bool beyond = std::ranges::any_of(
            r.stages, [](const traced_stage& s) { return s.name == "crossbar" || s.name == "response_crossbar"; });
        if (!beyond) continue;
        if (r.name == "local load") {
            near += r.us();
            ++near_loads;
            continue;
        }
        for (const traced_stage& s : r.stages) spent[part_of.at(s.name)] += s.us;
        all += r.us();
        ++loads;
    }
    ASSERT_GT(loads, 100);
    std::vector<std::pair<double, std::string>> largest;
    for (const auto& [part, us] : spent) largest.emplace_back(us, part);
    std::sort(largest.rbegin(), largest.rend());
    std::string parts;
    for (std::size_t i = 0; i < 4 && largest[i].first > 0.005 * all; ++i) {
        char text[80];
        std::snprintf(text, sizeof text, "%s%s %.0f %%", i == 0 ? "" : ", ", largest[i].second.c_str(),
                      100 * largest[i].first / all);
        parts += text;
    }
    char said[300];
    std::snprintf(
        said, sizeof said,
        "takes %.0f ns where its page is in the own GPU's memory, and %.0f ns where it is in another one's (%s)",
        near * 1e3 / near_loads, all * 1e3 / loads, parts.c_str());
    EXPECT_THAT(report("r")["headline"].dump(), HasSubstr(said));
    EXPECT_GT(spent["TLBs"], 0);
}

// Stores that waited for moving pages, by their number and time, from the slices of every store in the trace.
TEST_F(unified_gpu, the_headline_has_every_store_of_the_trace_that_waited_for_a_moving_page) {
    const outcome o = run({small, "--set", "workload.n=64", "--set", "compare=[first_touch]", "--set", "window.every=1",
                           "--trace", "--out", "r"});
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    const std::set<std::string> beyond_unit{"crossbar",
                                            "link_queue",
                                            "link",
                                            "l2",
                                            "remote_l2",
                                            "dram",
                                            "remote_dram",
                                            "page_held",
                                            "response_crossbar",
                                            "response_link_queue",
                                            "response_link"};
    int held = 0;
    double waited = 0, beyond = 0;
    for (const traced_request& r : traced_requests(json::parse(read_file(here_ / "r/trace.json")), "store")) {
        double page = 0, away = 0;
        for (const traced_stage& s : r.stages) {
            if (s.name == "page_held") page += s.us;
            if (beyond_unit.contains(s.name)) away += s.us;
        }
        if (page == 0) continue;
        ++held;
        waited += page;
        beyond += away;
    }
    ASSERT_GT(held, 100);
    char said[160];
    std::snprintf(
        said, sizeof said,
        "; %d stores waited for a moving page, %.1f ms in sum, and took %.1f us each from their unit and back", held,
        waited * 1e-3, beyond / held);
    const json r = report("r");
    EXPECT_THAT(r["headline"].dump(), HasSubstr(said));
    const json table = item(r, "matmul");
    const auto& columns = table["columns"];
    const auto column =
        std::find_if(columns.begin(), columns.end(), [](const json& c) { return c["name"] == "held store"; });
    ASSERT_NE(column, columns.end());
    EXPECT_NEAR(table["rows"][0][static_cast<std::size_t>(column - columns.begin())].get<double>(), beyond * 1e3 / held,
                0.1);
}

// The time of a load is told of the first run with loads from another GPU's memory, or else of the slowest.
TEST_F(unified_gpu, the_headline_tells_a_loads_time_whatever_is_compared) {
    const auto headline = [&](const char* compare) {
        EXPECT_EQ(run({small, "--set", "workload.n=64", "--set", compare, "--out", "r", "--force"}).code, 0);
        return report("r")["headline"].dump();
    };
    const char* const both =
        ": a load that its first level does not answer takes [0-9]+ ns where its page is in the own "
        "GPU's memory, and [0-9]+ ns where it is in another one's";
    EXPECT_THAT(headline("compare=[one_gpu, first_touch, dca]"),
                ::testing::ContainsRegex(std::string("matmul, first_touch") + both));
    EXPECT_THAT(headline("compare=[dca, first_touch]"), ::testing::ContainsRegex(std::string("matmul, dca") + both));
    EXPECT_THAT(headline("compare=[one_gpu]"),
                ::testing::ContainsRegex("matmul, one_gpu: a load that its first level does not answer takes [0-9]+ ns "
                                         "\\([a-zA-Z0-9 ,%]+\\); beyond the unit"));
}

// One GPU loads lines of a page of the other one, one after the other: fewer than the headline says, and reaching
// across is faster; more, and moving the page is.
TEST_F(unified_gpu, a_move_pays_after_as_many_loads_as_the_headline_says) {
    const auto loads = [this](int n) {
        std::ofstream trace(here_ / "loads.txt");
        trace << "array a 8192\nkernel read grid 1 block 32\nwave 0 0\n";
        for (int i = 0; i < n; ++i) trace << "load 4 a " << 4096 + 128 * i << ":4\n";
        trace.close();
        EXPECT_EQ(run({small, "--set", "gpus=2", "--set",
                       "workload={name: trace, file: " + (here_ / "loads.txt").string() + "}", "--set",
                       "compare=[dca, always]", "--out", "r", "--force"})
                      .code,
                  0);
        return report("r");
    };
    const std::string headline = loads(20)["headline"].dump();
    EXPECT_THAT(headline, HasSubstr("dca: each load that its first level does not answer goes to another GPU's"));
    std::smatch found;
    ASSERT_TRUE(std::regex_search(headline, found, std::regex("the time that ([0-9]+) remote loads lose"))) << headline;
    const int even = std::stoi(found[1]);
    for (const int n : {even - even / 6, even + even / 6}) {
        const json runs = loads(n)["results"]["workloads"][0];
        const double gain = runs["dca"]["time_ms"].get<double>() / runs["always"]["time_ms"].get<double>();
        EXPECT_TRUE(n < even ? gain < 1 : gain > 1) << n << " of " << even << " loads: " << gain;
    }
}

// The headline tells why a policy moved nothing.
TEST_F(unified_gpu, no_page_moved_comes_with_its_reason) {
    const auto headline = [&](const std::vector<std::string>& words) {
        std::vector<std::string> all{small, "--set", "workload.n=64", "--out", "r"};
        all.insert(all.end(), words.begin(), words.end());
        EXPECT_EQ(run(all).code, 0);
        return report("r")["headline"].dump();
    };
    EXPECT_THAT(headline({"--set", "compare=[access_count]", "--set", "access_counters.threshold=1000000"}),
                HasSubstr("no page moved: no GPU reached for a page of another one 1000000 times "
                          "(access_counters.threshold)"));
    EXPECT_THAT(headline({"--set", "compare=[always]", "--set", "migration.when.windows=[{from: 0ns, to: 1ns}]"}),
                ::testing::ContainsRegex("no page moved: [0-9]+ times none of migration.when.windows was open"));
    EXPECT_THAT(headline({"--set", "compare=[always]", "--set", "members=[1]", "--set", "execution=one", "--set",
                          "memory=discrete"}),
                HasSubstr("no page moved: no request went to a page in another GPU's memory"));
}

// Between two GPUs with a link of their own nothing is forwarded, so both counts are of the same packets.
TEST_F(unified_gpu, data_between_gpus_is_what_their_links_carry) {
    const outcome o = run({small, "--set", "network.kind=fully_connected", "--set", "workload.name=pointer_chase",
                           "--set", "workload.chains=32", "--set", "workload.steps=50", "--set", "workload.bits=12",
                           "--set", "compare=[dca, migrate]", "--out", "r"});
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    const json runs = report("r")["results"]["workloads"][0];
    for (const char* policy : {"dca", "migrate"}) {
        std::uint64_t carried = 0;
        for (const json& direction : runs[policy]["network"])
            carried += direction["payload_bytes"].get<std::uint64_t>();
        EXPECT_GT(carried, 0u) << policy;
        EXPECT_EQ(runs[policy]["between_gpus_bytes"], carried) << policy;
    }
}

TEST_F(unified_gpu, the_address_map_of_a_pcie_tree_is_told_though_the_first_run_has_no_tree) {
    const outcome o = run({small, "--set", "network.kind=pcie", "--set", "compare=[one_gpu, dca]", "--out", "r"});
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    std::set<std::string> memories;
    const json addresses = item(report("r"), "matmul-addresses");
    for (const json& row : addresses["rows"])
        if (row[2] == "BAR 0") memories.insert(row[3].get<std::string>());
    EXPECT_EQ(memories.size(), 4u);  // each GPU's own
}

TEST_F(unified_gpu, times_of_runs_that_did_not_end_are_not_compared) {
    const outcome o = run({small, "--limit-time", "20us", "--set", "compare=[dca, migrate]", "--out", "r"});
    EXPECT_EQ(o.code, 4) << o.err;
    EXPECT_EQ(item(report("r"), "matmul")["rows"][0][2], "-");
}

TEST_F(unified_gpu, walks_are_counted_whoever_walks) {
    const auto walks = [&](const char* own, const char* out) {
        const outcome o = run(
            {small, "--set", "compare=[one_gpu]", "--set", std::string("translation.has_gmmu=") + own, "--out", out});
        EXPECT_EQ(o.code, 0) << o.out << o.err;
        return report(out)["results"]["workloads"][0]["one_gpu"]["walks"].get<int>();
    };
    const int by_iommu = walks("false", "a"), by_gpu = walks("true", "b");
    EXPECT_GT(by_iommu, 0);
    EXPECT_GT(by_gpu, 0);
}

TEST_F(unified_gpu, the_title_says_how_many_gpus_work) {
    ASSERT_EQ(run({small, "--unified-gpus", "1,2", "--set", "compare=[dca]", "--out", "r"}).code, 0);
    EXPECT_THAT(report("r")["title"].get<std::string>(), HasSubstr("2 of 4 GPUs x 4 units"));
    ASSERT_EQ(run({small, "--set", "compare=[dca]", "--out", "all"}).code, 0);
    EXPECT_THAT(report("all")["title"].get<std::string>(), ::testing::StartsWith("4 GPUs x 4 units"));
}

TEST_F(unified_gpu, the_page_has_every_figure_of_a_run_with_moves) {
    ASSERT_EQ(run({small, "--out", "r"}).code, 0);
    const json r = report("r");
    for (const char* id :
         {"matmul", "matmul-levels", "matmul-migration", "matmul-where", "matmul-latency", "matmul-migrate-pages",
          "matmul-migrate-moves", "matmul-uses", "matmul-dca-traffic", "matmul-dca-traffic-by-time", "matmul-dca-sent",
          "matmul-dca-received", "matmul-network", "matmul-path", "matmul-stayed", "matmul-migrate-pages-by-gpu"})
        EXPECT_FALSE(item(r, id).is_null()) << id;
    EXPECT_TRUE(item(r, "matmul-dca-moves").is_null());
    // A page is in one place at a time, from the beginning to the end.
    std::map<std::string, double> until;
    json bars = item(r, "matmul-migrate-pages")["bars"];
    std::sort(bars.begin(), bars.end(), [](const json& a, const json& b) { return a["begin"] < b["begin"]; });
    for (const json& bar : bars) {
        EXPECT_DOUBLE_EQ(bar["begin"], until[bar["row"]]) << bar;
        until[bar["row"]] = bar["end"];
    }
    EXPECT_EQ(until.size(), item(r, "matmul-migrate-pages")["rows"].size());
    // Its rows are of pages that moved.
    std::map<std::string, int> stays;
    for (const json& bar : bars) ++stays[bar["row"]];
    for (const auto& [page, n] : stays) EXPECT_GT(n, 1) << page;
    for (const auto& [page, end] : until) EXPECT_DOUBLE_EQ(end, until.begin()->second) << page;
    // At any time every page has a place.
    const json by_gpu = item(r, "matmul-migrate-pages-by-gpu")["series"];
    ASSERT_EQ(by_gpu.size(), 4u);
    for (std::size_t i = 0; i < by_gpu[0]["points"].size(); ++i) {
        double pages = 0;
        for (const json& gpu : by_gpu) pages += gpu["points"][i][1].get<double>();
        EXPECT_EQ(pages, 3 * 256 * 256 * sizeof(double) / 4096);
    }
    EXPECT_GT(by_gpu[0]["points"].size(), 10u);
}

// The matrix over time adds up to the matrix, and so do the sums that each GPU sends and receives.
TEST_F(unified_gpu, data_over_time_sum_to_the_matrix) {
    ASSERT_EQ(run({small, "--set", "compare=[dca]", "--set", "series_window=200ns", "--out", "r"}).code, 0);
    const json r = report("r");
    const double end = r["results"]["workloads"][0]["dca"]["time_ms"].get<double>() * 1e3;
    const auto megabytes = [&](const json& points) {
        double sum = 0;
        for (std::size_t i = 0; i < points.size(); ++i)
            sum += points[i][1].get<double>() *
                   ((i + 1 < points.size() ? points[i + 1][0].get<double>() : end) - points[i][0].get<double>());
        return sum * 1e-3;
    };
    const json matrix = item(r, "matmul-dca-traffic")["rows"];
    const json pairs = item(r, "matmul-dca-traffic-by-time");
    EXPECT_EQ(pairs["type"], "heat");
    std::size_t pair = 0;
    std::vector<double> sent(4), received(4);
    for (std::size_t from = 0; from < 4; ++from)
        for (std::size_t to = 0; to < 4; ++to) {
            const double all = matrix[from][to + 1].get<double>();
            sent[from] += all;
            received[to] += all;
            if (from == to) continue;
            const json& series = pairs["series"][pair++];
            EXPECT_EQ(series["name"], "GPU " + std::to_string(from + 1) + " to GPU " + std::to_string(to + 1));
            EXPECT_LE(series["points"].size(), 101u);
            EXPECT_NEAR(megabytes(series["points"]), all, 1e-9 + 1e-6 * all);
        }
    for (std::size_t gpu = 0; gpu < 4; ++gpu) {
        EXPECT_NEAR(megabytes(item(r, "matmul-dca-sent")["series"][gpu]["points"]), sent[gpu], 1e-6);
        EXPECT_NEAR(megabytes(item(r, "matmul-dca-received")["series"][gpu]["points"]), received[gpu], 1e-6);
    }
}

TEST_F(unified_gpu, the_way_of_a_remote_load_is_drawn_there_and_back) {
    ASSERT_EQ(run({small, "--set", "compare=[dca]", "--out", "r"}).code, 0);
    const json path = item(report("r"), "matmul-path");
    ASSERT_FALSE(path.is_null());
    std::string way;
    double at = 0;
    for (const json& bar : path["bars"]) {
        EXPECT_DOUBLE_EQ(bar["begin"], at);
        at = bar["end"];
        const std::string name = bar["row"];
        way += name.substr(0, name.find_first_of("[_", name.find('.') + 1)) + " ";
    }
    // The program decides which GPU accesses which, so every number is left out.
    way.erase(std::remove_if(way.begin(), way.end(), [](char c) { return c >= '0' && c <= '9'; }), way.end());
    EXPECT_THAT(way, HasSubstr("gpu.cu gpu.cu.translator gpu.cu.l gpu.l iommu gpu.l gpu.cu.l gpu.cu.translator gpu.cu "
                               "gpu.crossbar gpu.rdma.to gpu.rdma.to link.ab switch link.ba gpu.rdma.to "
                               "gpu.rdma.to gpu.crossbar gpu.l "));
}

TEST_F(unified_gpu, two_runs_leave_the_same_bytes) {
    ASSERT_EQ(run({small, "--set", "compare=[dca, migrate]", "--out", "a"}).code, 0);
    ASSERT_EQ(run({small, "--set", "compare=[dca, migrate]", "--out", "b"}).code, 0);
    for (const char* file : {"report.json", "stats.csv", "report.html"})
        EXPECT_EQ(read_file(here_ / "a" / file), read_file(here_ / "b" / file)) << file;
}

TEST_F(unified_gpu, all_models_of_execution_and_memory_on_all_networks_are_verified) {
    const std::vector<std::string> sets{"execution=one",      "execution=split",
                                        "memory=discrete",    "execution=split,memory=discrete",
                                        "network.kind=pcie",  "network.kind=fully_connected",
                                        "network.kind=ring",  "network.kind=mesh",
                                        "network.kind=torus", "network.kind=tree"};
    for (const auto& text : sets) {
        std::vector<std::string> words{small, "--set", "compare=[dca, migrate]", "--out", text};
        for (std::size_t at = 0, end = 0; end != std::string::npos; at = end + 1) {
            end = text.find(',', at);
            words.insert(words.end(), {"--set", text.substr(at, end - at)});
        }
        const outcome o = run(words);
        ASSERT_EQ(o.code, 0) << text << o.out << o.err;
        for (const char* policy : {"dca", "migrate"})
            EXPECT_EQ(report(text)["results"]["workloads"][0][policy]["verified"], true) << text;
    }
}

TEST_F(unified_gpu, options_as_those_of_mgpusim) {
    const auto config = [&](std::vector<std::string> words) {
        words.insert(words.begin(), small);
        words.emplace_back("--print-config");
        const outcome o = run(words);
        EXPECT_EQ(o.code, 0) << o.err;
        return o.out;
    };
    EXPECT_THAT(config({"--gpus", "1,3"}), HasSubstr("execution: split"));
    EXPECT_THAT(config({"--gpus", "1,3"}), HasSubstr("members: [1, 3]"));
    EXPECT_THAT(config({"--gpus", "1,3"}), HasSubstr("memory: discrete"));
    EXPECT_THAT(config({"--gpus", "2"}), HasSubstr("execution: one"));
    EXPECT_THAT(config({"--unified-gpus", "1,2,3,4", "--unified-mem"}), HasSubstr("execution: unified"));
    EXPECT_THAT(config({"--unified-gpus", "1,2,3,4", "--unified-mem"}), HasSubstr("memory: unified"));
    const outcome both = run({small, "--gpus", "1", "--unified-gpus", "1,2"});
    EXPECT_EQ(both.code, 2);
    const outcome none = run({small, "--gpus", "1,5"});
    EXPECT_EQ(none.code, 2);
    EXPECT_THAT(none.err, HasSubstr("there is no GPU 5"));
}

TEST_F(unified_gpu, a_trace_shows_requests_and_moves) {
    const outcome o = run({small, "--trace", "--set", "window.every=32", "--out", "w"});
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    std::map<std::string, int> slices;
    // Rows and counters have the names of the model's parts, as the statistics do.
    std::set<std::string> processes, threads, counters;
    for (const auto& e : json::parse(read_file(here_ / "w/trace.json"))) {
        if (e["ph"] == "X") ++slices[e["name"]];
        if (e["name"] == "process_name") processes.insert(e["args"]["name"]);
        if (e["name"] == "thread_name") threads.insert(e["args"]["name"]);
        if (e["ph"] == "C") counters.insert(e["name"]);
    }
    for (const char* name : {"remote load", "link", "iommu", "move", "shootdown", "pull", "reply"})
        EXPECT_GT(slices[name], 0) << name;
    for (const char* row : {"cu0 requests", "gpu1.cu0_l1", "gpu1.cu0.l1_tlb", "gpu1.l2_0", "link0.ab", "iommu"})
        EXPECT_TRUE(threads.contains(row)) << row;
    EXPECT_TRUE(processes.contains("link0"));
    EXPECT_TRUE(counters.contains("ab.vc[0].queue"));
    EXPECT_TRUE(counters.contains("ab.vc[0].credits"));
    EXPECT_THAT(read_file(here_ / "w/stats.csv"), ::testing::AllOf(HasSubstr(".gpu1.cu0."), HasSubstr(".link0.ab.")));
}

TEST_F(unified_gpu, waves_show_the_links_of_the_watched_run) {
    const std::vector<std::string> waves{small, "--wave", "vcd", "--set", "window={from: 20us, to: 40us}"};
    auto words = waves;
    words.insert(words.end(), {"--out", "w"});
    const outcome o = run(words);
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    const std::string vcd = read_file(here_ / "w/waves.vcd"), gtkw = read_file(here_ / "w/waves.gtkw");
    EXPECT_THAT(gtkw, ::testing::AllOf(HasSubstr("link0.ab.vc[0].queue"), HasSubstr("link3.ba.vc[0].credits")));
    std::set<std::uint64_t> times;  // ps
    std::istringstream lines(vcd);
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with('#')) times.insert(std::stoull(line.substr(1)));
    EXPECT_GT(times.size(), 1000u) << "messages pass all the time";
    EXPECT_GE(*times.begin(), 20'000'000u);
    EXPECT_LE(*times.rbegin(), 40'000'000u);
    words.insert(words.end(), {"--force", "--set", "compare=[one_gpu]"});
    EXPECT_THAT(run(words).out, HasSubstr("there are no waves"));
}

TEST_F(unified_gpu, a_recorded_run_takes_the_same_time_again) {
    ASSERT_EQ(run({small, "--set", "compare=[dca]", "--record", "t.cft", "--out", "a"}).code, 0);
    const outcome o =
        run({small, "--set", "workload={name: trace, file: t.cft}", "--set", "compare=[dca]", "--out", "b"});
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    EXPECT_EQ(report("a")["results"]["workloads"][0]["dca"]["time_ms"],
              report("b")["results"]["workloads"][0]["dca"]["time_ms"]);
    EXPECT_THAT(read_file(here_ / "b/report.html"), HasSubstr("\"trace\":\"t.cft, SHA-256 "));
}

TEST_F(unified_gpu, further_workloads_with_parameters_of_their_own) {
    const outcome o = run({small, "--set", "also=[relu, pagerank]", "--set", "also_set=[pagerank.iterations=1]",
                           "--set", "compare=[dca]", "--out", "r"});
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    const json all = report("r")["results"]["workloads"];
    ASSERT_EQ(all.size(), 3u);
    EXPECT_EQ(all[2]["workload"], "pagerank");
    EXPECT_THAT(all[2]["parameters"].get<std::string>(), HasSubstr("iterations 1"));
    for (const json& w : all) EXPECT_EQ(w["dca"]["verified"], true);
}
