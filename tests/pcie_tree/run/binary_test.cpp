// SPDX-License-Identifier: Apache-2.0
// The pcie_tree binary in its users' view: its output, its files, its errors and its exit status.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "face/binary_fixture.h"
#include "face/run/sha256.h"

using contraflow::test::command;
using contraflow::test::outcome;
using contraflow::test::read_file;
using contraflow::test::scratch;
using nlohmann::json;
using ::testing::HasSubstr;

namespace {

const std::string shipped = CF_PLATFORM_FOLDER "/";

// Text without the terminal's line breaks.
std::string words_of(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

class pcie_tree : public contraflow::test::binary_fixture {
protected:
    pcie_tree() : binary_fixture(PCIE_TREE) {}
};

// Four small sends on T2, for runs that only have to end.
const std::vector<std::string> small{shipped + "t2.yaml",
                                     "--set",
                                     "communications[0].size=64KiB",
                                     "--set",
                                     "communications[1].size=64KiB",
                                     "--set",
                                     "communications[2].size=64KiB",
                                     "--set",
                                     "communications[3].size=64KiB"};

std::vector<std::string> small_with(std::vector<std::string> more) {
    more.insert(more.begin(), small.begin(), small.end());
    return more;
}

// Four sends over one uplink and across the root complex.
const std::string one_uplink = R"(tree:
  name: rc
  kind: root_complex
  children:
    - {name: sa, kind: switch, children: [{name: a0}, {name: a1}, {name: a2}, {name: a3}]}
    - {name: sb, kind: switch, children: [{name: b0}, {name: b1}, {name: b2}, {name: b3}]}
link: gen3 x16
communications:
  - {from: a0, to: b0, size: 1MiB}
  - {from: a1, to: b1, size: 1MiB}
  - {from: a2, to: b2, size: 1MiB}
  - {from: a3, to: b3, size: 1MiB}
)";

}  // namespace

TEST_F(pcie_tree, the_closed_form_names_the_causes_by_size_and_what_twice_the_limit_gives) {
    here_.write("four.yaml", one_uplink);
    const outcome o = run({"four.yaml", "--out", "a"});
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_THAT(words_of(o.out),
                HasSubstr("a0->b0, 4.84 times, by upstream share at sa.up (x4.00), root complex at sb.down (x1.21)"));
    EXPECT_THAT(words_of(o.out), HasSubstr("closed form: limited by sa.up and sb.down at 83 %; twice their rate would "
                                           "give 0.2037 ms, 2.00 times as fast"));
    const json limit = report("a")["results"]["model"]["bottleneck"];
    EXPECT_EQ(limit["links"], json::array({"sa.up", "sb.down"}));
    EXPECT_EQ(limit["changed_links"], limit["links"]);
    // Gen4 is exactly twice Gen3.
    ASSERT_EQ(run({"four.yaml", "--set", "tree.children[0].link=gen4 x16", "--set", "tree.children[1].link=gen4 x16",
                   "--out", "b"})
                  .code,
              0);
    EXPECT_NEAR(limit["changed_ms"].get<double>(), report("b")["results"]["model"]["end_ms"].get<double>(), 1e-9);
    EXPECT_EQ(run({"four.yaml", "--set", "bottleneck=false"}).out.find("limited by"), std::string::npos);
}

