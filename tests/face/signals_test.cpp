// SPDX-License-Identifier: Apache-2.0
// Signals, limits, and a machine that refuses: a closed pipe, a full disk.
#include <algorithm>
#include <csignal>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "command.h"

namespace test = contraflow::test;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace {

const std::vector<std::string> endless{TINY_PLATFORM, "--set", "end=run_on", "--out", "a/run"};

std::string exit_reason(const test::scratch& dir) {
    return nlohmann::json::parse(test::read_file(dir / "a/run/manifest.json"))["exit"]["reason"];
}

void to_full_device() { ::dup2(::open("/dev/full", O_WRONLY), STDOUT_FILENO); }

}  // namespace

TEST(signals, the_first_ends_the_run_with_partial_results) {
    for (const auto& [signal, name] : {std::pair{SIGINT, "SIGINT"}, std::pair{SIGTERM, "SIGTERM"}}) {
        const test::scratch dir;
        test::command run(endless, dir.path());
        ASSERT_TRUE(run.wait_for("running"));
        run.send(signal);
        const test::outcome o = run.wait();
        EXPECT_EQ(o.code, 4);
        EXPECT_EQ(o.err, "tiny: stopping with partial results; once more to leave at once\n");
        EXPECT_THAT(o.out, HasSubstr(std::string("Partial results: stopped by ") + name + ".\n"));
        EXPECT_THAT(o.out, HasSubstr("\nwarning: the run was stopped by"));
        EXPECT_EQ(exit_reason(dir), std::string("stopped by ") + name);
    }
}

TEST(signals, work_that_does_not_listen_is_left_behind) {
    const test::scratch dir;
    const std::vector<std::string> words{TINY_PLATFORM, "--set", "end=hard_at_work", "--out", "a/run"};
    test::command run(words, dir.path());
    ASSERT_TRUE(run.wait_for("running"));
    run.send(SIGINT);
    const test::outcome o = run.wait();
    EXPECT_EQ(o.code, 4);
    EXPECT_THAT(o.out, HasSubstr("Partial results: stopped by SIGINT.\n"));
    EXPECT_THAT(o.out, HasSubstr("report: a/run/report.html\n"));
    EXPECT_EQ(exit_reason(dir), "stopped by SIGINT");

    const test::scratch other;
    std::vector<std::string> limited = words;
    limited.insert(limited.end(), {"--limit-wall", "0.1"});
    EXPECT_EQ(test::command(limited, other.path()).wait().code, 4);
    EXPECT_EQ(exit_reason(other), "stopped by --limit-wall 0.1");
}

TEST(signals, the_second_leaves_at_once_and_nothing_behind) {
    const test::scratch dir;
    test::command run({TINY_PLATFORM, "--set", "end=deaf", "--out", "a/run"}, dir.path());
    ASSERT_TRUE(run.wait_for("running"));
    run.send(SIGINT);
    ASSERT_TRUE(run.wait_for("once more"));
    run.send(SIGINT);
    EXPECT_EQ(run.wait().code, 4);
    EXPECT_THAT(dir.names(), IsEmpty());
}

TEST(signals, a_script_that_ignores_them_in_the_background_still_gets_through) {
    const test::scratch dir;
    test::command run(endless, dir.path(), [] { std::signal(SIGINT, SIG_IGN); });
    ASSERT_TRUE(run.wait_for("running"));
    run.send(SIGINT);
    EXPECT_EQ(run.wait().code, 4);
}

TEST(limits, the_wall_clock_ends_a_run_with_partial_results) {
    const test::scratch dir;
    std::vector<std::string> words = endless;
    words.insert(words.end(), {"--limit-wall", "0.1"});
    const test::outcome o = test::command(words, dir.path()).wait();
    EXPECT_EQ(o.code, 4);
    EXPECT_EQ(exit_reason(dir), "stopped by --limit-wall 0.1");
    EXPECT_THAT(o.out, HasSubstr("Partial results: stopped by --limit-wall 0.1.\n"));
}

TEST(limits, simulated_time_is_named_when_it_ended_the_run) {
    const test::scratch dir;
    test::command run({TINY_PLATFORM, "--set", "end=time_up", "--limit-time", "2us", "--out", "a/run"}, dir.path());
    EXPECT_EQ(run.wait().code, 4);
    EXPECT_EQ(exit_reason(dir), "stopped by --limit-time 2us");
}

