// SPDX-License-Identifier: Apache-2.0
// The positions of unified_gpu's errors: they name the wrong key and an allowed value.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unified_gpu/fixture.h"

using contraflow::test::outcome;
using ::testing::HasSubstr;

// As pcie_tree offers them for an export with a matrix of NVLink's rates.
TEST_F(unified_gpu, links_of_another_machine_are_given_by_four_options) {
    const outcome o =
        run({small, "--set", "gpus=8", "--set", "network.kind=switch", "--set",
             "network.link.lanes.lanes_per_direction=15", "--set", "network.link.lane_rate=20GB/s", "--print-config"});
    EXPECT_EQ(o.code, 0) << o.err;
}

TEST_F(unified_gpu, what_is_wrong_is_shown_where_it_stands) {
    struct expectation {
        std::vector<std::string> sets;
        std::string where, allowed;
    };
    const std::vector<expectation> all{
        {{"gpus=0"}, "--set:1:6: error: gpus", "1 to 16"},
        {{"gpsu=4"}, "--set:1:1: error: unknown key", "did you mean 'gpus'"},
        {{"network.kind=swtich"}, "--set:1:14: error: network.kind", "did you mean 'switch'"},
        {{"network={kind: mesh, nodes: [3]}"},
         "error: network.nodes: nodes [3] of a mesh are 3, and there are 4 GPUs",
         "whose product is 4"},
        {{"network={kind: mesh, mesh_columns: 2}"},
         "'mesh_columns' in network is called 'nodes' now",
         "write 'nodes', a list such as [2, 2]"},
        {{"network.topology=mesh"}, "the key 'topology' in network is called 'kind' now", "write 'kind'"},
        {{"network={kind: pcie, nodes: [2, 2]}"},
         "network.nodes: nodes [2, 2] would be those of a mesh or torus, and the network is a PCIe tree",
         "allowed: none"},
        {{"network.kind=all_pairs"},
         "error: network.kind: 'all_pairs' is called 'fully_connected' now",
         "write 'fully_connected'"},
        {{"counters={window: 1us}"}, "the key 'counters' is called 'access_counters' now", "write 'access_counters'"},
        {{"network.link.lane_rate=3.3GB/s"}, "error: network.link.lane_rate", "a multiple of 1GB/s"},
        {{"network={kind: pcie, pcie: {link: gen9 x16}}"}, "error: network.pcie.link", "a generation from 1 to 6"},
        {{"network={kind: pcie, pcie: {faults: {downgrades: [{node: gpu5, at: 10us}]}}}"},
         "--set:1:58: error: network.pcie.faults.downgrades[0].node: no PCIe link above 'gpu5' (did you mean 'gpu1'?)",
         "allowed: switch0, gpu1, gpu2, switch1, gpu3, gpu4, host"},
        {{"network={kind: pcie, pcie: {faults: {downgrades: [{node: root}]}}}"}, "no PCIe link above 'root'", "gpu4"},
        {{"network={kind: pcie, pcie: {faults: {downgrades: [{node: ''}]}}}"}, "no PCIe link above ''", "gpu4"},
        {{"network={kind: pcie, pcie: {faults: {downgrades: [{node: gpu4, to: gen5 x16}]}}}"},
         "'gen5 x16' is more than the link above 'gpu4' has by then (gen4 x16)",
         "at most gen4 x16"},
        {{"network={kind: pcie, pcie: {faults: {corrupt: [{port: gpu0.up}]}}}"},
         "error: network.pcie.faults.corrupt[0].port: no port 'gpu0.up'",
         "no port 'gpu0.up' (did you mean 'gpu1.up'?)"},
        {{"network={kind: pcie, pcie: {faults: {corrupt: [{port: gpu1}]}}}"}, "no port 'gpu1'", "NODE.up or NODE.down"},
        {{"page_size=8KiB"}, "--set:1:11: error: page_size", "4KiB, 64KiB or 2MiB"},
        {{"gpu.l1.line=64B"}, "--set:1:13: error: gpu.l1.line", "128B"},
        {{"compare=[dca, dca]"}, "--set:1:15: error: dca twice", ""},
        {{"compare=[]"}, "error: there is nothing to compare", ""},
        {{"compare=[dca, migrte]"}, "--set:1:15: error: ", "did you mean 'migrate'"},
        {{"translation.mode=instant"}, "error: translation.mode: migrate moves pages", "timed"},
        {{"migration.when.policy=never"}, "error: migration.when.policy: migrate moves pages", "access_count"},
        {{"migration.when.windows=[{to: 1us}, {from: 2us, to: 1us}]"},
         "error: migration.when.windows[1].to: the window does not end after it begins: from 2us to 1us",
         "allowed: more than 2us"},
        {{"migration.when.windows=[{to: 0us}]"}, "error: migration.when.windows[0].to: ", "allowed: more than 0"},
        {{"migration.when.windows=[{from: 18446744073709551615ps}]"},
         "error: migration.when.windows[0].from: ",
         "allowed: less than 18446744073709551615ps"},
        {{"migration.read_duplication=true", "compare=[dca, access_count]"},
         "error: migration.read_duplication: pages are copied when a GPU first comes upon them",
         "allowed: false"},
        {{"members=[1, 5]"}, "--set:1:13: error: there is no GPU 5", "1 to 4"},
        {{"members=[2, 2]"}, "--set:1:13: error: GPU 2 twice", ""},
        {{"watchdog=1us"}, "error: watchdog", "at least 4us"},
        {{"window.from=1s"}, "--set:1:13: error: window.from: the window ends before", "less than 100us"},
        {{"workload.name=matmull"}, "did you mean 'matmul'", ""},
        {{"workload.n=100"}, "error: workload.n", "a multiple of 32"},
        {{"also=[pagerank]", "also_set=[pagerank.graph.scle=3]"}, "has no parameter 'graph.scle'", "iterations"},
        {{"also=[pagerank]", "also_set=[pagernk.iterations=3]"}, "'pagernk' is not one of", "did you mean 'pagerank'"},
        {{"also=[matmul]"}, "--set:1:7: error: matmul twice", "each workload once"},
        {{"also=[relu, relu]"}, "--set:1:13: error: relu twice", "each workload once"},
        {{"iommu.walks.latency=1000000cycles"},
         "error: iommu.walks.latency: a run would stop after 500us",
         "at most 250000cycles"},
        {{"also=[pagerank]", "also_set=[iterations]"}, "is no parameter of a workload", "pagerank.iterations=2"},
        {{"workload={name: trace, file: none.cft}"}, "none.cft", ""},
        {{"gpu.dram.size=64KiB"},
         "--set:1:15: error: gpu.dram.size: matmul: an array takes 512KiB of GPU 1",
         "at least 512KiB"},
        {{"host_memory.dram.size=12KiB"},
         "--set:1:23: error: host_memory.dram.size: the host's memory",
         "at least 16KiB"},
        {{"host_memory.dram.size=16KiB", "workload.n=512"},
         "--set:1:23: error: host_memory.dram.size: matmul: the page tables do not fit into the host's memory",
         "more than 16KiB"},
        {{"gpu.unit.wave_slots=4"}, "--set:1:21: error: gpu.unit.wave_slots: matmul, kernel", "at least 8"},
    };
    for (const auto& e : all) {
        std::vector<std::string> words{small};
        for (const auto& s : e.sets) words.insert(words.end(), {"--set", s});
        const outcome o = run(words);
        EXPECT_EQ(o.code, 2) << e.sets[0] << "\n" << o.out << o.err;
        EXPECT_THAT(o.err, HasSubstr(e.where)) << e.sets[0];
        EXPECT_THAT(o.err, HasSubstr(e.allowed)) << e.sets[0];
        EXPECT_EQ(o.out, "") << e.sets[0];
    }
}