TEST_F(pcie_tree, the_tlm_alone_names_its_bottleneck_and_who_waits) {
    here_.write("four.yaml", one_uplink);
    const auto limit_of = [&](const std::vector<std::string>& sets, const char* dir) {
        std::vector<std::string> words{"four.yaml", "--set", "level=tlm", "--out", dir};
        for (const auto& s : sets) words.insert(words.end(), {"--set", s});
        const outcome o = run(words);
        EXPECT_EQ(o.code, 0) << o.err;
        EXPECT_THAT(words_of(o.out), HasSubstr("TLM: limited by "));
        return report(dir)["results"]["tlm"];
    };
    const json links = limit_of({}, "links")["bottleneck"];
    EXPECT_EQ(links["links"], json::array({"sb.down", "sa.up"}));
    EXPECT_THAT(links["waits"].get<std::string>(), HasSubstr(" and 4 more wait for credits up to 7"));
    // What a change would give is what it gives.
    const json tags = limit_of({"tlm.transfers=pull", "tlm.tags=2"}, "tags")["bottleneck"];
    EXPECT_EQ(tags["change"].get<std::string>(), "twice the tags");
    EXPECT_DOUBLE_EQ(tags["changed_ms"].get<double>(),
                     limit_of({"tlm.transfers=pull", "tlm.tags=4"}, "tags4")["end_ms"].get<double>());
    const json buffers = limit_of({"tlm.posted_data=256B"}, "buffers")["bottleneck"];
    EXPECT_EQ(buffers["change"].get<std::string>(), "twice the buffers");
    EXPECT_DOUBLE_EQ(buffers["changed_ms"].get<double>(),
                     limit_of({"tlm.posted_data=512B"}, "buffers2")["end_ms"].get<double>());
    EXPECT_EQ(buffers["limit"].get<std::string>(), "the receive buffers");
    const std::string whole = "tlm.root_complex_payload=128B";  // so that this is no remedy
    const json replay = limit_of({"tlm.propagation=4us", whole}, "replay")["bottleneck"];
    EXPECT_EQ(replay["change"].get<std::string>(), "twice tlm.replay_tlps");
    EXPECT_DOUBLE_EQ(
        replay["changed_ms"].get<double>(),
        limit_of({"tlm.propagation=4us", whole, "tlm.replay_tlps=512"}, "replay2")["end_ms"].get<double>());
    // A link that has lost lanes has twice as many of them, not twice those that it had.
    const auto down = [&](const char* to) {
        return limit_of({std::string("tlm.faults.downgrades=[{node: sa, at: 1us, to: ") + to + "}]"}, to);
    };
    const json narrow = down("gen1 x1")["bottleneck"];
    EXPECT_EQ(narrow["links"], json::array({"sa.up"}));
    EXPECT_NEAR(narrow["changed_ms"].get<double>() / down("gen1 x2")["end_ms"].get<double>(), 1.0, 0.01);
}

// Gen4 for exactly the links that the results list gives the time that they tell; with one fewer it takes longer.
TEST_F(pcie_tree, all_links_that_have_to_be_faster_are_named) {
    here_.write("four.yaml", one_uplink);
    const std::map<std::string, std::string> place{{"sa.up", "[0]"},
                                                   {"sb.down", "[1]"},
                                                   {"b0.down", "[1].children[0]"},
                                                   {"b1.down", "[1].children[1]"},
                                                   {"b2.down", "[1].children[2]"},
                                                   {"b3.down", "[1].children[3]"}};
    const auto tlm = [&](const std::vector<std::string>& faster, const char* dir) {
        std::vector<std::string> words{"four.yaml", "--set", "level=tlm", "--out", dir};
        for (const auto& link : faster)
            words.insert(words.end(), {"--set", fmt::format("tree.children{}.link=gen4 x16", place.at(link))});
        const outcome o = run(words);
        EXPECT_EQ(o.code, 0) << o.err;
        if (faster.empty()) {
            EXPECT_THAT(words_of(o.out), HasSubstr("TLM: limited by sb.down and sa.up at 86 to 100 %; twice their rate "
                                                   "and that of b0.down, b1.down, b2.down and b3.down would give "));
        }
        return report(dir)["results"]["tlm"];
    };
    const json limit = tlm({}, "now")["bottleneck"];
    auto links = limit["changed_links"].get<std::vector<std::string>>();
    EXPECT_THAT(links, ::testing::UnorderedElementsAre("sa.up", "sb.down", "b0.down", "b1.down", "b2.down", "b3.down"));
    const double promised = limit["changed_ms"];
    EXPECT_NEAR(tlm(links, "all")["end_ms"].get<double>() / promised, 1.0, 0.01);
    links.pop_back();
    EXPECT_GT(tlm(links, "fewer")["end_ms"].get<double>() / promised, 1.05);
}

