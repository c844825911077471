// SPDX-License-Identifier: Apache-2.0
// The nic_replay binary in its users' view: its output, its files, its errors and its exit status.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <map>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cosim/fst_values.h"
#include "face/binary_fixture.h"
#include "face/report_statistics.h"
#include "observe/vcd_reader.h"

using contraflow::test::command;
using contraflow::test::outcome;
using contraflow::test::page_without_origin;
using contraflow::test::read_file;
using contraflow::test::scratch;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

const std::string worked = CF_TEST_DATA "/nic_rx/worked.json";
const std::string packets = CF_PLATFORM_FOLDER "/packets.json";

std::string wrong_firmware(const std::string& name) {
    return "firmware=" + std::string(CF_WRONG_FIRMWARE) + "/" + name + ".elf";
}

// The output for a terminal that is wide enough.
std::string unwrapped(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

class nic_replay : public contraflow::test::binary_fixture {
protected:
    nic_replay() : binary_fixture(NIC_REPLAY) {}
    void expect_worked_cases_to_match(std::vector<std::string> words, const std::string& title);
};

}  // namespace

void nic_replay::expect_worked_cases_to_match(std::vector<std::string> words, const std::string& title) {
    words.insert(words.end(), {"--out", "r"});
    const outcome o = run(words);
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_THAT(o.out, HasSubstr("12 of 12 cases played, " + title + "; 12 of 12 match what is expected"));
    json got = json::parse(read_file(here_ / "r/actions.json"));
    const json wanted = json::parse(read_file(worked));
    ASSERT_EQ(got.size(), wanted.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
        EXPECT_EQ(got[i]["name"], wanted[i]["name"]);
        got[i].erase("name");
        EXPECT_EQ(got[i], wanted[i]["expected"]) << wanted[i]["name"];
    }
    EXPECT_EQ(report("r")["levels"]["receive datapath"], title);
}

TEST_F(nic_replay, what_a_run_leaves_is_told_before_it) {
    expect_results_told({worked, "--level", "tlm"});
    expect_results_told({worked, "--level", "firmware"});
}
TEST_F(nic_replay, worked_cases_match_at_level_firmware) {
    expect_worked_cases_to_match({worked, "--level", "firmware"}, "firmware");
}
TEST_F(nic_replay, worked_cases_match_at_level_tlm) { expect_worked_cases_to_match({worked, "--level", "tlm"}, "TLM"); }
TEST_F(nic_replay, worked_cases_match_at_level_rtl) { expect_worked_cases_to_match({worked, "--level", "rtl"}, "RTL"); }
TEST_F(nic_replay, worked_cases_match_at_level_rtl_with_firmware) {
    expect_worked_cases_to_match({worked, "--level", "rtl", "--set", "miss=firmware"}, "RTL with firmware");
}
TEST_F(nic_replay, worked_cases_match_in_lockstep) {
    expect_worked_cases_to_match({worked, "--level", "lockstep"}, "firmware and TLM in lockstep");
}

TEST_F(nic_replay, a_difference_is_told_and_fails_the_run) {
    json cases = json::parse(read_file(worked));
    cases[0]["expected"]["counters"]["bytes"] = 1;
    here_.write("wrong.json", cases.dump());
    const outcome o = run({"wrong.json"});
    EXPECT_EQ(o.code, 1);
    EXPECT_THAT(o.out, HasSubstr("11 of 12 match"));
    EXPECT_THAT(o.out, HasSubstr("warning: 1 case differs from the expected results\n"));
    EXPECT_THAT(o.out, HasSubstr("counter bytes is"));
}

TEST_F(nic_replay, a_limit_of_simulated_time_ends_the_run_with_partial_results) {
    for (const std::string level : {"firmware", "tlm", "rtl", "lockstep"}) {
        const outcome o = run({worked, "--level", level, "--limit-time", "1us", "--out", level});
        EXPECT_EQ(o.code, 4) << level << o.err;
        EXPECT_THAT(unwrapped(o.out), HasSubstr("Partial results: stopped by --limit-time 1us.")) << level;
        EXPECT_THAT(unwrapped(o.out), HasSubstr(": stopped at 1us")) << level;
        EXPECT_LT(json::parse(read_file(here_ / level / "actions.json")).size(), 12u) << level;
    }
    const outcome o = run({worked, "--level", "rtl", "--limit-time", "1s"});
    EXPECT_EQ(o.code, 0) << o.out << o.err;
}

