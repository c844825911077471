// SPDX-License-Identifier: Apache-2.0
// The output of --out: the files, the same bytes for the same inputs, and a configuration that repeats the run.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "command.h"
#include "face/run/run_files.h"
#include "face/run/sha256.h"

namespace face = contraflow::face;
namespace test = contraflow::test;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

namespace {

test::outcome run(const test::scratch& dir, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), TINY_PLATFORM);
    return test::command(std::move(arguments), dir.path()).wait();
}

nlohmann::json manifest(const test::scratch& dir, const std::string& name) {
    return nlohmann::json::parse(test::read_file(dir / name / "manifest.json"));
}

}  // namespace

TEST(run_files, a_run_leaves_all_of_them_and_says_where) {
    const test::scratch dir;
    const test::outcome o = run(dir, {"--out", "runs/a", "--trace", "--wave", "vcd"});
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_THAT(o.out, EndsWith("\nreport: runs/a/report.html\n"));
    EXPECT_THAT(dir.names(), ElementsAre("runs"));
    const nlohmann::json m = manifest(dir, "runs/a");
    EXPECT_EQ(m["files"].dump(), R"(["config.yaml","extra.json","report.html","report.json","stats.csv",)"
                                 R"("summary.txt","trace.json","waves.gtkw","waves.vcd"])");
    for (const nlohmann::json& file : m["files"]) {
        EXPECT_GT(test::read_file(dir / "runs/a" / file.get<std::string>()).size(), 0u) << file;
    }
    EXPECT_EQ(o.out, test::read_file(dir / "runs/a/summary.txt") + "report: runs/a/report.html\n");
    EXPECT_TRUE(nlohmann::json::accept(test::read_file(dir / "runs/a/trace.json")));
    EXPECT_THAT(test::read_file(dir / "runs/a/waves.gtkw"), HasSubstr("waves.vcd"));
}

TEST(run_files, a_saved_page_tells_its_origin_and_report_json_only_the_results) {
    const test::scratch dir;
    dir.write("c.yaml", "packets: 5\n");
    run(dir, {"c.yaml", "--seed", "3", "--jobs", "2", "--out", "a"});
    const std::string page = test::read_file(dir / "a/report.html");
    EXPECT_THAT(page, HasSubstr(R"("origin":{"command":"tiny c.yaml --seed 3","configuration":"c.yaml, SHA-256 )" +
                                face::sha256("packets: 5\n") + R"(","seed":"3","version":")"));
    EXPECT_THAT(page, ::testing::ContainsRegex("\"version\":\"[0-9.]+ of 20[0-9-]+, commit [0-9a-f]+"));
    EXPECT_FALSE(nlohmann::json::parse(test::read_file(dir / "a/report.json")).contains("origin"));
}

TEST(run_files, the_manifest_tells_what_ran_where_and_how) {
    const test::scratch dir;
    dir.write("c.yaml", "packets: 5\n");
    run(dir, {"c.yaml", "--seed", "3", "--jobs", "2", "--out", "a"});
    const nlohmann::json m = manifest(dir, "a");
    EXPECT_EQ(m["schema"], "contraflow-manifest/1");
    EXPECT_EQ(m["platform"], "tiny");
    EXPECT_EQ(m["exit"].dump(), R"({"code":0,"reason":"finished"})");
    EXPECT_EQ(m["command"][1], "c.yaml");
    EXPECT_EQ(m["directory"], dir.path().string());
    EXPECT_EQ(m["config"]["file"], "c.yaml");
    EXPECT_EQ(m["config"]["sha256"], face::sha256("packets: 5\n"));
    EXPECT_EQ(m["binary"]["sha256"], face::sha256_of_file(TINY_PLATFORM));
    EXPECT_EQ(m["seed"], 3);
    EXPECT_EQ(m["jobs"], 2);
    EXPECT_EQ(m["callbacks"], 1234);
    EXPECT_GE(m["wall_seconds"].get<double>(), 0);
    EXPECT_EQ(m["started"].get<std::string>().size(), std::string("2026-01-01T00:00:00Z").size());
    for (const char* tool : {"compiler", "systemc", "fmt"}) EXPECT_NE(m["build"]["tools"][tool], "") << tool;
    EXPECT_TRUE(m["build"]["git"]["dirty"].is_boolean());
    EXPECT_NE(m["host"]["name"], "");
    const std::string page = test::read_file(RUN_DIRECTORY_PAGE);
    for (const auto& [field, value] : m.items()) EXPECT_THAT(page, HasSubstr("`" + field + "`")) << "not documented";
}