// The tree of the page marks the links that the headline names as the limit, be others as busy, and no others.
TEST_F(pcie_tree, the_links_of_the_tree_that_are_marked_are_those_that_the_headline_names) {
    const auto marked_and_named = [&](const std::vector<std::string>& words, const char* headline) {
        auto all = words;
        all.insert(all.end(), {"--set", "level=model", "--out", "m"});
        const outcome o = run(all);
        EXPECT_EQ(o.code, 0) << o.err;
        EXPECT_THAT(words_of(o.out), HasSubstr(headline));
        const json r = report("m");
        std::set<std::string> marked;
        const std::function<void(const json&)> visit = [&](const json& node) {
            for (const char* way : {"up", "down"})
                if (node[std::string(way) + "_limit"]) marked.insert(node["name"].get<std::string>() + "." + way);
            for (const json& child : node["children"]) visit(child);
        };
        for (const json& section : r["sections"])
            for (const json& item : section["items"])
                if (item["kind"] == "tree") visit(item["root"]);
        EXPECT_EQ(marked, r["results"]["model"]["bottleneck"]["links"].get<std::set<std::string>>());
        return marked;
    };
    using ::testing::ElementsAre;
    using ::testing::IsEmpty;
    here_.write("four.yaml", one_uplink);
    EXPECT_THAT(marked_and_named({"four.yaml"}, "limited by sa.up and sb.down at 83 %"),
                ElementsAre("sa.up", "sb.down"));
    EXPECT_THAT(marked_and_named({shipped + "t2.yaml"}, "limited by the root complex"), IsEmpty());
    // The second send starts long after the first has ended.
    EXPECT_THAT(
        marked_and_named({"four.yaml", "--set",
                          "communications=[{from: a0, to: b0, size: 1MiB}, {from: a1, to: b1, size: 1KiB, start: 1s}]"},
                         "no link limits it: the busiest is "),
        IsEmpty());
}

// A narrow link that holds up its neighbours is named although others are busier.
TEST_F(pcie_tree, a_single_link_that_would_do_is_named) {
    const std::string narrow =
        "tree: {name: rc, kind: root_complex, children: [{name: sa, kind: switch, children: [{name: a0}, {name: a1}, "
        "{name: a2}, {name: a3}]}, {name: sb, kind: switch, children: [{name: b0}, {name: b1}, {name: b2}, {name: b3, "
        "link: gen3 xLANES}]}]}\nlink: gen3 x16\ncommunications: [{from: a0, to: b0, size: 4MiB}, {from: a1, to: b1, "
        "size: 4MiB}, {from: a2, to: b2, size: 4MiB}, {from: a3, to: b3, size: 4MiB}]\n";
    const auto tlm = [&](const std::string& lanes) {
        std::string text = narrow;
        text.replace(text.find("LANES"), 5, lanes);
        here_.write(lanes + ".yaml", text);
        EXPECT_EQ(run({lanes + ".yaml", "--set", "level=tlm", "--out", lanes}).code, 0);
        return report(lanes)["results"]["tlm"];
    };
    const json limit = tlm("8")["bottleneck"];
    EXPECT_EQ(limit["alone"]["link"].get<std::string>(), "b3.down");
    EXPECT_DOUBLE_EQ(limit["alone"]["changed_ms"].get<double>(), tlm("16")["end_ms"].get<double>());
}

TEST_F(pcie_tree, short_times_have_a_unit_that_suits_them) {
    const outcome o = run({shipped + "t1.yaml", "--set", "communications[*].size=100B", "--out", "s"});
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_THAT(o.out, HasSubstr("4 sends end after 16.06 ns"));
    EXPECT_EQ(o.out.find("e-0"), std::string::npos) << o.out;
}

