// SPDX-License-Identifier: Apache-2.0
// Every mistake on the command line is one line, with exit code 2 and nothing on standard output.
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "command.h"

namespace test = contraflow::test;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

namespace {

test::outcome run(std::vector<std::string> arguments, const test::scratch& dir = {}) {
    arguments.insert(arguments.begin(), TINY_PLATFORM);
    return test::command(std::move(arguments), dir.path()).wait();
}

// The text on standard error for a bad command line.
std::string complaint(std::vector<std::string> arguments, const test::scratch& dir = {}) {
    const test::outcome o = run(std::move(arguments), dir);
    EXPECT_EQ(o.code, 2);
    EXPECT_EQ(o.out, "");
    return o.err;
}

}  // namespace

TEST(command_line, an_unknown_option_is_answered_with_the_nearest) {
    EXPECT_EQ(complaint({"--jbos", "3"}), "tiny: error: unknown option '--jbos' (did you mean '--jobs'?)\n");
    EXPECT_EQ(complaint({"--case=x"}), "tiny: error: unknown option '--case' (did you mean '--cases'?)\n");
    EXPECT_EQ(complaint({"--xylophone"}), "tiny: error: unknown option '--xylophone'; --help lists what there is\n");
    EXPECT_EQ(complaint({"-q"}), "tiny: error: unknown option '-q'; --help lists what there is\n");
    EXPECT_EQ(complaint({"--jbos", "--out"}), "tiny: error: unknown option '--jbos' (did you mean '--jobs'?)\n");
}

TEST(command_line, an_option_is_no_value_of_another) {
    EXPECT_EQ(complaint({"--out", "--quiet"}), "tiny: error: --out needs a value, and --quiet is an option\n");
    EXPECT_EQ(complaint({"--wave", "--out", "a"}), "tiny: error: --wave needs a value, and --out is an option\n");
    EXPECT_EQ(complaint({"--set", "--seed=3"}), "tiny: error: --set needs a value, and --seed is an option\n");
}

// By its file's name, or by the words of the entry that has started it.
TEST(command_line, the_help_names_the_command_that_was_given) {
    EXPECT_THAT(run({"--help"}).out, HasSubstr("\n  tiny mine.yaml --out runs/first "));
    for (const char* const entry : {"./contraflow", "contraflow"}) {
        const test::scratch dir;
        const std::string said =
            test::command({TINY_PLATFORM, "--help"}, dir.path(), [=] { ::setenv("CONTRAFLOW_ENTRY", entry, 1); })
                .wait()
                .out;
        EXPECT_THAT(said, HasSubstr(std::string("\n  ") + entry + " run tiny mine.yaml --out runs/first "));
        EXPECT_THAT(said, HasSubstr(std::string("Usage: ") + entry + " run tiny "));
    }
}

TEST(command_line, values_are_checked_where_they_stand) {
    EXPECT_EQ(complaint({"--out"}), "tiny: error: --out needs a value\n");
    EXPECT_EQ(complaint({"--out", ""}), "tiny: error: --out needs the name of a directory\n");
    EXPECT_EQ(complaint({"--quiet=maybe"}), "tiny: error: --quiet takes no value, or true or false\n");
    EXPECT_EQ(complaint({"--seed", "1", "--seed", "2"}), "tiny: error: --seed is given more than once\n");
    EXPECT_EQ(complaint({"--seed", "many"}), "tiny: error: --seed 'many': a whole number from 0 to 2^64-1 is wanted\n");
    EXPECT_THAT(complaint({"--seed", "18446744073709551616"}), HasSubstr("--seed '18446744073709551616'"));
    EXPECT_THAT(complaint({"--seed", "1.5"}), HasSubstr("--seed '1.5'"));
    EXPECT_EQ(complaint({"--jobs", "0"}), "tiny: error: --jobs '0': a number from 1 to 4096 is wanted\n");
    EXPECT_EQ(complaint({"--limit-wall", "nan"}),
              "tiny: error: --limit-wall 'nan': a number of seconds from 0.001 to 1e9 is wanted\n");
    EXPECT_THAT(complaint({"--limit-time", "5"}), StartsWith("tiny: error: --limit-time '5': a time"));
    EXPECT_EQ(complaint({"--wave", "fsdb", "--out", "a"}),
              "tiny: error: --wave 'fsdb': 'fst' and 'vcd' are the forms there are\n");
    EXPECT_EQ(complaint({"--wave-from", "1us"}),
              "tiny: error: the window of waves is given without --wave fst or --wave vcd\n");
    EXPECT_THAT(complaint({"--wave", "fst", "--out", "a", "--wave-from", "1"}),
                StartsWith("tiny: error: --wave-from '1': a time"));
    EXPECT_EQ(complaint({"--wave", "fst", "--out", "a", "--wave-from", "2us", "--wave-to", "1us"}),
              "tiny: error: --wave-from 2us --wave-to 1us: there is nothing in between\n");
    EXPECT_THAT(complaint({"--wave-around", "dawn"}), StartsWith("tiny: error: unknown option '--wave-around'"));
    EXPECT_EQ(complaint({"--trace"}), "tiny: error: --trace needs --out DIR to write to\n");
    EXPECT_EQ(complaint({"--wave", "vcd"}), "tiny: error: --wave needs --out DIR to write to\n");
    EXPECT_THAT(complaint({"-"}), HasSubstr("not from standard input"));
}

