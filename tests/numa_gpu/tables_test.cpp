// SPDX-License-Identifier: Apache-2.0
// Every cell of the report's tables, and the headline, computed anew from the statistics of the run.
#include <cmath>

#include <gmock/gmock.h>

#include "face/report_statistics.h"
#include "numa_gpu/fixture.h"

using contraflow::test::expect_cell;
using contraflow::test::outcome;
using contraflow::test::read_file;
using contraflow::test::report_statistics;
using nlohmann::json;

// More goes one way than the other, and lanes turn.
TEST_F(numa_gpu, every_cell_of_the_tables_follows_from_the_statistics) {
    const outcome o = run({small, "--set", "workload.name=many_to_one", "--out", "r"});
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    const json r = report("r");
    const report_statistics s(r, read_file(here_ / "r/stats.csv"));
    std::map<std::string, double> end_ps;
    const json& links = s.table("many_to_one-links");
    ASSERT_EQ(links["rows"].size(), 3u * 4);
    for (const json& row : links["rows"]) {
        const auto cell = report_statistics::cells(links, row);
        const std::string kind = cell.at("links"), name = cell.at("link");
        const std::string path = "many_to_one." + kind + "." + name;
        SCOPED_TRACE(path);
        expect_cell(cell.at("a to b"), s.value(path + ".ab.payload") * 1e-6, "a to b");
        expect_cell(cell.at("b to a"), s.value(path + ".ba.payload") * 1e-6, "b to a");
        expect_cell(cell.at("busy"), 100 * s.value(path + ".ab.busy") / s.value(path + ".ab.available"), "busy");
        expect_cell(cell.at("busy 2"), 100 * s.value(path + ".ba.busy") / s.value(path + ".ba.available"), "busy back");
        expect_cell(cell.at("turns"), s.value(path + ".turns"), "turns");
        // As the note says: half a picojoule a bit; 8 lanes of 25 Gb/s take 3.3 mm2 and 1.5 W, twice that if they turn.
        const double wire = s.value(path + ".ab.wire") + s.value(path + ".ba.wire");
        expect_cell(cell.at("transferring"), wire * 8 * 0.5e-12 * 1e3, "transferring");
        const double end = s.value(path + ".ab.available") / s.value(path + ".ab.lanes", "mean");
        const double lanes = kind == "double" ? 32 : 16, turning = kind == "dynamic" ? 2 : 1;
        const double rate_gb_s = 8 * 1e3 * s.value(path + ".ab.wire") / s.value(path + ".ab.busy");
        expect_cell(cell.at("area"), turning * lanes / 8 * 3.3, "area");
        expect_cell(cell.at("switched on"), turning * lanes / 8 * 1.5 * rate_gb_s / 25 * end * 1e-12 * 1e3, "on");
        end_ps[kind] = end;
    }
    const json& main = s.table("many_to_one");
    ASSERT_EQ(main["rows"].size(), 3u);
    for (const json& row : main["rows"]) {
        const auto cell = report_statistics::cells(main, row);
        const std::string kind = cell.at("links");
        const std::string link = "many_to_one\\." + kind + "\\.link[0-9]+";
        SCOPED_TRACE(kind);
        expect_cell(cell.at("time"), end_ps[kind] * 1e-9, "time");
        expect_cell(cell.at("speed-up"), end_ps["static"] / end_ps[kind], "speed-up");
        EXPECT_EQ(cell.at("result"), "verified");
        expect_cell(cell.at("turns"), s.sum(link + "\\.turns"), "turns");
        expect_cell(cell.at("a to b"), s.sum(link + "\\.ab\\.payload") * 1e-6, "a to b");
        expect_cell(cell.at("b to a"), s.sum(link + "\\.ba\\.payload") * 1e-6, "b to a");
        double energy = 0;
        for (const json& l : links["rows"])
            if (l[0] == kind) energy += l[7].get<double>() + l[8].get<double>();
        expect_cell(cell.at("energy"), energy, "energy");
        expect_cell(cell.at("neither"), 100 - cell.at("both").get<double>() - cell.at("one").get<double>(), "shares");
        char said[120];
        std::snprintf(said, sizeof said, "many_to_one: %s links are %.2f times as fast as static links", kind.c_str(),
                      end_ps["static"] / end_ps[kind]);
        if (kind == "dynamic") {
            const double share = r["results"]["workloads"][0]["static"]["one_way_somewhere"];
            char amdahl[160];
            std::snprintf(amdahl, sizeof amdahl,
                          "for %.0f %% of the time, by windows of series_window, for which Amdahl's law gives %.2f",
                          share * 100, 1 / (1 - share * 7 / 15));
            EXPECT_THAT(r["headline"].dump(), ::testing::HasSubstr(amdahl));
            // All goes into one socket, so that one of the four links is meant.
            const double of_links = r["results"]["workloads"][0]["static"]["saturated_one"];
            EXPECT_GT(share, 0.3);
            EXPECT_NEAR(share, 4 * of_links, 1e-6);
        }
        if (kind != "static") { EXPECT_THAT(r["headline"].dump(), ::testing::HasSubstr(said)); }
        // The results, which sweeps read, are the same numbers.
        const json& result = r["results"]["workloads"][0][kind];
        expect_cell(result["time_ms"], end_ps[kind] * 1e-9, "time_ms");
        // Its sums: both directions of a link are never busy at once here, and one is most of the time.
        expect_cell(cell.at("both"), 100 * result["saturated_both"].get<double>(), "both");
        expect_cell(cell.at("one"), 100 * result["saturated_one"].get<double>(), "one");
        expect_cell(result["turns"], s.sum(link + "\\.turns"), "turns");
        expect_cell(result["link_energy_mj"], energy, "link_energy_mj");
        for (const char* where : {"local", "remote"})
            expect_cell(result[std::string(where) + "_requests"],
                        s.sum("many_to_one\\." + kind + "\\.requests\\." + where + "_[a-z]+\\.latency"), where);
    }
}