TEST_F(pcie_tree, equal_sends_need_no_search_and_each_level_compares_with_itself) {
    std::string yaml = "tree: {name: rc, kind: root_complex, children: [{name: s, kind: switch, children: [{name: a}, "
                       "{name: b}, {name: c}]}]}\ncommunications:\n";
    for (int i = 0; i < 14; ++i)
        for (const char* ends : {"from: a, to: b", "from: b, to: c", "from: c, to: a"})
            yaml += fmt::format("  - {{{}, size: 64KiB}}\n", ends);
    here_.write("ring.yaml", yaml);
    const outcome ring = run({"ring.yaml"});
    ASSERT_EQ(ring.code, 0) << ring.err;
    EXPECT_EQ(ring.out.find("orders"), std::string::npos) << ring.out;
    const outcome asked = run({"ring.yaml", "--set", "search.mode=budget"});
    EXPECT_EQ(asked.code, 2);
    EXPECT_THAT(asked.err, HasSubstr("the sends of each source are all alike"));
    here_.write("two.yaml", yaml + "  - {from: a, to: c, size: 64KiB}\n");
    const outcome two = run({"two.yaml", "--set", "level=both"});
    ASSERT_EQ(two.code, 0) << two.err;
    EXPECT_THAT(two.out, HasSubstr("closed form: 15 orders of sends tried"));
    EXPECT_THAT(two.out, HasSubstr(" times)"));
    EXPECT_THAT(words_of(two.out), ::testing::ContainsRegex("closed form: the order as configured takes [0-9.]+ ms"));
    EXPECT_THAT(words_of(two.out), ::testing::ContainsRegex("TLM: the order as configured takes [0-9.]+ ms"));
}

TEST_F(pcie_tree, the_main_job_finds_the_published_spread) {
    const outcome o = run({shipped + "halo_2d.yaml", "--out", "h"});
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_THAT(o.out, HasSubstr("1.908 in closed form"));
    const json r = report("h");
    std::map<std::string, json> items;
    for (const json& section : r["sections"])
        for (const json& item : section["items"]) items[item["id"]] = item;
    // Each name of the timeline is one of the bars': a page gives a name one colour.
    std::set<std::string> of_the_bars, of_the_timeline;
    for (const json& of : items["fastest-losses"]["series"]) of_the_bars.insert(of["name"]);
    for (const json& bar : items["fastest-timeline"]["bars"]) of_the_timeline.insert(bar["category"]);
    EXPECT_TRUE(of_the_timeline.contains("full rate"));
    EXPECT_THAT(of_the_bars, ::testing::IsSupersetOf(of_the_timeline));
    const json& rows = items["levels"]["rows"];
    EXPECT_THAT(words_of(o.out), HasSubstr(fmt::format("{:.2f} times as long as the closed form's fastest, ",
                                                       rows[1][2].get<double>() / rows[0][2].get<double>())));
    const json& search = r["results"]["search"];
    EXPECT_EQ(search["orders"], 20736);
    EXPECT_NEAR(search["slowest"]["time_ms"].get<double>() / search["fastest"]["time_ms"].get<double>(), 1.908, 0.0005);
    const json& tlm = r["results"]["tlm"];
    EXPECT_GT(tlm["slowest"]["end_ms"].get<double>(), tlm["fastest"]["end_ms"].get<double>() * 1.3);
    for (const auto& check : r["conservation"]) EXPECT_EQ(check["in"], check["out"]) << check;
    EXPECT_GT(r["conservation"].size(), 40u);
}

TEST_F(pcie_tree, worked_cases_match) {
    const outcome o = run({"--cases", CF_TEST_DATA "/pcie/worked.json", "--out", "c"});
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_THAT(o.out + o.err, Not(HasSubstr("has no effect")));
    const outcome with_tree = run({shipped + "t2.yaml", "--cases", CF_TEST_DATA "/pcie/worked.json"});
    EXPECT_THAT(with_tree.out + with_tree.err, HasSubstr("--cases: `tree` of the configuration has no effect"));
    const json got = json::parse(read_file(here_ / "c/cases.json"));
    const json wanted = json::parse(read_file(CF_TEST_DATA "/pcie/worked.json"))["cases"];
    ASSERT_EQ(got.size(), wanted.size());
    EXPECT_THAT(
        read_file(here_ / "c/report.html"),
        HasSubstr("worked.json, SHA-256 " + contraflow::face::sha256_of_file(CF_TEST_DATA "/pcie/worked.json")));
    for (std::size_t i = 0; i < got.size(); ++i) {
        EXPECT_EQ(got[i]["name"], wanted[i]["name"]);
        ASSERT_EQ(got[i]["communications"].size(), wanted[i]["communications"].size());
        for (const auto& row : got[i]["communications"]) {
            const json& e = wanted[i]["expected"][row["name"].get<std::string>()];
            EXPECT_NEAR(row["factor"].get<double>(), e["factor"].get<double>(), 1e-9) << got[i]["name"] << row["name"];
            EXPECT_NEAR(row["time_ms"].get<double>(), e["time_ms"].get<double>(), 1e-6 * e["time_ms"].get<double>());
        }
    }
}

