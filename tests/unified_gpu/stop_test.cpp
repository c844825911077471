// SPDX-License-Identifier: Apache-2.0
// unified_gpu reacts to signals during the run and while the host makes a workload's data, and keeps earlier results.
#include <csignal>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "face/held_input.h"
#include "unified_gpu/fixture.h"

using contraflow::test::command;
using contraflow::test::held_input;
using contraflow::test::outcome;
using ::testing::HasSubstr;

namespace {

const std::string held_graph = "workload={name: bfs, graph: {kind: file, file: graph.txt}}";

}  // namespace

TEST_F(unified_gpu, a_limit_of_simulated_time_leaves_what_was_measured) {
    const outcome o = run({small, "--limit-time", "6us", "--out", "r"});
    EXPECT_EQ(o.code, 4) << o.err;
    EXPECT_THAT(o.out, HasSubstr("matmul, one_gpu: stopped at 6us"));
    EXPECT_EQ(report("r")["results"]["workloads"][0]["one_gpu"]["complete"], false);
}

TEST_F(unified_gpu, a_limit_ends_the_making_of_data) {
    held_input graph(here_ / "graph.txt");
    command c({UNIFIED_GPU, small, "--set", held_graph, "--limit-wall", "0.3", "--out", "r"}, here_.path());
    graph.give_once("0 1\n");
    const outcome o = c.wait();
    EXPECT_EQ(o.code, 4) << o.err;
    EXPECT_THAT(o.out, HasSubstr("bfs, one_gpu: stopped while its data was made"));
}

TEST_F(unified_gpu, ctrl_c_ends_the_making_of_data) {
    held_input graph(here_ / "graph.txt");
    command c({UNIFIED_GPU, small, "--set", held_graph, "--out", "r"}, here_.path());
    graph.give_once("0 1\n");
    graph.wait_for_second_reader();
    c.send(SIGINT);
    const outcome o = c.wait();
    EXPECT_EQ(o.code, 4) << o.err;
    EXPECT_THAT(o.out, HasSubstr("bfs, one_gpu: stopped while its data was made"));
}

// The program writes what it records into a pipe. The pipe holds less than the run records, so the run has begun when
// something comes out, and has not ended while nothing is taken.
TEST_F(unified_gpu, ctrl_c_leaves_a_report) {
    ASSERT_EQ(::mkfifo((here_ / "recorded").c_str(), 0600), 0);
    command c({UNIFIED_GPU, small, "--set", "workload={name: matmul, n: 1024}", "--record", "recorded", "--out", "r"},
              here_.path());
    const int recorded = ::open((here_ / "recorded").c_str(), O_RDONLY);
    ASSERT_GE(recorded, 0);
    char some[4096];
    ASSERT_GT(::read(recorded, some, sizeof some), 0);
    c.send(SIGINT);
    while (::read(recorded, some, sizeof some) > 0) {}
    ::close(recorded);
    const outcome o = c.wait();
    EXPECT_EQ(o.code, 4) << o.err;
    EXPECT_THAT(o.out, HasSubstr("matmul, one_gpu: stopped at "));
    const auto workloads = report("r")["results"]["workloads"];
    ASSERT_EQ(workloads.size(), 1u);
    EXPECT_EQ(workloads[0]["one_gpu"]["complete"], false);
}