TEST_F(nic_replay, the_run_directory_can_be_run_again) {
    ASSERT_EQ(run({worked, "--set", "firmware=" CF_NIC_FIRMWARE, "--out", "a"}).code, 0);
    const std::string page = read_file(here_ / "a/report.html");
    EXPECT_THAT(page, HasSubstr("\"cases\":\"" + worked + ", SHA-256 "));
    EXPECT_THAT(page, HasSubstr("\"firmware\":\"" CF_NIC_FIRMWARE ", SHA-256 "));
    std::filesystem::rename(here_ / "a", here_ / "elsewhere");
    const outcome o = run({"elsewhere/config.yaml", "--out", "b"});
    ASSERT_EQ(o.code, 0) << o.err;
    for (const char* file : {"actions.json", "cases.json", "firmware.elf", "report.json"})
        EXPECT_EQ(read_file(here_ / "elsewhere" / file), read_file(here_ / "b" / file)) << file;
    EXPECT_EQ(page_without_origin(here_ / "elsewhere" / "report.html"),
              page_without_origin(here_ / "b" / "report.html"));
}

TEST_F(nic_replay, the_shipped_configuration_runs) {
    const outcome o = run({CF_PLATFORM_FOLDER "/nic_replay.yaml", "--out", "r"});
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_THAT(o.out, HasSubstr("what is dropped, and a get request between"));
    EXPECT_THAT(o.out, HasSubstr("page_walk"));
    const json firmware = report("r")["results"]["firmware"];
    EXPECT_GT(firmware["lookups"], 0);
    std::uint64_t searched = 0;
    for (const auto& routine : firmware["routines"])
        if (routine["name"] == "buffer_list_find") searched = routine["cycles"];
    EXPECT_GT(searched, 0u);
}

TEST_F(nic_replay, the_model_has_no_firmware_to_tell_of) {
    const outcome o = run({packets, "--level", "tlm"});
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_THAT(o.out, Not(HasSubstr("page_walk")));
}

TEST_F(nic_replay, the_configuration_it_prints_is_one_it_takes) {
    for (const std::string& input : {worked, std::string(CF_PLATFORM_FOLDER "/nic_replay.yaml")}) {
        const outcome printed = run({input, "--print-config"});
        ASSERT_EQ(printed.code, 0) << printed.err;
        here_.write("mine.yaml", printed.out);
        EXPECT_EQ(run({"mine.yaml", "--quiet"}).code, 0) << input;
    }
}

TEST_F(nic_replay, a_trace_shows_the_routines_of_one_case) {
    const outcome o = run({packets, "--only", "one of many buffers", "--trace", "--out", "r"});
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_THAT(read_file(here_ / "r/trace.json"), HasSubstr("buffer_list_find"));
}

