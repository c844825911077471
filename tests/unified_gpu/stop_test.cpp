// SPDX-License-Identifier: Apache-2.0
// unified_gpu reacts to signals during the run and while the host makes a workload's data, and keeps earlier results.
#include <chrono>
#include <csignal>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unified_gpu/fixture.h"

using contraflow::test::command;
using contraflow::test::outcome;
using ::testing::HasSubstr;

TEST_F(unified_gpu, a_limit_of_simulated_time_leaves_what_was_measured) {
    const outcome o = run({small, "--limit-time", "6us", "--out", "r"});
    EXPECT_EQ(o.code, 4) << o.err;
    EXPECT_THAT(o.out, HasSubstr("matmul, one_gpu: stopped at 6us"));
    EXPECT_EQ(report("r")["results"]["workloads"][0]["one_gpu"]["complete"], false);
}

TEST_F(unified_gpu, a_limit_ends_the_making_of_data) {
    const outcome o = run({small, "--set", "workload={name: bfs, graph: {kind: rmat, scale: 22, edge_factor: 64}}",
                           "--limit-wall", "0.3", "--out", "r"});
    EXPECT_EQ(o.code, 4) << o.err;
    EXPECT_THAT(o.out, HasSubstr("bfs, one_gpu: stopped while its data was made"));
}

TEST_F(unified_gpu, ctrl_c_leaves_a_report) {
    command c({UNIFIED_GPU, small, "--set", "workload={name: matmul, n: 1024}", "--out", "r"}, here_.path());
    std::this_thread::sleep_for(std::chrono::milliseconds(700));
    c.send(SIGINT);
    const outcome o = c.wait();
    EXPECT_EQ(o.code, 4) << o.err;
    EXPECT_EQ(report("r")["results"]["workloads"].size(), 1u);
}
