// SPDX-License-Identifier: Apache-2.0
// The cells of the report's tables, computed anew from the statistics of the run. The times of loads beyond their unit
// are not: the statistics have all loads, and the test of the headline has them from the trace.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include <gmock/gmock.h>

#include "face/report_statistics.h"
#include "unified_gpu/fixture.h"

using contraflow::test::expect_cell;
using contraflow::test::outcome;
using contraflow::test::read_file;
using contraflow::test::report_statistics;
using nlohmann::json;

TEST_F(unified_gpu, every_cell_of_the_tables_follows_from_the_statistics) {
    const outcome o = run({small, "--out", "r"});
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    const json r = report("r");
    const report_statistics s(r, read_file(here_ / "r/stats.csv"));
    const auto of = [](const std::string& kind, const std::string& rest) { return "matmul\\." + kind + "\\." + rest; };

    std::map<std::string, double> sent;  // what the switch has handed on
    const json& network = s.table("matmul-network");
    ASSERT_EQ(network["rows"].size(), 2u * 4 * 2);
    for (const json& row : network["rows"]) {
        const auto cell = report_statistics::cells(network, row);
        const std::string where = cell.at("direction");  // "link0 a to b"
        const std::string path = "matmul." + cell.at("pages").get<std::string>() + "." + where.substr(0, 5) +
                                 (where.find("a to b") != std::string::npos ? ".ab" : ".ba");
        SCOPED_TRACE(path);
        expect_cell(cell.at("data"), s.value(path + ".payload") * 1e-6, "data");
        expect_cell(cell.at("on the wires"), s.value(path + ".wire") * 1e-6, "on the wires");
        expect_cell(cell.at("busy"), 100 * s.value(path + ".busy") / s.value(path + ".available"), "busy");
        if (path.ends_with(".ba")) sent[cell.at("pages")] += s.value(path + ".payload") * 1e-6;
    }

    std::map<std::string, double> time, share;
    const json& main = s.table("matmul");
    ASSERT_EQ(main["rows"].size(), 3u);
    for (const json& row : main["rows"]) {
        const auto cell = report_statistics::cells(main, row);
        const std::string kind = cell.at("pages");
        SCOPED_TRACE(kind);
        double local = s.sum(of(kind, "requests\\.local_[a-z]+\\.latency"));
        double remote = s.sum(of(kind, "requests\\.remote_[a-z]+\\.latency"));
        expect_cell(cell.at("local"), local * 1e-3, "local");
        expect_cell(cell.at("remote"), remote * 1e-3, "remote");
        share[kind] = 100 * remote / (local + remote);
        expect_cell(cell.at("remote 2"), share[kind], "remote share");
        EXPECT_EQ(cell.at("result"), "verified");
        if (kind != "one_gpu") {
            const std::string link = "matmul." + kind + ".link0.ab";
            time[kind] = s.value(link + ".available") / s.value(link + ".lanes", "mean") * 1e-6;
            expect_cell(cell.at("time"), time[kind], "time");
            expect_cell(cell.at("sent"), sent[kind], "sent");
        } else {
            time[kind] = cell.at("time");
            expect_cell(cell.at("sent"), 0, "sent");
        }
        expect_cell(cell.at("speed-up"), time["one_gpu"] / time[kind], "speed-up");
        expect_cell(cell.at("moves"), kind == "migrate" ? s.value("matmul.migrate.migration.moved") : 0, "moves");
    }

    char shares[80];
    std::snprintf(shares, sizeof shares, "; %.0f %% of the requests are remote, %.0f %% with dca", share["migrate"],
                  share["dca"]);
    EXPECT_THAT(r["headline"].dump(), ::testing::HasSubstr(shares));

    const json& levels = s.table("matmul-levels");
    ASSERT_EQ(levels["rows"].size(), 3u);
    for (const json& row : levels["rows"]) {
        const auto cell = report_statistics::cells(levels, row);
        const std::string kind = cell.at("pages");
        SCOPED_TRACE(kind);
        const auto share = [&](const std::string& form, const char* hits, const char* all) {
            return 100 * s.sum(of(kind, form + hits)) / s.sum(of(kind, form + all));
        };
        const auto tlb = [&](const std::string& form) {
            const double hits = s.sum(of(kind, form + "\\.hits"));
            return 100 * hits / (hits + s.sum(of(kind, form + "\\.misses")));
        };
        expect_cell(cell.at("unit's TLB"), tlb("gpu[0-9]+\\.cu[0-9]+\\.l1_tlb"), "unit's TLB");
        expect_cell(cell.at("GPU's TLB"), tlb("gpu[0-9]+\\.l2_tlb"), "GPU's TLB");
        expect_cell(cell.at("first level"), share("gpu[0-9]+\\.cu[0-9]+_l1", "\\.read_hits", "\\.reads"), "first");
        expect_cell(cell.at("second level"), share("gpu[0-9]+\\.l2_[0-9]+", "\\.read_hits", "\\.reads"), "second");
        expect_cell(cell.at("walks"), s.sum(of(kind, "iommu\\.walks")), "walks");
        const double busiest = kind == "one_gpu" ? 0 : s.most(of(kind, "link[0-9]+\\.(ab|ba)\\.utilisation"), "ratio");
        expect_cell(cell.at("busiest link"), 100 * busiest, "busiest link");
    }

    for (const char* level : {"unit's TLB", "GPU's TLB", "first level", "second level"})
        EXPECT_TRUE(report_statistics::cells(levels, levels["rows"][0]).at(level).is_number()) << level;

    const std::string m = "matmul.migrate.migration.";
    const json& moved = s.table("matmul-migration");
    ASSERT_EQ(moved["rows"].size(), 1u);
    const auto cell = report_statistics::cells(moved, moved["rows"][0]);
    const double moves = s.value(m + "moved");
    ASSERT_GT(moves, 0);
    expect_cell(cell.at("moved"), moves, "moved");
    expect_cell(cell.at("copied"), s.value(m + "duplicated"), "copied");
    expect_cell(cell.at("MB"), s.value(m + "bytes") * 1e-6, "MB");
    double whole = 0;
    for (const char* step :
         {"notify", "queue", "close", "drain", "shootdown", "flush", "table", "pull", "restart", "reply"}) {
        const double each = s.value(m + "step." + step) * 1e-6 / moves;
        whole += each;
        EXPECT_EQ(cell.contains(step), each > 0) << step;
        if (each > 0) { expect_cell(cell.at(step), each, step); }
    }
    EXPECT_NEAR(cell.at("a move").get<double>(), whole, 1e-6);    // a mean of whole ps
    EXPECT_NEAR(whole * 1e3, s.value(m + "latency", "mean"), 1);  // which has whole ns
    const json& stayed = s.table("matmul-stayed");
    const auto why = report_statistics::cells(stayed, stayed["rows"][0]);
    for (const auto& [name, statistic] :
         {std::pair{"queue full", "queue_full"}, std::pair{"no frame", "no_frame"}, std::pair{"ping-pong", "pinned"},
          std::pair{"window", "outside_window"}, std::pair{"claimed", "claimed"}})
        expect_cell(why.at(name), s.value(m + statistic), name);
}