TEST(signals, before_the_run_end_the_program_at_once_with_status_4) {
    const test::scratch dir;
    ASSERT_EQ(::mkfifo((dir / "slow.yaml").c_str(), 0600), 0);
    test::command run({TINY_PLATFORM, "slow.yaml", "--out", "run"}, dir.path());
    const int writer = ::open((dir / "slow.yaml").c_str(), O_WRONLY);  // returns when the program opens it too
    ASSERT_GE(writer, 0);
    run.send(SIGINT);
    const test::outcome o = run.wait();
    ::close(writer);
    EXPECT_EQ(o.code, 4);
    EXPECT_EQ(o.err, "tiny: stopped before the run began\n");
    EXPECT_EQ(dir.names(), std::vector<std::string>{"slow.yaml"});
}

TEST(limits, one_that_was_not_reached_changes_nothing) {
    const test::scratch dir;
    EXPECT_EQ(test::command({TINY_PLATFORM, "--limit-wall", "100", "--limit-time", "1s"}, dir.path()).wait().code, 0);
}

TEST(machine, a_closed_pipe_is_no_error) {
    const test::scratch dir;
    test::command run({TINY_PLATFORM, "--out", "run"}, dir.path(), [] {
        int ends[2];
        if (::pipe(ends) != 0) ::_exit(126);
        ::close(ends[0]);
        ::dup2(ends[1], STDOUT_FILENO);
    });
    const test::outcome o = run.wait();
    EXPECT_EQ(o.code, 0);
    EXPECT_EQ(o.err, "");
    EXPECT_TRUE(std::filesystem::exists(dir / "run/report.json"));
}

TEST(machine, a_full_disk_behind_standard_output_is_one_line) {
    const test::scratch dir;
    for (const char* option : {"--print-config", "--help", "--quiet"}) {
        const test::outcome o = test::command({TINY_PLATFORM, option}, dir.path(), to_full_device).wait();
        EXPECT_EQ(o.code, 5) << option;
        EXPECT_EQ(o.err, "tiny: error: cannot write to standard output: No space left on device\n") << option;
    }
}

TEST(machine, a_full_disk_behind_the_run_directory_leaves_nothing) {
    const test::scratch dir;
    test::command run({TINY_PLATFORM, "--out", "a/run"}, dir.path(), [] {
        const rlimit most{1000, 1000};  // bytes a file: too little for the report
        ::setrlimit(RLIMIT_FSIZE, &most);
    });
    const test::outcome o = run.wait();
    EXPECT_EQ(o.code, 5);
    EXPECT_THAT(o.err, HasSubstr("tiny: error: cannot write "));
    EXPECT_THAT(o.err, HasSubstr("File too large"));
    EXPECT_THAT(dir.names(), IsEmpty());
}

TEST(machine, a_mapped_file_that_cannot_grow_is_a_full_disk_and_leaves_nothing) {
    const test::scratch dir;
    const test::outcome o = test::command({TINY_PLATFORM, "--set", "end=no_room", "--out", "a/run"}, dir.path()).wait();
    EXPECT_EQ(o.code, 5);
    EXPECT_EQ(o.err, "tiny: error: a file cannot be written: No space left on device\n");
    EXPECT_THAT(dir.names(), IsEmpty());
}

// SIGBUS has other causes, of which the run says nothing that it does not know.
TEST(machine, a_bus_error_of_another_cause_ends_the_process) {
    const test::scratch dir;
    test::command run(endless, dir.path());
    ASSERT_TRUE(run.wait_for("running"));
    run.send(SIGBUS);
    const test::outcome o = run.wait();
    EXPECT_EQ(o.code, 128 + SIGBUS);
    EXPECT_EQ(o.err, "");
}

TEST(machine, a_directory_that_cannot_be_made_is_one_line) {
    const test::scratch dir;
    dir.write("file", "");
    const test::outcome o = test::command({TINY_PLATFORM, "--out", "file/run"}, dir.path()).wait();
    EXPECT_EQ(o.code, 2);
    EXPECT_THAT(o.err, HasSubstr("tiny: error: "));
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1);
}

TEST(machine, closed_standard_streams_do_not_become_our_files) {
    const test::scratch dir;
    test::command run({TINY_PLATFORM, "--out", "run"}, dir.path(), [] {
        ::close(STDIN_FILENO);
        ::close(STDOUT_FILENO);
    });
    const test::outcome o = run.wait();
    EXPECT_EQ(o.code, 5);
    EXPECT_EQ(o.err, "tiny: error: cannot write to standard output: Bad file descriptor\n");
    EXPECT_TRUE(nlohmann::json::accept(test::read_file(dir / "run/manifest.json")));
}
