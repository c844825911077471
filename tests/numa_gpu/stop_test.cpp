// SPDX-License-Identifier: Apache-2.0
// numa_gpu also reacts to signals while the host makes a workload's data or checks its result.
#include <functional>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "face/held_input.h"
#include "numa_gpu/fixture.h"
#include "numa_gpu/machine_run.h"

using contraflow::test::command;
using contraflow::test::held_input;
using contraflow::test::outcome;
using ::testing::HasSubstr;

TEST_F(numa_gpu, a_limit_ends_the_making_of_data) {
    held_input graph(here_ / "graph.txt");
    command c({NUMA_GPU, small, "--set", "workload={name: bfs, graph: {kind: file, file: graph.txt}}", "--limit-wall",
               "0.3", "--out", "r"},
              here_.path());
    graph.give_once("0 1\n");
    const outcome o = c.wait();
    EXPECT_EQ(o.code, 4) << o.err;
    EXPECT_THAT(o.out, HasSubstr("stopped by --limit-wall 0.3"));
    EXPECT_THAT(o.out, HasSubstr("bfs, static links: stopped while its data was made"));
    EXPECT_EQ(report("r")["results"]["workloads"].size(), 1u);
}

TEST_F(numa_gpu, a_check_that_was_stopped_leaves_what_the_run_measured) {
    using namespace contraflow;
    static std::vector<std::function<void()>> kept;  // with it, what it uses
    contraflow::numa_gpu::run_options options;
    int works = 0;
    options.limits.carry_out = [&works](std::function<void()> work) {
        kept.push_back(std::move(work));
        if (++works == 2) return false;
        kept.back()();
        return true;
    };
    gpu::gpu_spec machine;
    machine.units = 2;
    const auto r = contraflow::numa_gpu::run_machine(machine, workloads::selection("triad"), options);
    EXPECT_FALSE(r.complete());
    EXPECT_EQ(r.stopped_while, "its result was checked");
    EXPECT_GT(r.end.ps, 0u);
    EXPECT_EQ(r.links.size(), 4u);
    EXPECT_GT(r.requests.count(), 0u);
}