TEST_F(nic_replay, waves_show_pipeline_and_core_on_one_axis) {
    const outcome o = run({packets, "--only", "one of many buffers", "--wave", "vcd", "--out", "r"});
    ASSERT_EQ(o.code, 0) << o.err;
    const auto waves = contraflow::test::vcd_reader::read(read_file(here_ / "r/waves.vcd"));
    const json cases = json::parse(read_file(here_ / "r/cases.json"));
    const auto played =
        std::find_if(cases.begin(), cases.end(), [](const json& c) { return c["name"] == "one of many buffers"; });
    const std::size_t sent = played->at("packets").size();
    std::map<std::uint64_t, std::map<std::string, std::uint64_t>> by_time;
    for (const auto& [name, signal] : waves.signals)
        for (const auto& [at, value] : signal.changes) by_time[at][name] = value;
    std::map<std::string, std::uint64_t> now;
    std::uint64_t longest_search = 0, search_begun = 0;
    for (const auto& [at, changed] : by_time) {
        const std::string find = "nic.receive.core.buffer_list_find";
        const std::uint64_t searching = now[find];
        for (const auto& [name, value] : changed) now[name] = value;
        if (now[find] > searching) search_begun = at;
        if (now[find] < searching) longest_search = std::max(longest_search, at - search_begun);
        // The core is in one routine at a time, and no packet overtakes another one in a stage.
        unsigned routines = 0;
        for (const auto& [name, value] : now) routines += name.starts_with("nic.receive.core.") ? value : 0;
        EXPECT_LE(routines, 1u) << "at " << at;
        const char* stages[] = {"received", "checked", "looked_up", "written", "retired"};
        for (unsigned i = 0; i + 1 < 5; ++i)
            EXPECT_GE(now[std::string("nic.receive.") + stages[i]], now[std::string("nic.receive.") + stages[i + 1]])
                << stages[i + 1] << " at " << at;
    }
    EXPECT_EQ(now["nic.receive.retired"], sent);
    EXPECT_EQ(now["nic.receive.tags"], 0u);
    EXPECT_GT(longest_search, 1'000'000u) << "the search of many buffers takes microseconds";
}

TEST_F(nic_replay, waves_show_the_ports_of_the_rtl) {
    const outcome o = run({worked, "--only", "traffic in turns", "--level", "rtl", "--wave", "vcd", "--out", "r"});
    ASSERT_EQ(o.code, 0) << o.err;
    const auto waves = contraflow::test::fst_values::read((here_ / "r/waves.vcd").string());
    const auto last = [&](const std::string& name) { return waves.changes("nic.receive." + name).back().second; };
    const auto most = [&](const std::string& name) {
        std::uint64_t value = 0;
        for (const auto& [at, v] : waves.changes("nic.receive." + name)) value = std::max(value, v);
        return value;
    };
    EXPECT_EQ(last("idle"), 1u);
    EXPECT_EQ(last("unacknowledged"), 0u);
    EXPECT_GT(most("unacknowledged"), 10u);
    EXPECT_LE(most("unacknowledged"), 32u);
    for (const char* name : {"in_valid", "dma_valid", "table_valid", "reading", "command_valid"})
        EXPECT_EQ(most(name), 1u) << name;
    EXPECT_EQ(most("dma_kind"), 2u) << "a completion";
}

// The RTL that is played again after the run shows at its ports what it did in the run, and the stages inside do what
// the ports show: three reads a walk.
TEST_F(nic_replay, waves_have_every_signal_of_the_rtl) {
    const outcome o = run({worked, "--only", "traffic in turns", "--level", "rtl", "--wave", "fst", "--out", "r"});
    ASSERT_EQ(o.code, 0) << o.err;
    const auto waves = contraflow::test::fst_values::read((here_ / "r/waves.fst").string());
    const std::string told = "nic.receive.", played = "rtl.nic.receive.", inner = played + "cf_nic_rx.";
    for (const std::string port :
         {"in_ready", "dma_valid", "dma_kind", "dma_tag", "table_valid", "error_valid", "idle"}) {
        std::uint64_t compared = 0;
        for (const auto& [at, high] : waves.changes(played + "clk_i")) {
            if (high == 0 || (port.starts_with("dma_") && waves.at(told + "dma_valid", {at}) == 0)) continue;
            ASSERT_EQ(waves.at(played + port + "_o", {at}), waves.at(told + port, {at})) << port << " at " << at;
            ++compared;
        }
        EXPECT_GT(compared, 100u) << port;
    }
    std::uint64_t reads = 0, done = 0;
    for (const auto& [at, value] : waves.changes(played + "table_valid_o")) reads += value;
    for (const auto& [at, value] : waves.changes(inner + "u_lookup.u_walker.done_valid_o")) done += value;
    EXPECT_GT(done, 0u);
    EXPECT_EQ(reads, 3 * done);
    const auto states = waves.names(inner + "u_lookup.u_walker.state_q");
    EXPECT_THAT(states, ::testing::Contains("Request"));
    const std::string gtkw = read_file(here_ / "r/waves.gtkw");
    EXPECT_THAT(gtkw, HasSubstr("-rtl.nic.receive\n@28\nrtl.nic.receive.clk_i\n"));
    EXPECT_THAT(gtkw, HasSubstr("-rtl.nic.receive: walker\n"));
    EXPECT_THAT(gtkw, HasSubstr("u_windows.gen_gpu[1].page_q"));
    // Every port of the block is there.
    for (const std::string& name : waves.all_names())
        if (name.starts_with(played) && name.find('.', played.size()) == std::string::npos) {
            EXPECT_THAT(gtkw, HasSubstr("\n" + name)) << name;
        }
}

