// SPDX-License-Identifier: Apache-2.0
// The exact error messages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support.h"

namespace contraflow::config {
namespace {

using config_test::arbitration;
using config_test::communication_spec;
using config_test::errors_of;
using config_test::link_spec;
using config_test::rich_spec;
using testing::HasSubstr;
using testing::Not;

const std::string needed = "tree: {name: root}\n";

struct port_of_today {
    unsigned mshr_targets = 16;
    std::vector<unsigned> banks;
    static void describe(fields<port_of_today>& f) {
        f("mshr_targets", &port_of_today::mshr_targets);
        f("banks", &port_of_today::banks);
        f.renamed("merges", "mshr_targets");
        f.renamed("rows", "banks");
        f.removed("ways", "all of it is searched");
    }
};
struct machine_of_today {
    port_of_today port;
    static void describe(fields<machine_of_today>& f) { f("port", &machine_of_today::port); }
};

TEST(errors, a_key_of_earlier_versions_is_answered_with_its_name_of_today) {
    EXPECT_EQ(errors_of<machine_of_today>("port: {merges: 4}\n"),
              "p.yaml:1:8: error: the key 'merges' in port is called 'mshr_targets' now\n"
              "    1 | port: {merges: 4}\n"
              "      |        ^~~~~~  write 'mshr_targets'\n");
    EXPECT_THAT(errors_of<machine_of_today>("", {"port.merges=4"}),
                HasSubstr("error: the key 'merges' in port is called 'mshr_targets' now\n"));
    EXPECT_EQ(errors_of<machine_of_today>("port: {rows: 4}\n"),
              "p.yaml:1:8: error: the key 'rows' in port is called 'banks' now\n"
              "    1 | port: {rows: 4}\n"
              "      |        ^~~~  write 'banks', a list such as [2, 2]\n");
    EXPECT_EQ(errors_of<machine_of_today>("port: {ways: 4}\n"),
              "p.yaml:1:8: error: the key 'ways' in port is gone: all of it is searched\n"
              "    1 | port: {ways: 4}\n"
              "      |        ^~~~  leave it out\n");
    EXPECT_THAT(errors_of<machine_of_today>("", {"port.ways=4"}),
                HasSubstr("error: the key 'ways' in port is gone: all of it is searched\n"));
    // Elsewhere they are keys like any other.
    EXPECT_THAT(errors_of<machine_of_today>("ways: 4\n"), HasSubstr("error: unknown key 'ways'\n"));
    EXPECT_THAT(errors_of<machine_of_today>("merges: 4\n"), HasSubstr("error: unknown key 'merges'\n"));
}

enum class wires_of_today { star, each_pair };

}  // namespace
template <> struct enum_names<wires_of_today> {
    static constexpr std::array names{std::pair{wires_of_today::star, "star"},
                                      std::pair{wires_of_today::each_pair, "fully_connected"}};
    static constexpr std::array renamed{std::pair{"all_pairs", "fully_connected"}};
};
namespace {

struct network_of_today {
    wires_of_today kind = wires_of_today::star, star_only = wires_of_today::star;
    static void describe(fields<network_of_today>& f) {
        f("kind", &network_of_today::kind);
        f("star_only", &network_of_today::star_only).only<wires_of_today::star>();
    }
};

TEST(errors, a_choice_of_earlier_versions_is_answered_with_its_name_of_today) {
    EXPECT_EQ(errors_of<network_of_today>("kind: all_pairs\n"),
              "p.yaml:1:7: error: kind: 'all_pairs' is called 'fully_connected' now\n"
              "    1 | kind: all_pairs\n"
              "      |       ^~~~~~~~~  write 'fully_connected'\n");
    // Where the present name is no choice either, it is a wrong value like any other.
    EXPECT_THAT(errors_of<network_of_today>("star_only: all_pairs\n"), HasSubstr("allowed: star\n"));
}

struct part_of_today {
    unsigned units = 4;
    static void describe(fields<part_of_today>& f) { f("units", &part_of_today::units); }
};
struct parts_of_today {
    part_of_today gpu;
    unsigned gpus = 2, page = 4, place = 0;
    static void describe(fields<parts_of_today>& f) {
        f("gpus", &parts_of_today::gpus);
        f("gpu", &parts_of_today::gpu);
        f("page", &parts_of_today::page);
        f("place", &parts_of_today::place);
        f.renamed("gpu.sockets", "gpus");
        f.renamed("gpu.pages.size", "page");
        f.renamed("gpu.pages.place", "place");
    }
};
struct system_of_today {
    parts_of_today machine;
    static void describe(fields<system_of_today>& f) { f("machine", &system_of_today::machine); }
};

TEST(errors, a_key_that_has_moved_is_answered_with_its_place_of_today) {
    EXPECT_EQ(errors_of<parts_of_today>("gpu: {units: 1, sockets: 4}\n"),
              "p.yaml:1:17: error: the key 'gpu.sockets' is called 'gpus' now\n"
              "    1 | gpu: {units: 1, sockets: 4}\n"
              "      |                 ^~~~~~~  write 'gpus', outside of 'gpu'\n");
    for (const char* set : {"gpu.sockets=4", "gpu={sockets: 4}"})
        EXPECT_THAT(errors_of<parts_of_today>("", {set}),
                    HasSubstr("error: the key 'gpu.sockets' is called 'gpus' now\n"));
    EXPECT_THAT(errors_of<parts_of_today>("", {"gpu.pages.place=1"}),
                HasSubstr("--set:1:5: error: the key 'gpu.pages.place' is called 'place' now\n"));
    EXPECT_THAT(errors_of<parts_of_today>("gpu: {pages: {place: 1}}\n"),
                HasSubstr("p.yaml:1:7: error: the key 'gpu.pages' is called 'page', 'place' now\n"));
    EXPECT_THAT(errors_of<system_of_today>("machine: {gpu: {sockets: 4}}\n"),
                HasSubstr("error: the key 'machine.gpu.sockets' is called 'machine.gpus' now\n"));
    // It is special only there.
    EXPECT_THAT(errors_of<parts_of_today>("sockets: 4\n"), HasSubstr("error: unknown key 'sockets'\n"));
    EXPECT_THAT(errors_of<parts_of_today>("gpu: {page: 4}\n"), HasSubstr("error: unknown key 'page' in gpu\n"));
}

struct mixed {
    arbitration turns = arbitration::weighted;
    static void describe(fields<mixed>& f) {
        f("turns", &mixed::turns).only<arbitration::weighted, arbitration::oldest_first>();
    }
};

TEST(errors, a_value_that_this_field_does_not_take) {
    EXPECT_EQ(errors_of<mixed>("turns: oldest_first\n"), "");
    EXPECT_THAT(errors_of<mixed>("turns: round_robin\n"), HasSubstr("allowed: weighted, oldest_first\n"));
}

TEST(errors, an_unknown_key) {
    EXPECT_EQ(errors_of<link_spec>("lanes: 4\nlane_rtae: 8GB/s\n"),
              "p.yaml:2:1: error: unknown key 'lane_rtae'\n"
              "    2 | lane_rtae: 8GB/s\n"
              "      | ^~~~~~~~~  did you mean 'lane_rate'? known: lanes, lane_rate, sample_time, reversible\n");
    EXPECT_THAT(errors_of<rich_spec>(needed + "link: {colour: red}\n"),
                HasSubstr("error: unknown key 'colour' in link\n"
                          "    2 | link: {colour: red}\n"
                          "      |        ^~~~~~  known: lanes, lane_rate, sample_time, reversible\n"));
}

TEST(errors, a_duplicate_key) {
    EXPECT_EQ(errors_of<link_spec>("lanes: 4\nreversible: true\nlanes: 8\n"),
              "p.yaml:3:1: error: duplicate key 'lanes'\n"
              "    3 | lanes: 8\n"
              "      | ^~~~~  first given in line 1\n");
}

TEST(errors, a_wrong_unit) {
    EXPECT_EQ(errors_of<link_spec>("lane_rate: 8GB"),
              "p.yaml:1:12: error: lane_rate: '8GB' has an unknown unit (known: B/s, kB/s, MB/s, GB/s, TB/s, KiB/s, "
              "MiB/s, GiB/s, TiB/s, b/s, kb/s, Mb/s, Gb/s, Tb/s)\n"
              "    1 | lane_rate: 8GB\n"
              "      |            ^~~  wanted: a bandwidth such as 64GB/s, 11.6GiB/s or 100Gb/s, at least 2Gb/s\n");
    EXPECT_THAT(errors_of<link_spec>("lane_rate: 8"), HasSubstr("lane_rate: '8' has no unit"));
    EXPECT_THAT(errors_of<link_spec>("lane_rate: fast"), HasSubstr("'fast' does not begin with a number"));
    EXPECT_THAT(errors_of<link_spec>("sample_time: 5ns"), HasSubstr("a count of cycles such as 5000cycles"));
    EXPECT_THAT(errors_of<rich_spec>(needed + "max_payload: 0.3B"), HasSubstr("'0.3B' does not come out whole"));
    EXPECT_THAT(errors_of<rich_spec>(needed + "patience: -1us"), HasSubstr("'-1us' is negative"));
    EXPECT_THAT(errors_of<rich_spec>(needed + "patience: 1e30s"), HasSubstr("'1e30s' does not fit"));
}

TEST(errors, out_of_range) {
    EXPECT_EQ(errors_of<link_spec>("lanes: 128"), "p.yaml:1:8: error: lanes: '128' is out of range\n"
                                                  "    1 | lanes: 128\n"
                                                  "      |        ^~~  allowed: 1 to 64, a power of two\n");
    EXPECT_THAT(errors_of<link_spec>("lanes: 12"), HasSubstr("lanes: '12' is no power of two"));
    EXPECT_THAT(errors_of<link_spec>("lane_rate: 1B/s"), HasSubstr("'1B/s' is out of range"));
    EXPECT_THAT(errors_of<rich_spec>(needed + "weights: [1, 0]"),
                HasSubstr("p.yaml:2:14: error: weights[1]: '0' is out of range"));
    EXPECT_THAT(errors_of<rich_spec>(needed + "share: 1.0000001"), HasSubstr("allowed: 0 to 1"));
}

TEST(errors, numbers_that_do_not_fit_or_are_none) {
    const auto tilt = [](const std::string& text) { return errors_of<rich_spec>(needed + "tilt: " + text); };
    EXPECT_EQ(tilt("127"), "");
    EXPECT_EQ(tilt("-128"), "");
    EXPECT_EQ(tilt("+0x7f"), "");
    EXPECT_THAT(tilt("128"), HasSubstr("tilt: '128' does not fit"));
    EXPECT_THAT(tilt("128"), HasSubstr("wanted: a whole number, -128 to 127"));
    EXPECT_THAT(tilt("-129"), HasSubstr("does not fit"));
    EXPECT_THAT(tilt("99999999999999999999999999"), HasSubstr("does not fit"));
    for (const auto* text : {"1.5", "1e3", "abc", "--1", "+-1", "0x", "1_000", "''"}) {
        EXPECT_THAT(tilt(text), testing::AnyOf(HasSubstr("is not a whole number"), HasSubstr("where a whole number")))
            << text;
    }
    EXPECT_THAT(tilt("'5'"), HasSubstr("tilt: the text '5' where a whole number is wanted"));
    EXPECT_THAT(errors_of<rich_spec>(needed + "seed: -1"), HasSubstr("seed: '-1' is negative"));
    EXPECT_THAT(errors_of<rich_spec>(needed + "seed: 18446744073709551616"), HasSubstr("does not fit"));
    for (const auto* text : {".inf", ".nan", "inf", "nan", "0x10", "1e", "+-1", "1 2"}) {
        EXPECT_THAT(errors_of<rich_spec>(needed + "share: " + text), HasSubstr("is not a number")) << text;
    }
    EXPECT_THAT(errors_of<rich_spec>(needed + "share: 1e999"), HasSubstr("does not fit"));
    EXPECT_THAT(errors_of<link_spec>("reversible: yes"), HasSubstr("'yes' is neither true nor false"));
}

TEST(errors, the_wrong_kind) {
    EXPECT_EQ(errors_of<rich_spec>(needed + "weights: 3"),
              "p.yaml:2:10: error: weights: a single value where a list is wanted\n"
              "    2 | weights: 3\n"
              "      |          ^  write [3]\n");
    EXPECT_THAT(errors_of<rich_spec>(needed + "link: [1]"), HasSubstr("link: a list where a map is wanted"));
    EXPECT_THAT(errors_of<rich_spec>(needed + "link: fast"), HasSubstr("link: a single value where a map is wanted"));
    EXPECT_THAT(errors_of<rich_spec>(needed + "inputs: {a: 1}"),
                HasSubstr("inputs: a map where a whole number is wanted"));
    EXPECT_THAT(errors_of<rich_spec>(needed + "clock: [1GHz]"),
                HasSubstr("clock: a list where a value with a unit is wanted"));
    EXPECT_THAT(errors_of<rich_spec>("- a\n- b\n"), HasSubstr("p.yaml:1:1: error: not a map of keys and values"));
    EXPECT_THAT(errors_of<rich_spec>("? [a]\n: b\n"), HasSubstr("a key must be a plain word"));
}

TEST(errors, nothing_given) {
    EXPECT_EQ(errors_of<link_spec>("lanes:\nreversible: ~\n"),
              "p.yaml:1:1: error: lanes: no value given\n"
              "    1 | lanes:\n"
              "      | ^~~~~  wanted: a whole number, 1 to 64, a power of two\n"
              "p.yaml:2:1: error: reversible: no value given\n"
              "    2 | reversible: ~\n"
              "      | ^~~~~~~~~~  wanted: true or false\n");
}

TEST(errors, a_choice_that_is_none) {
    EXPECT_EQ(errors_of<rich_spec>(needed + "kind: round_robbin\n"),
              "p.yaml:2:7: error: kind: 'round_robbin' is not a choice\n"
              "    2 | kind: round_robbin\n"
              "      |       ^~~~~~~~~~~~  did you mean 'round_robin'? allowed: round_robin, weighted, oldest_first\n");
}

TEST(errors, a_required_value_is_missing) {
    EXPECT_EQ(errors_of<rich_spec>(needed + "communications:\n  - from: a\n"),
              "p.yaml:3:5: error: 'to' is missing in communications[0]\n"
              "    3 |   - from: a\n"
              "      |     ^~~~  wanted: a text\n");
    EXPECT_EQ(errors_of<rich_spec>("inputs: 3"), "p.yaml: error: 'name' is missing in tree; wanted: a text\n");
    EXPECT_EQ(errors_of<rich_spec>("inputs: 3", {"tree.name=x"}), "") << "--set may supply it";
    EXPECT_THAT(errors_of<rich_spec>(needed + "communications: [~]"), Not(HasSubstr("missing"))) << "said already";
}

TEST(errors, what_the_program_puts_into_a_list_lacks_nothing) {
    struct usual_sends {
        unsigned rounds = 1;
        std::vector<communication_spec> sends{communication_spec{}};
        static void describe(fields<usual_sends>& f) {
            f("rounds", &usual_sends::rounds);
            f("sends", &usual_sends::sends);
        }
    };
    EXPECT_EQ(errors_of<usual_sends>("rounds: 2"), "");
    EXPECT_THAT(errors_of<usual_sends>("sends: [{from: a}]"), HasSubstr("'to' is missing in sends[0]"));
}

TEST(errors, a_check_of_the_whole_field) {
    EXPECT_THAT(errors_of<rich_spec>(needed + "weights: []"),
                HasSubstr("p.yaml:2:10: error: weights: this value is not allowed\n"
                          "    2 | weights: []\n"
                          "      |          ^  allowed: at least one element\n"));
    EXPECT_THAT(errors_of<rich_spec>(needed, {"socket_link=0"}),
                HasSubstr("--set:1:13: error: socket_link: this value"));
    EXPECT_THAT(errors_of<rich_spec>(needed + "weights: [x]"), Not(HasSubstr("this value"))) << "wrong already";
}

TEST(errors, all_of_a_file_at_once_by_position) {
    const auto text = errors_of<rich_spec>(
        "inputs: 65\nweigths: [1]\nlink: {lanes: 3, lanes: 4}\ntree: {children: [{name: a}, 5]}\nkind: x\n",
        {"seed=-1"});
    std::vector<std::string> places;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (const auto at = line.find(": error:"); at != std::string::npos) places.push_back(line.substr(0, at));
    }
    EXPECT_THAT(places, testing::ElementsAre("p.yaml:1:9", "p.yaml:2:1", "p.yaml:3:15", "p.yaml:3:18", "p.yaml:4:7",
                                             "p.yaml:4:30", "p.yaml:5:7", "--set:1:6"))
        << text;
}

TEST(errors, syntax) {
    EXPECT_EQ(errors_of<link_spec>("lanes: [1, {a: 2}\n"),
              "p.yaml:1:8: error: not valid YAML: this bracket is not closed as it should be\n"
              "    1 | lanes: [1, {a: 2}\n"
              "      |        ^\n");
    EXPECT_THAT(errors_of<link_spec>("lanes: 4\n\treversible: true\n"),
                HasSubstr("p.yaml:2:1: error: not valid YAML: illegal tab"));
    EXPECT_THAT(errors_of<link_spec>("lanes: a: b\n"), HasSubstr("quote texts that hold ': '"));
    EXPECT_THAT(errors_of<link_spec>("lanes: @x\n"), HasSubstr("needs quotes"));
    EXPECT_THAT(errors_of<rich_spec>("title: \"x\ntree: {name: a}\n"), HasSubstr("p.yaml:1:8: error: "));
    EXPECT_THAT(errors_of<rich_spec>(needed + "title: 'it''s"),
                HasSubstr("error: not valid YAML: the closing quote is missing"));
    EXPECT_THAT(errors_of<rich_spec>(needed + "title: !!str 5"),
                HasSubstr("the tag 'tag:yaml.org,2002:str' is not accepted"));
    EXPECT_THAT(errors_of<link_spec>("lanes: 4\n---\nlanes: 8\n"),
                HasSubstr("p.yaml:2:1: error: a second YAML document begins here"));
}

}  // namespace
}  // namespace contraflow::config