TEST_F(pcie_tree, a_read_that_is_not_answered_in_time_ends_the_run_with_one_line) {
    const auto with = [](const char* timeout) {
        return small_with({"--set", "level=tlm", "--set", "tlm.transfers=pull", "--set",
                           fmt::format("tlm.completion_timeout={}", timeout), "--out", "t"});
    };
    const outcome in_time = run(with("1ms"));
    EXPECT_EQ(in_time.code, 0) << in_time.err;
    const outcome late = run(with("300ns"));
    EXPECT_EQ(late.code, 1);
    EXPECT_THAT(late.out, HasSubstr("was not answered within the completion timeout of 300ns"));
    EXPECT_EQ(late.out.find("internal error"), std::string::npos);
}

TEST_F(pcie_tree, a_byte_that_changes_in_a_switch_fails_the_run_and_names_whose_it_is) {
    const outcome o = run(small_with(
        {"--set", "level=tlm", "--set", "tlm.faults={flips: [{node: plx_0, number: 3, byte: 5}]}", "--out", "f"}));
    EXPECT_EQ(o.code, 1);
    EXPECT_THAT(o.err, HasSubstr("bytes changed, doubled or out of order: 1 bytes, where none are right"));
    EXPECT_THAT(o.out, HasSubstr(" ms, 1 byte WRONG"));
    EXPECT_THAT(run(small_with({"--set", "level=tlm", "--out", "g"})).out, HasSubstr(" ms, every byte right"));
}

TEST_F(pcie_tree, a_tree_with_more_buses_than_a_root_port_has_is_refused_where_it_stands) {
    std::string yaml =
        "level: tlm\ntree: {name: rc, kind: root_complex, children: [\n  {name: a, kind: switch, children: [\n";
    for (int s = 0; s < 8; ++s) {
        yaml += fmt::format("    {{name: s{}, kind: switch, children: [", s);
        for (int i = 0; i < 32; ++i) yaml += fmt::format("{{name: g{}_{}}},", s, i);
        yaml += "]},\n";
    }
    yaml += "  ]}]}\ncommunications: [{from: g0_0, to: g1_1, size: 1MiB}]\n";
    here_.write("wide.yaml", yaml);
    const outcome o = run({"wide.yaml", "--out", "w"});
    EXPECT_EQ(o.code, 2);
    EXPECT_THAT(o.err,
                HasSubstr("wide.yaml:3:3: error: 'a' and what is below it take 274 PCIe buses; a root port has 255"));
}

TEST_F(pcie_tree, two_runs_leave_the_same_bytes) {
    for (const char* dir : {"a", "b"})
        ASSERT_EQ(run(small_with({"--set", "level=both", "--set", "tlm.faults.bit_error_rate=1e-7", "--out", dir,
                                  "--jobs", dir[0] == 'a' ? "1" : "2"}))
                      .code,
                  0);
    for (const char* file : {"report.json", "stats.csv", "report.html"})
        EXPECT_EQ(read_file(here_ / "a" / file), read_file(here_ / "b" / file)) << file;
}

TEST_F(pcie_tree, the_written_configuration_repeats_the_run) {
    ASSERT_EQ(run(small_with({"--set", "level=tlm", "--seed", "7", "--out", "a"})).code, 0);
    const outcome again = run({"a/config.yaml", "--out", "b"});
    ASSERT_EQ(again.code, 0) << again.err;
    EXPECT_EQ(report("a")["results"], report("b")["results"]);
}

TEST_F(pcie_tree, trace_and_waves) {
    const outcome o = run(small_with({"--set", "level=tlm", "--trace", "--wave", "vcd", "--out", "w"}));
    ASSERT_EQ(o.code, 0) << o.err;
    const json trace = json::parse(read_file(here_ / "w/trace.json"));
    const json& events = trace.is_array() ? trace : trace["traceEvents"];
    std::size_t slices = 0, flows = 0;
    for (const auto& e : events) {
        slices += e["ph"] == "X" ? 1 : 0;
        flows += e["ph"] == "s" ? 1 : 0;
    }
    EXPECT_GT(slices, 1000u);
    EXPECT_GT(flows, 1000u);
    const std::string vcd = read_file(here_ / "w/waves.vcd");
    EXPECT_THAT(vcd, HasSubstr("posted_data_credits"));
    EXPECT_THAT(read_file(here_ / "w/waves.gtkw"), HasSubstr("k80_0"));
}