TEST_F(nic_replay, waves_of_the_rtl_are_the_same_wherever_they_begin) {
    const std::vector<std::string> shown{worked, "--only", "traffic in turns", "--level", "rtl", "--wave", "fst"};
    const auto waves = [&](const std::string& to, const std::vector<std::string>& window) {
        std::vector<std::string> all = shown;
        all.insert(all.end(), window.begin(), window.end());
        all.insert(all.end(), {"--out", to});
        EXPECT_EQ(run(all).code, 0);
        return contraflow::test::fst_values::read((here_ / to / "waves.fst").string());
    };
    const auto whole = waves("whole", {}), part = waves("part", {"--wave-from", "2501ns"});
    for (const auto& name : part.all_names())
        ASSERT_EQ(part.changes(name), whole.since(name, contraflow::core::sim_time::from_ns(2501))) << name;
}

// While firmware walks, the block shows a look-up and its interrupt; the data that it has translated is written after
// that. The same in both forms of file.
TEST_F(nic_replay, waves_show_core_mailbox_and_rtl_on_one_axis) {
    for (const std::string form : {"vcd", "fst"}) {
        SCOPED_TRACE(form);
        const outcome o = run({packets, "--only", "a message to a GPU, two windows", "--level", "rtl", "--set",
                               "miss=firmware", "--wave", form, "--out", form});
        ASSERT_EQ(o.code, 0) << o.out << o.err;
        const auto waves = contraflow::test::fst_values::read((here_ / form / ("waves." + form)).string());
        const auto rises = [&](const std::string& name) {
            std::vector<std::uint64_t> at;
            for (const auto& [time, value] : waves.changes("nic.receive." + name))
                if (value != 0) at.push_back(time);
            return at;
        };
        const auto walks = rises("core.page_walk"), written = rises("dma_valid");
        ASSERT_FALSE(walks.empty());
        ASSERT_FALSE(written.empty());
        EXPECT_GT(written.front(), walks.front());
        for (const std::uint64_t at : walks)
            for (const std::string name : {"core_queues.lookups", "irq"})
                EXPECT_EQ(waves.at("nic.receive." + name, contraflow::core::sim_time{at}), 1u) << name << " at " << at;
        EXPECT_GT(rises("bus_access").size(), 30u);
        EXPECT_GT(rises("bus_write").size(), 0u);
        EXPECT_TRUE(rises("table_valid").empty()) << "the walker rests";
        EXPECT_EQ(waves.changes("nic.receive.core_queues.lookups").back().second, 0u);
    }
}

TEST_F(nic_replay, statistics_are_those_of_the_datapath_for_each_case) {
    const outcome o = run({worked, "--level", "rtl", "--out", "r"});
    ASSERT_EQ(o.code, 0) << o.err;
    const json wanted = json::parse(read_file(worked));
    const std::string csv = read_file(here_ / "r/stats.csv");
    for (std::size_t i = 0; i < wanted.size(); ++i)
        for (const char* counter : {"accepted", "bytes"}) {
            std::string unit = counter;
            if (unit == "accepted") unit = "packets";
            EXPECT_THAT(csv, HasSubstr("case[" + std::to_string(i) + "].nic.receive." + counter + ",count," + unit +
                                       "," + wanted[i]["expected"]["counters"][counter].dump() + "\n"));
        }
    for (const auto& row : report("r")["statistics"]) EXPECT_NE(row["description"], "") << row["path"];
}

