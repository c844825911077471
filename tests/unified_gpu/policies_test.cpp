// SPDX-License-Identifier: Apache-2.0
// The effects of the policies on the same program, as counted in the report.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "unified_gpu/fixture.h"

using contraflow::test::outcome;
using nlohmann::json;

TEST_F(unified_gpu, a_page_that_is_used_by_one_gpu_after_another_settles_with_the_defence) {
    const auto runs = [&](const char* moves, const char* out) {
        const outcome o = run({small, "--set", "compare=[always]", "--set",
                               std::string("migration.when.ping_pong.moves=") + moves, "--out", out});
        EXPECT_EQ(o.code, 0) << o.out << o.err;
        return report(out)["results"]["workloads"][0]["always"];
    };
    const json without = runs("0", "a"), with = runs("2", "b");
    EXPECT_GT(without["migration"]["went_back"], 0);
    EXPECT_EQ(without["migration"]["prevented"], 0);
    EXPECT_GT(with["migration"]["prevented"], 0);
    EXPECT_LT(with["migration"]["moved"], without["migration"]["moved"]);
    EXPECT_LT(with["time_ms"], without["time_ms"]);
}

TEST_F(unified_gpu, pages_move_within_windows_only) {
    const outcome o = run(
        {small, "--set", "compare=[always]", "--set", "migration.when.windows=[{from: 0ns, to: 1ns}]", "--out", "r"});
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    const json m = report("r")["results"]["workloads"][0]["always"]["migration"];
    EXPECT_EQ(m["moved"], 0);
    EXPECT_GT(m["outside_window"], 0);
}

// The vector that all GPUs read. (In a matrix product a page is read by few at a time, and copies cost what moves do.)
TEST_F(unified_gpu, what_is_only_read_is_better_copied_than_moved) {
    const outcome o = run({small, "--set", "compare=[always, duplicate]", "--set", "workload.name=spmv", "--set",
                           "migration.when.policy=always", "--out", "r"});
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    const json runs = report("r")["results"]["workloads"][0];
    EXPECT_GT(runs["duplicate"]["migration"]["copied"], 0);
    EXPECT_LT(runs["duplicate"]["time_ms"], runs["always"]["time_ms"]);
}

TEST_F(unified_gpu, stopping_only_what_touches_a_page_is_faster_than_stopping_its_owner) {
    const auto time = [&](const char* granularity) {
        const outcome o = run({small, "--set", "compare=[always]", "--set",
                               std::string("migration.granularity=") + granularity, "--out", granularity});
        EXPECT_EQ(o.code, 0) << o.out << o.err;
        return report(granularity)["results"]["workloads"][0]["always"]["time_ms"].get<double>();
    };
    EXPECT_LT(time("page"), time("whole"));
}