TEST_F(pcie_tree, the_names_of_results_are_told_before_a_run) {
    expect_results_told(small_with({"--set", "level=both"}));
    expect_results_told({shipped + "halo_2d.yaml", "--set", "level=both", "--set", "pattern.domain=[16, 16, 8]",
                         "--set", "search.evaluations=1000"});
}

TEST_F(pcie_tree, faults_are_counted_and_nothing_is_lost) {
    const outcome o = run(small_with({"--set", "level=tlm", "--set",
                                      "tlm.faults.corrupt=[{port: k80_0.up, packet: tlp, number: 3}]", "--out", "f"}));
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_THAT(o.out, HasSubstr("Faults and their cost"));
    EXPECT_THAT(read_file(here_ / "f/stats.csv"), HasSubstr("corrupted_tlps"));
}

TEST_F(pcie_tree, faults_that_never_came_are_named) {
    const outcome o = run(small_with(
        {"--set", "level=tlm", "--set",
         "tlm.faults={corrupt: [{port: gpu7.down, packet: tlp, number: 9}], downgrades: [{node: gpu7, at: 1s}]}"}));
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_THAT(o.out + o.err, HasSubstr("gpu7.down: TLP 9 was to arrive corrupted, and only 0 were sent"));
    EXPECT_THAT(o.out + o.err, HasSubstr("the link above gpu7 was to retrain at 1s"));
}

TEST_F(pcie_tree, every_flow_of_a_trace_begins_once_and_ends) {
    for (const char* transfers : {"push", "pull"}) {
        const outcome o = run(small_with(
            {"--set", "level=tlm", "--set", "window.to=1s", "--set", std::string("tlm.transfers=") + transfers, "--set",
             "tlm.faults.corrupt=[{port: gpu0.up, packet: tlp, number: 3}]", "--trace", "--out", transfers}));
        ASSERT_EQ(o.code, 0) << o.err;
        std::map<std::string, std::array<int, 2>> ends;
        for (const auto& e : json::parse(read_file(here_ / transfers / "trace.json"))) {
            if (e["ph"] == "s") ++ends[e["id"].get<std::string>()][0];
            if (e["ph"] == "f") ++ends[e["id"].get<std::string>()][1];
        }
        EXPECT_GT(ends.size(), 1000u);
        for (const auto& [id, count] : ends) {
            EXPECT_EQ(count[0], 1) << transfers << " " << id;
            EXPECT_EQ(count[1], 1) << transfers << " " << id;
        }
    }
}

TEST_F(pcie_tree, cases_keep_to_limits_and_checks) {
    const std::vector<std::string> cases{"--cases", CF_TEST_DATA "/pcie/worked.json", "--set", "level=tlm"};
    auto limited = cases;
    limited.insert(limited.end(), {"--limit-time", "2us"});
    const outcome o = run(limited);
    EXPECT_EQ(o.code, 4) << o.out << o.err;
    EXPECT_THAT(o.out, HasSubstr("stopped at 2us"));
}

TEST_F(pcie_tree, a_link_that_never_comes_back_ends_with_status_3_and_the_chain) {
    const outcome o =
        run(small_with({"--set", "level=tlm", "--set",
                        "tlm.faults.downgrades=[{node: gpu2, at: 1us, to: gen3 x1, retrain: 10s}]", "--out", "s"}));
    EXPECT_EQ(o.code, 3) << o.out << o.err;
    EXPECT_THAT(o.out + o.err, HasSubstr("waits for"));
    EXPECT_THAT(o.out + o.err, HasSubstr("gpu2"));
}

TEST_F(pcie_tree, limits_end_a_run_with_status_4) {
    const outcome o = run(small_with({"--set", "level=tlm", "--limit-time", "2us"}));
    EXPECT_EQ(o.code, 4) << o.out << o.err;
}