TEST_F(nic_replay, waves_around_the_first_drop_begin_and_end_there) {
    const outcome o = run({packets, "--only", "what is dropped, and a get request between", "--wave", "vcd",
                           "--wave-around", "first_drop", "--out", "r"});
    ASSERT_EQ(o.code, 0) << o.err;
    std::istringstream waves(read_file(here_ / "r/waves.vcd"));
    std::uint64_t first = ~0ull, last = 0;
    for (std::string line; std::getline(waves, line);) {
        if (!line.starts_with('#')) continue;
        first = std::min<std::uint64_t>(first, std::stoull(line.substr(1)));
        last = std::stoull(line.substr(1));
    }
    EXPECT_GT(first, 0u);
    EXPECT_LE(last - first, 6'000'000u);
}

TEST_F(nic_replay, a_window_of_waves_outside_of_the_run_is_warned_of) {
    for (const std::string level : {"tlm", "rtl"})
        for (const std::string form : {"vcd", "fst"}) {
            const std::string to = level + form;
            const outcome o = run({worked, "--only", "traffic in turns", "--level", level, "--wave", form,
                                   "--wave-from", "1ms", "--out", to});
            EXPECT_EQ(o.code, 0) << o.err;
            EXPECT_THAT(unwrapped(o.out),
                        HasSubstr("warning: there are no waves: nothing changes from 1ms on; the last "
                                  "change before is at "));
            EXPECT_FALSE(std::filesystem::exists(here_ / to / ("waves." + form)));
        }
}

TEST_F(nic_replay, firmware_that_is_wrong_is_one_line_and_a_status) {
    const outcome crashed = run({packets, "--set", wrong_firmware("nic_crash")});
    EXPECT_EQ(crashed.code, 1);
    EXPECT_THAT(unwrapped(crashed.out), HasSubstr("a message to the host: FAULT at "));
    EXPECT_THAT(unwrapped(crashed.out),
                HasSubstr("us: nic_receive.core: store to 0x40000030: there is nothing at pc 0x"));
    const outcome hung = run({packets, "--set", wrong_firmware("nic_hang"), "--set", "around.watchdog=1ms"});
    EXPECT_EQ(hung.code, 3);
    EXPECT_THAT(hung.out, HasSubstr("a message to the host: no progress: nothing has moved from"));
    EXPECT_THAT(unwrapped(hung.out), HasSubstr("in 'receive_packet'; last bus access:"));
    const outcome compared = run({CF_TEST_DATA "/nic_rx/worked.json", "--level", "lockstep", "--set",
                                  wrong_firmware("nic_page_too_many"), "--out", "r"});
    EXPECT_EQ(compared.code, 1) << compared.out;
    EXPECT_THAT(compared.out, HasSubstr(": packet "));
    EXPECT_THAT(compared.out, HasSubstr("action "));
    // What both levels did around it.
    EXPECT_THAT(unwrapped(compared.out), HasSubstr("from 5us before the difference to 1us after it"));
    const auto waves = contraflow::test::fst_values::read((here_ / "r/difference.fst").string());
    for (const std::string signal : {"nic.receive.written", "nic.receive_tlm.written", "nic.receive.core.page_walk"})
        EXPECT_GT(waves.changes(signal).size(), 1u) << signal;
    EXPECT_THAT(read_file(here_ / "r/difference.gtkw"), HasSubstr("[dumpfile] \"/folder/difference.fst\"\n"
                                                                  "[savefile] \"/folder/difference.gtkw\"\n"));
    // The packet that differs, alone.
    EXPECT_THAT(unwrapped(compared.out), HasSubstr(": nic_replay OUT/packet.json --level lockstep --set "
                                                   "lockstep.acts=firmware --set lockstep.compared=tlm"));
    const outcome alone =
        run({"r/packet.json", "--level", "lockstep", "--set", wrong_firmware("nic_page_too_many"), "--quiet"});
    EXPECT_EQ(alone.code, 1) << alone.out;
    EXPECT_THAT(unwrapped(alone.out), HasSubstr(": packet 0, action 0: firmware {"));
    EXPECT_THAT(alone.out, HasSubstr("nic_replay: 1 case ("));
    EXPECT_THAT(alone.out, HasSubstr("0 of 1 case played to the end, firmware and TLM in lockstep"));
    EXPECT_EQ(run({"r/packet.json", "--level", "lockstep"}).code, 0);
}

