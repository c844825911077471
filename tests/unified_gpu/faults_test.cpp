// SPDX-License-Identifier: Apache-2.0
// The binary's messages, files and exit status when the simulated system fails or makes no progress.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unified_gpu/fixture.h"

using contraflow::test::outcome;
using contraflow::test::read_file;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

namespace {

// Two kernels of two wavefronts; the second kernel has the given body.
std::string program(const std::string& does) {
    return "array x 16384\narray fixed 8192 read_only\narray gone 4096 unmapped\n"
           "kernel first grid 2 block 32\nwave 0 0\nload 4 x 0:4\nwave 1 0\nstore 4 x 8192:4\n"
           "kernel second grid 8 block 32\nwave 0 0\nload 4 fixed 4096:4\nwave 5 0\n" +
           does + "\n";
}

}  // namespace

TEST_F(unified_gpu, a_fault_is_one_line_with_who_what_and_where_and_ends_with_status_1) {
    struct expectation {
        std::string does, said;
    };
    const std::vector<expectation> all{
        {"load 4 gone 0:4",
         "load of 128 bytes at 0x100006000, where nothing is mapped: process 1, GPU 3, unit 1, wavefront 0 of CTA 5 of "
         "kernel 'second'; expected an address that is allocated; the nearest array of process 1 is 0x100004000 to "
         "0x100005fff"},
        {"store 4 x 2 threads 1",
         "store of 4 bytes at 0x100000002, misaligned in thread 0: process 1, GPU 3, unit 1, wavefront 0 of CTA 5 of "
         "kernel 'second'; expected an address that is a multiple of 4"},
        {"atomic add u32 fixed 4096:4",
         "atomic of 128 bytes at 0x100005000, in a page for reading only: process 1, GPU 3, unit 1, wavefront 0 of CTA "
         "5 of kernel 'second'; expected a page that may be written"},
    };
    const std::vector<std::vector<std::string>> machines{
        {}, {"--set", "translation.has_gmmu=true"}, {"--set", "network.kind=pcie"}, {"--set", "memory=discrete"}};
    for (const auto& e : all)
        for (const auto& machine : machines) {
            here_.write("t.txt", program(e.does));
            std::vector<std::string> words{
                small, "--set", "workload={name: trace, file: t.txt}", "--set", "compare=[dca, always]", "--out", "r"};
            words.insert(words.end(), machine.begin(), machine.end());
            const outcome o = run(words);
            ASSERT_EQ(o.code, 1) << o.out << o.err;
            EXPECT_EQ(o.err, "");
            for (const char* policy : {"dca", "always"}) {
                const auto fault = report("r")["results"]["workloads"][0][policy]["fault"].get<std::string>();
                EXPECT_EQ(fault, e.said);
                EXPECT_THAT(unwrapped(o.out), ::testing::ContainsRegex(fmt::format("trace, {}: FAULT at [0-9.]+us: {}",
                                                                                   policy, e.said.substr(0, 60))));
                EXPECT_THAT(unwrapped(o.out), HasSubstr(e.said));
            }
            EXPECT_THAT(here_.names(), ElementsAre("r", "t.txt"));
            EXPECT_THAT(read_file(here_ / "r/manifest.json"), HasSubstr("checks failed"));
        }
}

TEST_F(unified_gpu, a_request_over_pcie_that_is_not_answered_in_time_is_a_fault_that_says_so) {
    const auto with = [](const char* timeout) {
        std::vector<std::string> words{small};
        for (const std::string& w :
             {std::string("network.kind=pcie"), "network.pcie.completion_timeout=" + std::string(timeout),
              std::string("compare=[dca]")}) {
            words.push_back("--set");
            words.push_back(w);
        }
        words.insert(words.end(), {"--out", "r"});
        return words;
    };
    EXPECT_EQ(run(with("1ms")).code, 0);
    const outcome o = run(with("200ns"));
    ASSERT_EQ(o.code, 1) << o.out << o.err;
    const auto fault = report("r")["results"]["workloads"][0]["dca"]["fault"].get<std::string>();
    EXPECT_THAT(fault, HasSubstr("answered with completion timeout from physical address"));
    EXPECT_EQ(fault.find('\n'), std::string::npos);
}

TEST_F(unified_gpu, a_byte_that_changes_in_a_switch_is_a_wrong_result) {
    const outcome o = run({small, "--set", "network.kind=pcie", "--set", "compare=[dca]", "--set",
                           "network.pcie.faults={flips: [{node: switch0, number: 40, byte: 5}]}", "--out", "r"});
    EXPECT_EQ(o.code, 1);
    EXPECT_THAT(o.out, HasSubstr("matmul, dca: WRONG RESULT: c["));
    EXPECT_EQ(report("r")["results"]["workloads"][0]["dca"]["verified"], false);
}