TEST_F(pcie_tree, wrong_input_is_one_clear_message_and_status_2) {
    struct expectation {
        std::vector<std::string> words;
        std::string text;
    };
    here_.write("loop.yaml", "tree: {name: rc, kind: root_complex, children: [{name: a}, {name: a}]}\n");
    here_.write("far.yaml",
                "tree: {name: m, kind: machine, children: [{name: r0, kind: root_complex, children: [{name: a}]}, "
                "{name: r1, kind: root_complex, children: [{name: b}]}]}\n"
                "communications: [{from: a, to: b, size: 1MiB}]\n");
    here_.write("cases.json", "{\"cases\": [");
    here_.write("bytes.csv", "0,gpu0,gpu1,\xff\xfe\x1b[31m\n");
    const std::vector<expectation> all{
        {{shipped + "t2.yaml", "--set", "levle=tlm"}, "did you mean 'level'"},
        {{shipped + "t2.yaml", "--set", "communications[0].to=gpu9"}, "gpu9"},
        {{shipped + "t2.yaml", "--set", "communications[*].sise=1MiB"}, "did you mean 'size'"},
        {{shipped + "t2.yaml", "--set", "window.from=1s"}, "--set:1:13: error: window.from: the window ends before"},
        {{shipped + "halo_4x4.yaml", "--set", "search.mode=exhaustive"},
         "--set:1:13: error: search.mode: 8.9e+12 orders are too many to try them all: at most 1e+10"},
        {{shipped + "t2.yaml", "--set", "communications[0].size=3MB/s"}, "size"},
        {{shipped + "t2.yaml", "--set", "tlm.faults.corrupt=[{port: k80_0.upp}]"}, "k80_0.up"},
        {{shipped + "t2.yaml", "--set", "tlm.arbitration=[{node: k80_0, weights: [1, 2]}]"}, "2 weights for 3 ports"},
        {{shipped + "t2.yaml", "--set",
          "tlm.arbitration=[{node: k80_0, weights: [1, 2, 1]}, {node: k80_0, weights: [1, 1, 1]}]"},
         "weights already"},
        {{shipped + "t2.yaml", "--set", "tlm.faults.downgrades=[{node: gpu2, at: 1us, to: gen4 x16}]"},
         "more than the link above 'gpu2' has"},
        {{shipped + "t2.yaml", "--set", "tlm.faults.downgrades=[{node: rc, at: 1us, to: gen3 x8}]"}, "no PCIe link"},
        {{shipped + "t2.yaml", "--set",
          "tlm.faults.downgrades=[{node: gpu2, at: 2us, to: gen3 x8}, {node: gpu2, at: 1us, to: gen3 x4}]"},
         "in order of time"},
        {{shipped + "t2.yaml", "--set", "tlm.propagation=1ms"}, "tlm.watchdog"},
        {{shipped + "t2.yaml", "--set", "tree.children[0].name=a.b"}, "no space, dot"},
        {{shipped + "t2.yaml", "--set", "tlm.watchdog=3parsecs"}, "known: ps, ns, us"},
        {{"--cases", CF_TEST_DATA "/pcie/worked.json", "--set", "level=both"}, "one level"},
        {{shipped + "t2.yaml", "--set", "trace=bytes.csv"},
         "bytes.csv:1:13: error: not a text file: byte 0xff; a trace is CSV text"},
        {{shipped + "t3.yaml"}, "t3.yaml"},
        {{"loop.yaml"}, "loop.yaml:1"},
        {{"far.yaml"}, "socket_link"},
        {{"--cases", "cases.json"}, "cases.json:1"},
        {{"--cases", "none.json"}, "none.json"},
        {{"--cases", CF_TEST_DATA "/pcie/worked.json", "--topology", "auto"}, "each case has a tree of its own"},
        {{"--topology", "none.xml", "--print-config"}, "none.xml"},
        {{shipped + "t2.yaml", "--tpology", "auto"}, "--topology"},
        {{}, ""},
    };
    for (const auto& e : all) {
        const outcome o = run(e.words);
        EXPECT_EQ(o.code, 2) << (e.words.empty() ? "nothing" : e.words.back()) << "\n" << o.out << o.err;
        EXPECT_THAT(o.err, HasSubstr(e.text));
        EXPECT_EQ(o.out, "") << e.text;
    }
}