// A real debugger, with the program's symbols.
TEST_F(nic_replay, gdb_stops_where_a_packet_is_looked_up_and_shows_it) {
    here_.write("commands", "break look_up\n"
                            "continue\n"
                            "print *request\n"
                            "continue\n"
                            "print/x request->address\n"
                            "backtrace\n"
                            "delete\n"
                            "continue\n");
    command replayed({NIC_REPLAY, packets, "--only", "a message to the host", "--gdb", "0", "--out", "r"},
                     here_.path());
    ASSERT_TRUE(replayed.wait_for("\n"));
    const std::string said = replayed.errors();
    const std::string port = said.substr(said.rfind(':') + 1, said.find('\n') - said.rfind(':') - 1);
    const outcome gdb =
        command({"/usr/bin/timeout", "900", "gdb-multiarch", "-nx", "-batch", "-ex", "set confirm off", "-ex",
                 "target remote localhost:" + port, "-x", (here_ / "commands").string(), CF_NIC_FIRMWARE},
                here_.path())
            .wait();
    EXPECT_THAT(gdb.out, HasSubstr("address = 139637976731392, length = 512, process = 7, tag = 9"));
    EXPECT_THAT(gdb.out, HasSubstr("= 0x7f0000001100"));
    EXPECT_THAT(gdb.out, HasSubstr("in receive_packet"));
    EXPECT_EQ(replayed.wait().code, 0);
    EXPECT_EQ(json::parse(read_file(here_ / "r/actions.json"))[0]["counters"]["accepted"], 4);
}

TEST_F(nic_replay, a_wait_for_a_debugger_ends_at_the_limit_and_at_the_first_signal) {
    const std::vector<std::string> waiting{NIC_REPLAY, packets, "--only", "a message to the host", "--gdb", "0"};
    // A limit that ends before the machine is made is too short for this computer.
    const std::string waited = "a message to the host: stopped while it waited for a debugger";
    std::string said;
    for (unsigned seconds = 1; seconds < 1000 && said.find(waited) == said.npos; seconds *= 4) {
        auto limited = waiting;
        limited.insert(limited.end(), {"--limit-wall", std::to_string(seconds)});
        const outcome o = command(limited, here_.path()).wait();
        EXPECT_EQ(o.code, 4) << o.err;
        said = unwrapped(o.out);
        EXPECT_THAT(said, HasSubstr("Partial results: stopped by --limit-wall " + std::to_string(seconds) + "."));
    }
    EXPECT_THAT(said, HasSubstr(waited));
    for (const int signal : {SIGINT, SIGTERM}) {
        command stopped(waiting, here_.path());
        ASSERT_TRUE(stopped.wait_for("target remote localhost:"));
        stopped.send(signal);
        EXPECT_EQ(stopped.wait().code, 4);
    }
}