TEST_F(unified_gpu, a_trace_that_must_fail_is_refused_where_nobody_would_notice) {
    here_.write("t.txt", program("store 4 fixed 0:4"));
    const outcome o = run({small, "--set", "workload={name: trace, file: t.txt}", "--set", "compare=[dca]", "--set",
                           "translation.mode=instant", "--out", "r"});
    EXPECT_EQ(o.code, 2) << o.out << o.err;
    EXPECT_THAT(o.err, HasSubstr("error: translation.mode: trace: array 1 of the trace is not for every access"));
    EXPECT_THAT(here_.names(), ElementsAre("t.txt"));
}

TEST_F(unified_gpu, what_is_recorded_is_whole_or_not_there) {
    here_.write("t.txt", program("load 4 gone 0:4"));
    here_.write("kept.cft", "what was there");
    for (const char* file : {"new.cft", "kept.cft"}) {
        const outcome o = run({small, "--set", "workload={name: trace, file: t.txt}", "--record", file});
        EXPECT_EQ(o.code, 1) << o.err;
        EXPECT_THAT(o.out, HasSubstr("no trace was written, because the run did not end"));
    }
    EXPECT_EQ(run({small, "--limit-time", "2us", "--record", "new.cft"}).code, 4);
    EXPECT_EQ(run({small, "--set", "gpu.dram.size=64KiB", "--record", "new.cft"}).code, 2);
    EXPECT_THAT(here_.names(), ElementsAre("kept.cft", "t.txt"));
    EXPECT_EQ(read_file(here_ / "kept.cft"), "what was there");
    for (const char* file : {"no/such.cft", ".", ""}) {
        const outcome o = run({small, "--record", file});
        EXPECT_EQ(o.code, 2) << o.out;
        EXPECT_THAT(o.err, StartsWith("unified_gpu: error: --record")) << file;
    }
    const outcome full = run({small, "--set", "compare=[dca]", "--record", "/dev/full"});
    EXPECT_EQ(full.code, 5) << full.out;
    EXPECT_THAT(full.err, HasSubstr("--record /dev/full: not all of it could be written"));
    // A run without a fault can be recorded, with the rights to its arrays, and its replay has no fault.
    here_.write("t.txt", program("load 4 x 0:4"));
    EXPECT_EQ(run({small, "--set", "workload={name: trace, file: t.txt}", "--record", "kept.cft"}).code, 0);
    EXPECT_EQ(run({small, "--set", "workload={name: trace, file: kept.cft}"}).code, 0);
}

TEST_F(unified_gpu, a_link_that_does_not_come_back_in_time_is_named_with_who_waits_for_whom) {
    const outcome o = run({small, "--set", "network.kind=pcie", "--set",
                           "network.pcie={non_posted_data: 1KiB, non_posted_headers: 16}", "--set",
                           "network.pcie.faults={downgrades: [{node: gpu4, at: 10us, to: gen3 x1, retrain: 5ms}]}",
                           "--set", "watchdog=50us", "--set", "compare=[dca]", "--out", "r"});
    EXPECT_EQ(o.code, 3) << o.out << o.err;
    EXPECT_THAT(o.out, HasSubstr("matmul, dca: no progress: nothing has moved from "));
    EXPECT_THAT(o.out, HasSubstr("gpu1.rdma waits for room in a queue of gpu1.rdma.request_out["));
    EXPECT_THAT(o.out, HasSubstr("pcie.gpu1 waits for answers of pcie.switch0.to_gpu1"));
    // Writes between GPUs are answered, so they lack credits for non-posted requests.
    EXPECT_THAT(o.out, HasSubstr("pcie.root.to_switch0 waits for non-posted data credit of pcie.switch1.up"));
    EXPECT_EQ(report("r")["results"]["workloads"][0]["dca"]["complete"], false);
}

TEST_F(unified_gpu, pages_without_a_free_frame_at_their_receiver_stay_and_the_report_says_so) {
    const outcome o = run({small, "--set", "compare=[dca, always]", "--set", "gpu.dram.size=416KiB", "--out", "r"});
    ASSERT_EQ(o.code, 0) << o.out << o.err;
    const auto run_of = report("r")["results"]["workloads"][0]["always"];
    EXPECT_GT(run_of["migration"]["no_frame"], 0);
    EXPECT_EQ(run_of["verified"], true);
    EXPECT_THAT(unwrapped(o.out),
                HasSubstr(fmt::format("matmul, always: a page that should have moved stayed, and was reached "
                                      "across: {} times no frame was free at the receiver (a larger "
                                      "gpu.dram.size has more)",
                                      run_of["migration"]["no_frame"].get<int>())));
}