TEST(command_line, a_second_configuration_is_unexpected) {
    const test::scratch dir;
    dir.write("a.yaml", "packets: 1\n");
    EXPECT_EQ(complaint({"a.yaml", "b.yaml"}, dir),
              "tiny: error: unexpected argument 'b.yaml': the configuration is 'a.yaml' already\n");
    const std::string far = "a_directory_with_a_long_name/and_another_one_of_many_letters/b.yaml";
    EXPECT_THAT(complaint({"a.yaml", far}, dir), HasSubstr("b.yaml'")) << "a file's name is at the end of its path";
}

TEST(command_line, set_takes_one_value_and_leaves_the_configuration_alone) {
    const test::scratch dir;
    dir.write("a.yaml", "packets: 1\n");
    const test::outcome o = run({"--set", "link.width=8", "a.yaml", "--print-config"}, dir);
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_THAT(o.out, HasSubstr("packets: 1 "));
    EXPECT_THAT(o.out, HasSubstr("width: 8 "));
}

TEST(command_line, configuration_errors_point_at_their_place) {
    EXPECT_THAT(complaint({"--set", "lnk.width=3"}), HasSubstr("--set:1:1: error: unknown key 'lnk'"));
    const test::scratch dir;
    dir.write("a.yaml", "packets: 13\n");
    EXPECT_THAT(complaint({"a.yaml"}, dir), StartsWith("a.yaml:1:10: error: 13 packets bring bad luck\n"));
    EXPECT_THAT(complaint({"a.yml"}, dir), HasSubstr("a.yml: error: there is no such file"));
    EXPECT_THAT(complaint({"a.yml"}, dir), HasSubstr("did you mean 'a.yaml'?"));
    EXPECT_THAT(complaint({"sub/a.yaml"}, dir), HasSubstr("there is no such file"));
    EXPECT_THAT(complaint({""}, dir), HasSubstr("error"));
    EXPECT_THAT(complaint({"."}, dir), HasSubstr("directory"));
}

TEST(command_line, a_warning_does_not_stop_the_run) {
    const test::outcome o = run({"--set", "packets=14"});
    EXPECT_EQ(o.code, 0);
    EXPECT_THAT(o.err, HasSubstr("warning: 14 packets are many"));
}

TEST(command_line, a_printed_configuration_keeps_its_warnings) {
    const test::outcome o = run({"--set", "packets=14", "--print-config"});
    EXPECT_THAT(o.err, HasSubstr("warning: 14 packets are many"));
    EXPECT_THAT(o.out, StartsWith("# warning: --set:1:9: 14 packets are many\n"));
    const test::scratch dir;
    dir.write("kept.yaml", o.out);
    EXPECT_EQ(run({"kept.yaml"}, dir).code, 0);
}

TEST(command_line, what_is_only_asked_for_is_printed) {
    EXPECT_THAT(run({"--help"}).out, HasSubstr("--limit-wall SECONDS"));
    EXPECT_THAT(run({"--help"}).out, HasSubstr("--cases FILE"));
    EXPECT_THAT(run({"--version"}).out, StartsWith("tiny 0."));
    EXPECT_THAT(run({"--describe"}).out, HasSubstr("link.packet"));
    EXPECT_EQ(nlohmann::json::parse(run({"--schema"}).out)["type"], "object");
    const std::string config = run({"--print-config", "--seed", "9"}).out;
    EXPECT_THAT(config, HasSubstr("seed: 9 "));
    for (const char* option : {"--help", "--version", "--describe", "--schema", "--print-config"}) {
        const test::outcome o = run({option});
        EXPECT_EQ(o.code, 0) << option;
        EXPECT_EQ(o.err, "") << option;
        EXPECT_THAT(o.out, EndsWith("\n")) << option;
    }
}

TEST(command_line, quiet_keeps_the_headline) {
    const std::string out = run({"--quiet"}).out;
    EXPECT_THAT(out, HasSubstr("The first packet took"));
    EXPECT_THAT(out, Not(HasSubstr("Times")));
}

TEST(command_line, a_bug_is_one_line_and_exit_5) {
    const test::outcome crash = run({"--set", "end=crash"});
    EXPECT_EQ(crash.code, 5);
    EXPECT_EQ(crash.err, "tiny: internal error: first line second line\n");
    const test::outcome odd = run({"--set", "end=crash_oddly"});
    EXPECT_EQ(odd.code, 5);
    EXPECT_EQ(odd.err, "tiny: internal error: unknown exception\n");
}

TEST(command_line, a_configuration_that_turns_out_wrong_in_mid_run_is_exit_2_and_shown_where_it_stands) {
    const test::outcome memory = run({"--set", "end=out_of_memory"});
    EXPECT_EQ(memory.code, 2);
    EXPECT_EQ(memory.err, "tiny: error: this computer has not enough memory for what the configuration asks for\n");
    const test::outcome unfit = run({"--set", "packets=14", "--set", "end=unfit"});
    EXPECT_EQ(unfit.code, 2);
    EXPECT_THAT(unfit.err, testing::AllOf(testing::HasSubstr("--set:1:9: warning: 14 packets"),
                                          testing::HasSubstr("--set:1:9: error: packets: 3 packets don't fit"),
                                          testing::HasSubstr("allowed: 2\n")));
    EXPECT_EQ(unfit.err.find("warning"), unfit.err.rfind("warning")) << unfit.err;
}

TEST(command_line, what_went_in_and_did_not_come_out_is_exit_1) {
    const test::outcome o = run({"--set", "end=lose_one"});
    EXPECT_EQ(o.code, 1);
    EXPECT_EQ(o.err, "tiny: error: conservation failed: packets: 100 packets went in, 99 came out\n");
    EXPECT_THAT(o.out, HasSubstr("warning: conservation failed: packets: 100 packets went in, 99 came out\n"));
}