TEST_F(nic_replay, wrong_input_is_one_clear_message_and_status_2) {
    struct expectation {
        std::vector<std::string> words;
        std::string text;
    };
    here_.write("cut.json", "[{\"name\": \"x\",\n  \"node\": [1, 2");
    here_.write("typo.json", R"([{"name":"x","node":[0,0,0],"bufers":[],"tables":[],"buffers":[],"packets":[]}])");
    here_.write("twice.json", R"([{"name":"x","name":"y"}])");
    here_.write("empty.json", "");
    here_.write("binary.json", "[\xff]");
    here_.write("blank.json", "[]");
    here_.write("none.yaml", "cases: nowhere.json\n");
    // More than the RTL has.
    here_.write("large.json", R"([{"name": "small", "node": [0, 0, 0], "tables": [], "packets": [], "buffers": []},
 {"name": "large", "node": [0, 0, 0], "tables": [], "packets": [], "buffers": [
  {"index": 64, "valid": true, "process": 1, "base": "0", "length": 1, "space": "host", "writable": true, "root": "0",
   "ring": 16}]}])");
    const std::vector<expectation> all{
        {{worked, "--level", "firmwere"},
         "--level 'firmwere': there is no such level; firmware, tlm, rtl and lockstep are (did you mean 'firmware'?)"},
        {{worked, "--only", "trafic in turns"}, "there is no such case (did you mean 'traffic in turns'?)"},
        {{worked, "--set", "core.table_latncy=70ns"}, "did you mean 'table_latency'?"},
        {{worked, "--set", "level=rt"}, "level"},
        {{worked, "--set", "around.acknowledge_latency=1ms"},
         "--set:1:28: error: around.acknowledge_latency: acknowledge_latency is 1ms, and the watchdog ends a run after "
         "500us without progress\n"},
        {{worked, "--set", "around.acknowledge_latency=1ms"}, "allowed: less than 500us\n"},
        {{worked, "--level", "tlm", "--set", "around.watchdog=1us", "--set", "around.table_latency=1us"},
         "error: around.table_latency: table_latency is 1us, and the watchdog ends a run after 1us without progress\n"},
        {{worked, "--level", "rtl", "--set", "datapath.clock=1MHz"},
         "the longest packet may take 1032us at 1 MHz, and the watchdog ends a run after 500us without progress\n"},
        {{worked, "--set", "core.core.data.base=0"},
         "--set:1:21: error: core.core.data.base: the core's memories overlap: code from 0x0 to 0x10000, data from "},
        {{worked, "--set", "core.core.data.base=4294963200"},
         "the core's data memory ends at 0x10000f000, after 4 GiB"},
        {{worked, "--level", "rtl", "--set", "datapath.writes=64"},
         "--set:1:17: error: datapath.writes: writes is 64, and the RTL is built for 32"},
        {{worked, "--level", "lockstep", "--set", "lockstep.compared=firmware"},
         "--set:1:19: error: lockstep.compared: firmware would be compared with firmware"},
        {{worked, "--level", "tlm", "--set", "lockstep.acts=rtl"},
         "--set:1:15: error: lockstep.acts: it has a meaning at level lockstep, and level is tlm"},
        {{worked, "--level", "tlm", "--set", "lockstep.acts=rtl"}, "allowed: with level: lockstep\n"},
        {{worked, "--level", "lockstep", "--set", "miss=firmware"},
         "--set:1:6: error: miss: firmware serves the misses of RTL, and level is lockstep of firmware and tlm"},
        {{"large.json", "--level", "rtl"},
         "large.json:3:13: error: [1].buffers[0].index: 64, and the RTL is built for 0 to 63\n"},
        {{"large.json", "--level", "lockstep", "--set", "lockstep.compared=rtl", "--only", "large"},
         "large.json:4:12: error: [1].buffers[0].ring: 16, and the RTL is built for 0 to 15\n"},
        {{"large.json", "--level", "rtl"}, "allowed there: 0 to 63, or level firmware or tlm\n"},
        {{"cut.json"}, "cut.json:2:"},
        {{"empty.json"}, "error: the file is empty; a list of cases as JSON is wanted, with at least one case\n"},
        {{"binary.json"}, "binary.json:1:2: error: not a text file: byte 0xff; a file of cases is JSON in UTF-8\n"},
        {{"."}, "error: is a directory; name a JSON file of cases in it\n"},
        {{"blank.json"}, "blank.json"},
        {{"typo.json"}, "typo.json:1:29: error: [0]: unknown key 'bufers'\n"},
        {{"typo.json"}, "did you mean 'buffers'? known: name, node, max_payload, tables, buffers, packets, expected\n"},
        {{"twice.json"}, "twice.json:1:14: error: a second key 'name' in one object\n"},
        {{"nowhere.json"}, "nowhere.json"},
        {{"none.yaml"}, "nowhere.json"},
        {{worked, "--levle", "tlm"}, "--level"},
        {{}, "nothing to play"},
        {{worked, "--set", "firmware=" NIC_REPLAY}, ": is for x86-64; a RISC-V program of 32 bits is wanted"},
        {{worked, "--set", "firmware=none.elf"}, "--set:1:10: error: firmware: none.elf: cannot be read\n"},
        {{worked, "--only", "traffic in turns", "--level", "rtl", "--wave", "vcd", "--wave-around", "first_difference",
          "--out", "r"},
         "--wave-around first_difference: only level lockstep compares two levels, and level is rtl\n"},
        {{worked, "--set", "firmware=none.elf", "--level", "tlm"}, "no core would run this program, as level is tlm"},
        {{worked, "--gdb", "0"}, "--gdb debugs one case: --only NAME"},
        {{worked, "--gdb", "70000"}, "--gdb"},
        {{worked, "--gdb", "0", "--level", "tlm"},
         "--gdb debugs firmware: --set level=firmware, or lockstep with it\n"},
        {{worked, "--gdb", "0", "--level", "rtl"},
         "--gdb debugs firmware: --set level=firmware, or lockstep with it, or --set miss=firmware\n"},
        {{worked, "--trace", "--out", "r"}, "--trace shows one case: --only NAME"},
        {{worked, "--wave", "fst", "--out", "r"}, "--wave shows one case: --only NAME"},
    };
    for (const auto& e : all) {
        const outcome o = run(e.words);
        EXPECT_EQ(o.code, 2) << o.out << o.err;
        EXPECT_THAT(o.err, HasSubstr(e.text));
        EXPECT_EQ(o.out, "") << e.text;
    }
}