TEST(run_files, the_same_inputs_give_the_same_bytes) {
    const test::scratch dir;
    run(dir, {"--seed", "5", "--out", "a", "--jobs", "1"});
    run(dir, {"--seed", "5", "--out", "else/where", "--jobs", "2", "--quiet"});
    for (const char* file : {"report.json", "stats.csv", "config.yaml", "summary.txt", "report.html"}) {
        EXPECT_EQ(test::read_file(dir / "a" / file), test::read_file(dir / "else/where" / file)) << file;
    }
    run(dir, {"--seed", "6", "--out", "b"});
    EXPECT_NE(test::read_file(dir / "a/report.json"), test::read_file(dir / "b/report.json"));
}

TEST(run_files, the_configuration_left_behind_repeats_the_run) {
    const test::scratch dir;
    dir.write("c.yaml", "packets: 5\nlink: {width: 8}\n");
    run(dir, {"c.yaml", "--set", "link.packet=1KiB", "--seed", "11", "--out", "a"});
    const std::string config = test::read_file(dir / "a/config.yaml");
    EXPECT_THAT(config, HasSubstr("# From: c.yaml --set link.packet=1KiB --seed 11\n"));
    EXPECT_THAT(config, HasSubstr("\nseed: 11 "));
    EXPECT_EQ(run(dir, {"a/config.yaml", "--out", "b"}).code, 0);
    for (const char* file : {"report.json", "stats.csv", "summary.txt"}) {
        EXPECT_EQ(test::read_file(dir / "a" / file), test::read_file(dir / "b" / file)) << file;
    }
}

TEST(run_files, the_comment_cannot_be_broken_out_of) {
    const test::scratch dir;
    EXPECT_EQ(run(dir, {"--cases", "x\npackets: 3", "--out", "a"}).code, 0);
    EXPECT_THAT(test::read_file(dir / "a/config.yaml"), HasSubstr("# From: --cases 'x packets: 3'\n"));
    EXPECT_EQ(run(dir, {"a/config.yaml"}).code, 0);
}

TEST(run_files, an_earlier_run_is_replaced_and_anything_else_refused) {
    const test::scratch dir;
    run(dir, {"--out", "a", "--trace"});
    EXPECT_EQ(run(dir, {"--out", "a"}).code, 0);
    EXPECT_EQ(manifest(dir, "a")["files"].size(), 6u) << "trace.json of the earlier run is gone";
    dir.write("mine/thesis.tex", "years of work");
    const test::outcome refused = run(dir, {"--out", "mine"});
    EXPECT_EQ(refused.code, 2);
    EXPECT_EQ(refused.err, "tiny: error: --out mine: the directory exists and it is not a run directory; choose "
                           "another name, or --force to keep it as mine.old-1\n");
    EXPECT_EQ(refused.out, "");
    EXPECT_EQ(run(dir, {"--out", "mine", "--force"}).code, 0);
    EXPECT_THAT(dir.names(), ElementsAre("a", "mine", "mine.old-1"));
}

TEST(run_files, what_fails_leaves_nothing_and_what_ends_badly_leaves_its_report) {
    const test::scratch dir;
    EXPECT_EQ(run(dir, {"--set", "end=crash", "--out", "x/a"}).code, 5);
    EXPECT_EQ(run(dir, {"--set", "packets=13", "--out", "x/a"}).code, 2);
    EXPECT_TRUE(dir.names().empty());
    EXPECT_EQ(run(dir, {"--set", "end=lose_one", "--out", "lost"}).code, 1);
    EXPECT_EQ(manifest(dir, "lost")["exit"]["reason"], "conservation failed");
    EXPECT_EQ(run(dir, {"--set", "end=no_progress", "--out", "stuck"}).code, 3);
    EXPECT_EQ(manifest(dir, "stuck")["exit"]["reason"], "no progress");
}

TEST(run_files, statistics_are_quoted_as_csv_wants_it) {
    EXPECT_EQ(face::stats_csv({{"a.b", "p50", "ns", "text", 0.1}, {"c,\"d\"", "count", "TLPs", "text", 3}}),
              "path,metric,unit,value\na.b,p50,ns,0.1\n\"c,\"\"d\"\"\",count,TLPs,3\n");
}
