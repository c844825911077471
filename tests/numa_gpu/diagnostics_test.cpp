// SPDX-License-Identifier: Apache-2.0
// The positions of numa_gpu's errors: they name the wrong key and an allowed value.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "numa_gpu/fixture.h"

using contraflow::test::outcome;
using ::testing::HasSubstr;

#if defined(__has_feature)
#define CF_HAS_FEATURE(f) __has_feature(f)
#else
#define CF_HAS_FEATURE(f) 0
#endif

TEST_F(numa_gpu, values_that_do_not_go_together_are_shown_at_the_one_that_was_set) {
    struct expectation {
        std::vector<std::string> sets;
        std::string where, allowed;
    };
    const std::string remote = "gpu.coherence=remote_caching";
    const std::vector<expectation> all{
        {{"network.link.propagation=100ns"}, "--set:1:26: error: network.link.propagation: ", "at most 4ns"},
        {{"network.link.lanes.drain=1cycles"}, "--set:1:26: ", "at least 4cycles"},
        {{"network.link.lane_rate=3.3GB/s"}, "--set:1:24: ", "a multiple of 1GB/s"},
        {{"gpu.clock=1.3GHz"}, "--set:1:11: error: gpu.clock: lane_rate 8GB/s is 6.152 bytes", "network.link"},
        {{"network.link.lanes.min_lanes=9"}, "--set:1:30: ", "at most 8"},
        {{"network.link.lanes.min_lanes=3", "network.link.lanes={lanes_per_direction: 2}"},
         "--set:1:30: ",
         "at most 2"},
        {{"network.link.receive_buffer=16B"}, "--set:1:29: ", "at least 24B"},
        {{"network.link.header=1kB", "network.link.receive_buffer=1100B"}, "--set:2:29: ", "at least 1144B"},
        {{"gpu.l1.size=1000B"}, "--set:1:13: ", "a multiple of 8KiB"},
        {{"gpu.l1.ways=3"}, "--set:1:13: ", "allowed: 1, 2, 4, 8, 16, 32, 64\n"},
        {{"gpu.l2.bank.ways=24"}, "--set:1:18: ", "allowed: 1, 2, 4, 8, 16, 32, 64\n"},
        {{"gpu.l1.line=64B"}, "--set:1:13: ", "128B"},
        {{"gpu.l2={bank: {line: 64B}}"}, "--set:1:22: ", "128B"},
        {{"gpu.l1.writes=back"}, "--set:1:15: ", "through"},
        {{"gpu.l1.covers=system"}, "--set:1:15: ", "wavefront, group"},
        {{"gpu.l2.bank.atomics=next"}, "--set:1:21: ", "here"},
        {{remote, "gpu.l2.remote_ways=16"}, "--set:2:20: ", "less than 16"},
        {{remote, "gpu.l2.bank.ways=8"}, "--set:2:18: ", "more than 8"},
        {{remote, "gpu.l2={banks: 1, bank: {size: 2KiB}}", "gpu.rdma_ports=3"}, "--set:3:16: ", "at most 1"},
        {{"gpu.dram.size=8KiB"}, "--set:1:15: ", "at least 64KiB"},
        {{"gpu.dram={channels: 3, hashed: true}"}, "--set:1:21: ", "a power of two"},
        {{"gpu.dram.size=2TiB"}, "--set:1:15: ", "4KiB to 1TiB"},
        {{"gpu.l1.size=64TiB"}, "--set:1:13: ", "32B to 1GiB"},
        {{"gpu.clock=0Hz"}, "--set:1:11: ", "1MHz to 1000GHz"},
        {{"launch.cost=1000000cycles"}, "--set:1:13: ", "at most 250000cycles"},
        {{"launch.cta_interval=10000000000cycles"}, "--set:1:21: ", "0cycles to 1000000000cycles"},
        {{"page_size=5KiB"}, "--set:1:11: ", "4KiB to 2MiB, a power of two"},
        {{"placement=nearest"}, "--set:1:11: ", "first_touch, interleaved"},
        {{"network.kind=mesh", "network.nodes=[2,3]"}, "nodes [2, 3] of a mesh are 6, and there are 4", "product is 4"},
        {{"watchdog=1us"}, "--set:1:10: ", "at least 4us"},
        {{"workload={name: multigrid, grid: 1024, dimensions: 3}"}, "--set:1:34: ", "8 to 645 with 3 dimensions"},
        {{"workload={name: multigrid, grid: 32768}"}, "--set:1:34: ", "8 to 16384"},
        {{"window.from=1s"}, "--set:1:13: error: window.from: the window ends before", "less than 100us"},
    };
    for (const auto& e : all) {
        std::vector<std::string> words{small};
        for (const auto& s : e.sets) words.insert(words.end(), {"--set", s});
        const outcome o = run(words);
        EXPECT_EQ(o.code, 2) << e.sets[0] << "\n" << o.out << o.err;
        EXPECT_THAT(o.err, HasSubstr(e.where));
        EXPECT_THAT(o.err, HasSubstr(e.allowed)) << e.where;
        EXPECT_EQ(o.out, "");
    }
}