TEST_F(pcie_tree, a_machine_without_a_gpu_is_told_even_where_no_run_follows) {
    const outcome o = run({"--topology", CF_TEST_DATA "/hwloc/nic_only.xml"});
    EXPECT_EQ(o.code, 2);
    EXPECT_THAT(o.err, AllOf(HasSubstr("error: nothing is sent"),
                             HasSubstr("there is no GPU in it: patterns run between all of its endpoints")));
}

// As it names the configuration: the export may have been changed since.
TEST_F(pcie_tree, a_saved_page_identifies_the_machine_that_was_read) {
    const std::string text = read_file(CF_TEST_DATA "/hwloc/two_packages.xml");
    here_.write("machine.xml", text);
    const outcome o = run({"--topology", "machine.xml", "--set", "pattern.kind=ring", "--set", "pattern.size=1MiB",
                           "--set", "socket_link=20GB/s", "--out", "i"});
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_THAT(read_file(here_ / "i/report.html"),
                HasSubstr("\"topology\":\"machine.xml, SHA-256 " + contraflow::face::sha256(text) + "\""));
    EXPECT_FALSE(report("i").contains("origin"));
}

TEST_F(pcie_tree, a_saved_page_identifies_the_trace_that_was_read) {
    const std::string text = "0,gpu0,gpu1,1048576\n";
    here_.write("sent.csv", text);
    const outcome o = run({shipped + "t2.yaml", "--set", "trace=sent.csv", "--out", "t"});
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_THAT(read_file(here_ / "t/report.html"),
                HasSubstr("\"trace\":\"sent.csv, SHA-256 " + contraflow::face::sha256(text) + "\""));
}

TEST_F(pcie_tree, a_printed_machine_keeps_what_its_import_left_out) {
    const outcome o = run({"--topology", CF_TEST_DATA "/hwloc/xgmi.xml", "--print-config"});
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_THAT(o.err, HasSubstr("warning: XGMI IS LEFT OUT"));
    EXPECT_THAT(o.out, ::testing::StartsWith("# warning: " CF_TEST_DATA "/hwloc/xgmi.xml: XGMI IS LEFT OUT"));
    EXPECT_THAT(o.out, HasSubstr("--set gpus=4 --set network.kind=fully_connected"));
    ASSERT_EQ(run({"--topology", CF_TEST_DATA "/hwloc/xgmi.xml", "--set", "pattern={kind: ring, size: 1MiB}", "--set",
                   "search.mode=none", "--out", "x"})
                  .code,
              0);
    EXPECT_THAT(read_file(here_ / "x/config.yaml"),
                HasSubstr("\n# warning: " CF_TEST_DATA "/hwloc/xgmi.xml: XGMI IS LEFT OUT"));
    const outcome cases = run({shipped + "t2.yaml", "--cases", CF_TEST_DATA "/pcie/worked.json", "--print-config"});
    EXPECT_THAT(cases.out, ::testing::StartsWith("# warning: --cases: `tree` of the configuration has no effect"));
}

TEST_F(pcie_tree, an_imported_machine_is_a_configuration_to_keep) {
    const outcome o = run({"--topology", CF_TEST_DATA "/hwloc/t2.xml", "--print-config"});
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_THAT(o.err, HasSubstr("warning: "));
    const outcome at_once = run({"--topology", CF_TEST_DATA "/hwloc/two_packages.xml", "--set", "pattern.kind=ring",
                                 "--set", "pattern.size=1MiB", "--set", "socket_link=20GB/s", "--out", "i"});
    ASSERT_EQ(at_once.code, 0) << at_once.err;
    EXPECT_THAT(at_once.out, HasSubstr("warning: "));
    EXPECT_THAT(report("i")["warnings"].dump(), HasSubstr("left out 2 PCI devices"));
    EXPECT_EQ(run({"mine.yaml"}).code, 2);
    here_.write("mine.yaml", o.out);
    const outcome used = run({"mine.yaml", "--set", "pattern.kind=ring", "--set", "pattern.size=1MiB"});
    EXPECT_EQ(used.code, 0) << used.err;
}