// What waits for moving pages, from the stages of all requests: the kind that waits longest comes first.
TEST_F(unified_gpu, waits_for_moving_pages_follow_from_the_stages_of_stores_and_loads) {
    const outcome o = run({small, "--set", "compare=[one_gpu, first_touch, always]", "--out", "r"});
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    const json r = report("r");
    const report_statistics s(r, read_file(here_ / "r/stats.csv"));
    const auto stage_of = [&](const std::string& policy, const char* kind, const char* stage) {
        return s.sum("matmul\\." + policy + "\\.requests\\.(local|remote)_" + kind + "\\.stages", stage);
    };
    const auto line_of = [&](const std::string& policy) {
        for (const json& line : r["headline"])
            if (line.get<std::string>().starts_with("matmul, " + policy + ": where all requests spend their time: "))
                return line.get<std::string>();
        return std::string();
    };
    const auto text = [](const char* form, double value) {
        char out[80];
        std::snprintf(out, sizeof out, form, value);
        return std::string(out);
    };
    const auto waited = [&](const std::string& policy, const char* kind) {
        return text(" waited for a moving page, %.1f ms in sum", stage_of(policy, kind, "page_held") * 1e-9);
    };
    EXPECT_EQ(line_of("one_gpu"), "");
    for (const std::string policy : {"first_touch", "always"}) {
        const std::string line = line_of(policy);
        double life = 0;
        for (const char* stage : {"coalescer", "l1", "merge", "crossbar", "link_queue", "link", "l2", "remote_l2",
                                  "dram", "remote_dram", "response_crossbar", "response_link_queue", "response_link",
                                  "l1_tlb", "l2_tlb", "gmmu", "iommu", "page_walk", "page_held"})
            life += stage_of(policy, "[a-z]+", stage);
        EXPECT_THAT(line, ::testing::HasSubstr(
                              text("page moving %.0f %%", 100 * stage_of(policy, "[a-z]+", "page_held") / life)));
        EXPECT_THAT(line, ::testing::HasSubstr(" stores" + waited(policy, "stores")));
        EXPECT_THAT(line, ::testing::Not(::testing::HasSubstr("atomic")));
    }
    // No load waited with first_touch. With always loads waited longer than stores did.
    EXPECT_EQ(stage_of("first_touch", "loads", "page_held"), 0);
    EXPECT_THAT(line_of("first_touch"), ::testing::Not(::testing::HasSubstr(" loads waited")));
    EXPECT_GT(stage_of("always", "loads", "page_held"), stage_of("always", "stores", "page_held"));
    EXPECT_THAT(line_of("always"), ::testing::ContainsRegex(" loads" + waited("always", "loads") + ".* stores"));
    for (const auto& row : s.rows("matmul")) {
        const std::string kind = row.at("pages");
        EXPECT_EQ(row.at("held load").is_number(), kind == "always") << kind;
        EXPECT_EQ(row.at("held store").is_number(), kind != "one_gpu") << kind;
    }
}