TEST_F(nic_replay, every_cell_follows_from_the_statistics_of_its_case) {
    using contraflow::test::expect_cell;
    using contraflow::test::report_statistics;
    const outcome o = run({packets, "--level", "firmware", "--out", "r"});
    ASSERT_EQ(o.code, 0) << o.err;
    const json r = report("r"), given = json::parse(read_file(here_ / "r/cases.json")),
               left = json::parse(read_file(here_ / "r/actions.json"));
    const report_statistics s(r, read_file(here_ / "r/stats.csv"));
    const auto rows = s.rows("cases");
    ASSERT_EQ(rows.size(), given.size());
    EXPECT_THAT(r["headline"].dump(),
                HasSubstr(std::to_string(given.size()) + " of " + std::to_string(given.size()) + " cases played"));
    double dropped = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto& cell = rows[i];
        SCOPED_TRACE(given[i]["name"]);
        const std::string of = "case[" + std::to_string(i) + "].nic_receive.core.";
        EXPECT_EQ(cell.at("case"), given[i]["name"]);
        EXPECT_EQ(cell.at("packets"), given[i]["packets"].size());
        EXPECT_EQ(cell.at("actions"), left[i]["actions"].size());
        const std::string receive = "case\\[" + std::to_string(i) + "\\]\\..*";
        expect_cell(cell.at("accepted"), s.sum(receive + "\\.accepted"), "accepted");
        expect_cell(cell.at("to the core"), s.sum(receive + "\\.mailbox"), "to the core");
        expect_cell(cell.at("dropped"), s.sum(receive + "\\.drop\\.[a-z_]+"), "dropped");
        expect_cell(cell.at("payload"), s.sum(receive + "\\.bytes"), "payload");
        EXPECT_EQ(cell.at("time"), r["results"]["cases"][i]["time_us"]);
        dropped += cell.at("dropped").get<double>();
    }
    EXPECT_GT(dropped, 0) << "or that column was not tried";
    double work = 0, share = 0;
    const auto routines = s.rows("routines");
    for (const auto& cell : routines)
        if (cell.at("routine") != "(waits for an interrupt)") work += cell.at("cycles").get<double>();
    for (const auto& cell : routines) {
        if (cell.at("routine") == "(waits for an interrupt)") continue;
        expect_cell(cell.at("share of the work"), 100 * cell.at("cycles").get<double>() / work, cell.at("routine"));
        share += cell.at("share of the work").get<double>();
    }
    EXPECT_NEAR(share, 100, 1e-6);
    char said[60];
    std::snprintf(said, sizeof said, "Firmware takes %.3g us a put",
                  s.sum(".*\\.lookup_time") / s.sum(".*\\.lookups") / 1e6);
    EXPECT_THAT(r["headline"].dump(), HasSubstr(said));
}