TEST_F(unified_gpu, lists_of_gpus_on_the_command_line_are_checked_as_they_are_typed) {
    const std::vector<std::pair<std::string, std::string>> all{
        {"0", "--gpus 0: there is no GPU 0; GPUs 1 to 4 are allowed, each once, such as --gpus 1,2"},
        {"1,9", "--gpus 1,9: there is no GPU 9; GPUs 1 to 4"},
        {"2,2", "--gpus 2,2: GPU 2 twice; GPUs 1 to 4"},
        {"1,x", "--gpus 1,x: 'x' is no GPU's number; GPUs 1 to 4"},
        {"1,,2", "--gpus 1,,2: '' is no GPU's number; GPUs 1 to 4"},
        {"", "--gpus \"\": '' is no GPU's number; GPUs 1 to 4"},
        {"99999999999", "--gpus 99999999999: '99999999999' is no GPU's number; GPUs 1 to 4"}};
    for (const auto& [list, said] : all) {
        const outcome o = run({"--gpus", list, small});
        EXPECT_EQ(o.code, 2) << list;
        EXPECT_THAT(o.err, ::testing::StartsWith("unified_gpu: error: " + said));
        EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
    }
    EXPECT_EQ(run({"--gpus", "1,2", small, "--limit-time", "2us"}).code, 4);  // the file is not one of them
    EXPECT_THAT(run({"--gpus", "1,2", small, "--set", "execution=one"}).err,
                ::testing::StartsWith("--set:1:11: error: --gpus says what execution is\n"));
    const outcome none = run({"no.yaml"});
    EXPECT_EQ(none.err, "no.yaml: error: there is no such file\n");
}

TEST_F(unified_gpu, the_names_of_results_are_told_before_a_run) {
    expect_results_told({small, "--set", "workload.n=64", "--set", "compare=[one_gpu, dca, always]"});
}