// Stores come first where they wait longer than loads.
TEST_F(unified_gpu, stores_that_wait_longer_than_loads_come_first) {
    const outcome o = run({CF_PLATFORM_FOLDER "/r9_nano.yaml", "--set", "compare=[migrate]", "--out", "r"});
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    const json r = report("r");
    const report_statistics s(r, read_file(here_ / "r/stats.csv"));
    const auto waited = [&](const char* kind) {
        return s.sum(std::string("fir\\.migrate\\.requests\\.(local|remote)_") + kind + "\\.stages", "page_held");
    };
    ASSERT_GT(waited("stores"), waited("loads"));
    ASSERT_GT(waited("loads"), 0);
    char said[160];
    std::snprintf(said, sizeof said,
                  " stores waited for a moving page, %.1f ms in sum.* loads waited for a moving page, %.1f ms in sum",
                  waited("stores") * 1e-9, waited("loads") * 1e-9);
    EXPECT_THAT(r["headline"].dump(), ::testing::ContainsRegex(said));
}

// Without arguments nobody asks the scalar caches.
TEST_F(unified_gpu, a_cache_that_nobody_asked_has_no_share_of_hits) {
    for (const bool arguments : {true, false}) {
        const std::string out = arguments ? "with" : "without";
        const outcome o = run({small, "--set", "gpu.shader_array.units=2", "--set", "compare=[dca]", "--set",
                               std::string("gpu.shader_array.arguments=") + (arguments ? "64B" : "0B"), "--out", out});
        ASSERT_EQ(o.code, 0) << o.out << o.err;
        const json r = report(out);
        const report_statistics s(r, read_file(here_ / out / "stats.csv"));
        const json& levels = s.table("matmul-levels");
        const auto cell = report_statistics::cells(levels, levels["rows"][0]);
        const auto share = [&](const char* cache) {
            const std::string form = std::string("matmul\\.dca\\.gpu[0-9]+\\.") + cache;
            return 100 * s.sum(form + "\\.read_hits") / s.sum(form + "\\.reads");
        };
        expect_cell(cell.at("instructions"), share("sa[0-9]+_l1i"), "instructions");
        if (arguments)
            expect_cell(cell.at("scalars"), share("sa[0-9]+_l1s"), "scalars");
        else
            EXPECT_EQ(cell.at("scalars"), "-");
    }
}