TEST_F(numa_gpu, keys_of_earlier_versions_are_answered_with_those_of_today) {
    here_.write("old.yaml", "gpu:\n"
                            "  sockets: 2\n"
                            "  network: {topology: ring}\n"
                            "  pages: {placement: interleaved}\n"
                            "  dispatcher: {launch_cost: 1cycles}\n"
                            "  bridge_ports: 4\n"
                            "  l1: {merges: 4}\n"
                            "  dram: {overtaken: 4, row_cycle: 33ns}\n"
                            "network: {topology: ring, link: {tags_a_header: 3, vcs: 2, lanes: {exchange: 4}}}\n"
                            "workload: {name: triad}\n");
    const outcome o = run({"old.yaml", "--set", "gpu.dispatcher.launch_cost=9cycles", "--set",
                           "gpu.network.topology=ring", "--set", "gpu.pages.page_size=4KiB"});
    EXPECT_EQ(o.code, 2);
    for (const char* answer : {"old.yaml:2:3: error: the key 'gpu.sockets' is called 'gpus' now",
                               "old.yaml:3:3: error: the key 'gpu.network' is called 'network' now",
                               "old.yaml:4:3: error: the key 'gpu.pages' is called 'page_size', 'placement' now",
                               "old.yaml:5:3: error: the key 'gpu.dispatcher' is called 'launch' now",
                               "old.yaml:6:3: error: the key 'bridge_ports' in gpu is called 'rdma_ports' now",
                               "old.yaml:7:8: error: the key 'merges' in gpu.l1 is called 'mshr_targets' now",
                               "old.yaml:8:10: error: the key 'overtaken' in gpu.dram is called 'row_hit_cap' now",
                               "old.yaml:8:24: error: the key 'row_cycle' in gpu.dram is called 'row_active' now",
                               "the key 'vcs' in network.link is gone: a network has as many virtual channels as",
                               "old.yaml:9:11: error: the key 'topology' in network is called 'kind' now",
                               "the key 'tags_a_header' in network.link is called 'ack_coalescing' now",
                               "the key 'exchange' in network.link.lanes is called 'sync_latency' now",
                               "--set:1:5: error: the key 'gpu.dispatcher.launch_cost' is called 'launch.cost' now",
                               "--set:2:5: error: the key 'gpu.network.topology' is called 'network.kind' now",
                               "--set:3:5: error: the key 'gpu.pages.page_size' is called 'page_size' now"})
        EXPECT_THAT(o.err, HasSubstr(answer));
}

TEST_F(numa_gpu, all_of_a_file_at_once_each_at_its_line) {
    here_.write("mine.yaml", "gpu:\n"
                             "  l1:\n"
                             "    size: 1000B\n"
                             "network:\n"
                             "  link: {propagation: 100ns,\n"
                             "         lanes: {lanes_per_direction: 2, min_lanes: 3}}\n"
                             "workload: {name: triad}\n"
                             "window: {to: 1us}\n");
    const outcome o = run({"mine.yaml", "--set", "window.from=2us"});
    EXPECT_EQ(o.code, 2);
    for (const char* where : {"mine.yaml:3:11: error: gpu.l1.size: ", "mine.yaml:5:23: error: network.link.propag",
                              "mine.yaml:6:53: error: network.link.lanes.min_lanes: ", "--set:1:13: error: window"})
        EXPECT_THAT(o.err, HasSubstr(where));
}

TEST_F(numa_gpu, a_machine_too_small_for_its_workload_is_bad_input_and_what_is_said_to_do_does) {
    struct expectation {
        std::string key, too_small, enough, where;
    };
    const std::vector<expectation> all{
        {"gpu.dram.size", "960KiB", "1MiB", "--set:1:15: error: gpu.dram.size: transpose takes 4MiB"},
        {"gpu.unit.scratchpad", "0B", "8KiB", "--set:1:21: error: gpu.unit.scratchpad: transpose, kernel transpose"},
        {"gpu.unit.wave_slots", "1", "8", "--set:1:21: error: gpu.unit.wave_slots: transpose, kernel initialise"},
    };
    for (const auto& e : all) {
        const outcome refused = run({small, "--set", e.key + "=" + e.too_small, "--out", "r"});
        EXPECT_EQ(refused.code, 2) << refused.err;
        EXPECT_THAT(refused.err, HasSubstr(e.where));
        EXPECT_THAT(refused.err, HasSubstr("allowed: at least " + e.enough + "\n"));
        EXPECT_EQ(refused.out, "");
        EXPECT_EQ(here_.names(), std::vector<std::string>{}) << "no run directory";
        const outcome runs = run({small, "--set", e.key + "=" + e.enough, "--set", "compare=[static]"});
        EXPECT_EQ(runs.code, 0) << runs.err;
    }
}

TEST_F(numa_gpu, a_workload_too_large_for_the_machine_is_shown_where_it_is_chosen) {
    const outcome o = run({small, "--set", "workload={name: matmul, n: 32768}"});
    EXPECT_EQ(o.code, 2);
    EXPECT_THAT(o.err, HasSubstr("--set:1:10: error: workload: matmul takes 24GiB"));
    EXPECT_THAT(o.err, HasSubstr("allowed: smaller parameters, or gpu.dram.size: 6GiB\n"));
}

#if !CF_HAS_FEATURE(address_sanitizer)  // its own memory is beyond any limit
TEST_F(numa_gpu, memory_that_this_computer_has_not_is_bad_input) {
    const outcome o = contraflow::test::command({NUMA_GPU, small, "--set", "gpu.l2.bank.size=1GiB"}, here_.path(), [] {
                          const rlimit limit{1u << 30, 1u << 30};
                          ::setrlimit(RLIMIT_AS, &limit);
                      }).wait();
    EXPECT_EQ(o.code, 2) << o.out;
    EXPECT_THAT(o.err, HasSubstr("--set:1:18: error: gpu.l2.bank.size: this computer has not enough memory"));
}
#endif
