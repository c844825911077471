// SPDX-License-Identifier: Apache-2.0
// Waves of RTL and model, read back from the file: a turn to the cycle, and the same picture wherever it begins.
#include "cosim/lane_waves.h"

#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cosim/controller_set.h"
#include "cosim/fst_values.h"
#include "cosim/lane_player.h"
#include "link/support.h"
#include "wave/wave_output.h"

namespace contraflow::cosim {
namespace {

using core::sim_time;
using link::lane_spec;
using test::fst_values;
using ::testing::HasSubstr;

constexpr sim_time cycle{1000};

std::string text_of(const std::filesystem::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

// A folder of its own for each test.
class lane_waves_test : public ::testing::Test {
protected:
    lane_waves_test()
        : folder_(std::filesystem::path(::testing::TempDir()) /
                  fmt::format("{}_{}", ::testing::UnitTest::GetInstance()->current_test_info()->name(), ::getpid())) {
        std::filesystem::create_directories(folder_);
    }
    ~lane_waves_test() override { std::filesystem::remove_all(folder_); }

    fst_values write(const lane_spec& s, const lane_recording& told, sim_time from, sim_time to,
                     wave::format as = wave::format::fst, const std::string& stem = "waves",
                     const std::vector<link::trace_row>* trace = nullptr) {
        lane_waves source("link0", s, player_of(told), cycle, to, trace);
        observe::wave_recording recorded;
        recorded.keep(from, to);
        const auto queue = recorded.add("link0.ab.queue", 8);
        for (std::uint64_t ps = 0; ps < to.ps; ps += 700) recorded.set(queue, {ps}, ps / 700);
        wave::write_wave_output({folder_, stem, as, {}}, recorded, {&source});
        return fst_values::read((folder_ / (stem + (as == wave::format::fst ? ".fst" : ".vcd"))).string());
    }
    const std::filesystem::path folder_;
};

// One lane turns to A->B at the end of the first window.
lane_spec short_windows() {
    lane_spec s;
    s.sample_time = {50};
    s.switch_time = {20};
    s.drain = {4};
    return s;
}
lane_recording one_turn(const lane_spec& s) {
    const std::uint64_t w = s.sample_time.count * cycle.ps;
    lane_recording r;
    r.ticks_a_cycle = cycle.ps;
    r.events = {{lane_event::what::start, {}, 0, 0, 0}};
    r.add(link::direction::ab, {0, w, 8, 8 * w});
    r.add(link::direction::ab, {w + 2000, w + 39'500, 8, 300'000});
    r.add(link::direction::ba, {w + 10'000, w + 11'250, 8, 10'000});
    return r;
}

TEST_F(lane_waves_test, show_a_turn_to_the_cycle) {
    const auto s = short_windows();
    const auto v = write(s, one_turn(s), {}, cycle * 100);
    // Decided in cycle 49, which shows in 57; gone from B in 58, driven until 61, turnaround until 81, serves A->B from
    // 82 on.
    EXPECT_EQ(v.at("rtl.link0.window_end_o", {49'000}), 1u);
    EXPECT_EQ(v.at("rtl.link0.decision_o", {57'999}), 1u);
    EXPECT_EQ(v.at("rtl.link0.b_serve_o", {57'999}), 0xff00u);
    EXPECT_EQ(v.at("rtl.link0.b_serve_o", {58'000}), 0xfe00u);
    EXPECT_EQ(v.at("rtl.link0.b_drive_o", {61'999}), 0xff00u);
    EXPECT_EQ(v.at("rtl.link0.b_drive_o", {62'000}), 0xfe00u);
    EXPECT_EQ(v.at("rtl.link0.a_drive_o", {81'999}), 0x00ffu);
    EXPECT_EQ(v.at("rtl.link0.a_serve_o", {81'999}), 0x00ffu);
    EXPECT_EQ(v.at("rtl.link0.a_serve_o", {82'000}), 0x01ffu);
    EXPECT_EQ(v.at("rtl.link0.turning_o", {81'999}), 1u);
    EXPECT_EQ(v.at("rtl.link0.turning_o", {82'000}), 0u);
    // By name: Draining, Turnaround, Serving.
    const std::string state = "rtl.link0.cf_lane_reversal.u_core.gen_lane[8].u_turn.state_q";
    EXPECT_EQ(v.at(state, {57'999}), 0u);
    EXPECT_EQ(v.at(state, {58'000}), 1u);
    EXPECT_EQ(v.at(state, {62'000}), 2u);
    EXPECT_EQ(v.at(state, {82'000}), 0u);
    EXPECT_EQ(v.names(state),
              (std::vector<std::string>{"LaneServing", "LaneDraining", "LaneTurnaround", "LaneFailed"}));
}

TEST_F(lane_waves_test, have_rtl_model_and_recorded_signals_on_one_time_axis) {
    const auto s = short_windows();
    const auto v = write(s, one_turn(s), {}, cycle * 100);
    for (const char* const name : {"lanes_ab", "lanes_ba", "turning"})
        EXPECT_EQ(v.changes(fmt::format("link0.model.{}", name)), v.changes(fmt::format("rtl.link0.{}_o", name)))
            << name;
    EXPECT_EQ(v.at("link0.ab.queue", {6'999}), 9u);
    EXPECT_EQ(v.at("link0.ab.queue", {7'000}), 10u);
    // Sampled while the clock is low, with the cycle's phits.
    for (const std::uint64_t t : {0, 20, 49, 50, 60, 99})
        for (const char* const count : {"busy_ab", "capacity_ab", "busy_ba", "capacity_ba"}) {
            const sim_time low = cycle * t + sim_time{500};
            EXPECT_EQ(v.at(fmt::format("link0.model.{}", count), low), v.at(fmt::format("rtl.link0.{}_o", count), low))
                << count << ' ' << t;
        }
    EXPECT_EQ(v.at("rtl.link0.busy_ab_o", {99'500}), 300u);
}

// Two of the RTL's lanes fail in cycle 30, one of the model's.
TEST_F(lane_waves_test, tell_where_rtl_and_model_differ) {
    const auto s = short_windows();
    lane_recording told = one_turn(s);
    EXPECT_EQ(write(s, told, {}, cycle * 48).changes("link0.model.differs").size(), 1u);
    told.events.push_back({lane_event::what::fault, link::direction::ab, 30, 0, 3});
    const auto v = write(s, told, {}, cycle * 48);
    EXPECT_EQ(v.at("link0.model.differs", {30'499}), 0u);
    EXPECT_EQ(v.at("link0.model.differs", {30'500}), 1u);
    EXPECT_EQ(v.at("link0.model.differs", {47'999}), 1u);
}

// A has 8 lanes for 12 phits a cycle until 50, B 8 lanes for 10 from then on, and 7 from 58 on: one turns until 82.
// In 50..57 B lacks 2 a cycle, in 58 and 59 3: 22. Then it has 6 more than it needs.
TEST_F(lane_waves_test, show_the_queues_of_a_trace) {
    const auto s = short_windows();
    const std::vector<link::trace_row> trace{{50, {12, 0}, false}, {10, {0, 10}, false}, {40, {0, 1}, false}};
    controller_set set(controller_level::rtl, true);
    const auto lanes = set.factory()("link0", s, 1);
    const auto end = link::replay(*lanes, trace).drained;
    const lane_recording& told = set.records().front()->told;
    const auto v = write(s, told, {}, cycle * (end + 1), wave::format::fst, "queues", &trace);
    const auto at = [&](const char* queue, std::uint64_t t) {
        return v.at(fmt::format("link0.model.queue_{}", queue), cycle * t + sim_time{500});
    };
    EXPECT_EQ(at("ab", 0), 4u);
    EXPECT_EQ(at("ab", 49), 200u);
    EXPECT_EQ(at("ab", 50), 192u);
    EXPECT_EQ(at("ab", 73), 8u);
    EXPECT_EQ(at("ab", 74), 0u);
    EXPECT_EQ(at("ba", 49), 0u);
    EXPECT_EQ(at("ba", 50), 2u);
    EXPECT_EQ(at("ba", 59), 22u);
    EXPECT_EQ(at("ba", 60), 16u);
    EXPECT_EQ(at("ba", 63), 0u);
    const auto gtkw = text_of(folder_ / "queues.gtkw");
    for (const char* const d : {"ab", "ba"})
        EXPECT_THAT(gtkw, HasSubstr(fmt::format("\nlink0.model.queue_{}[31:0]\n", d)));
}

TEST_F(lane_waves_test, vcd_has_what_fst_has) {
    const auto s = short_windows();
    const auto fst = write(s, one_turn(s), cycle * 40, cycle * 80);
    const auto vcd = write(s, one_turn(s), cycle * 40, cycle * 80, wave::format::vcd, "v");
    EXPECT_EQ(fst.all(), vcd.all());
    EXPECT_GT(fst.all().size(), 500u);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "v.fst"));
}

TEST_F(lane_waves_test, gtkw_groups_signals_of_the_file_and_names_states) {
    const auto s = short_windows();
    for (const auto as : {wave::format::fst, wave::format::vcd}) {
        const auto v = write(s, one_turn(s), {}, cycle * 60, as);
        const auto gtkw = text_of(folder_ / "waves.gtkw");
        EXPECT_THAT(gtkw, HasSubstr("-rtl.link0\n@28\nrtl.link0.clk_i\n"));
        EXPECT_THAT(gtkw, HasSubstr("@c00200\n-rtl.link0: lane 8\n"));
        EXPECT_THAT(gtkw, HasSubstr("@28\nlink0.model.differs\n"));
        EXPECT_THAT(gtkw, HasSubstr("@24\nrtl.link0.lanes_ab_o[5:0]\n@24\nlink0.model.lanes_ab[5:0]\n"
                                    "@24\nrtl.link0.lanes_ba_o[5:0]\n@24\nlink0.model.lanes_ba[5:0]\n"));
        std::istringstream lines(gtkw);
        int shown = 0;
        for (std::string line; std::getline(lines, line);) {
            if (line.find_first_of("@-[*^") == 0) continue;
            ++shown;
            EXPECT_TRUE(v.has(line.ends_with(":0]") ? line.substr(0, line.rfind('[')) : line)) << line;
        }
        EXPECT_GT(shown, 70);
        const std::string state = "rtl.link0.cf_lane_reversal.u_core.gen_lane[8].u_turn.state_q[1:0]\n";
        const std::filesystem::path names = folder_ / "waves-lane_e.txt";
        // An FST holds the names itself; those of a VCD are in a separate file.
        if (as == wave::format::fst) {
            EXPECT_THAT(gtkw, HasSubstr("[dumpfile] \"/folder/waves.fst\""));
            EXPECT_THAT(gtkw, HasSubstr("@100000028\n" + state));
            EXPECT_FALSE(std::filesystem::exists(names));
        } else {
            EXPECT_THAT(gtkw, HasSubstr("@2028\n^3 waves-lane_e.txt\n" + state));
            EXPECT_EQ(text_of(names), "00 LaneServing\n01 LaneDraining\n10 LaneTurnaround\n11 LaneFailed\n");
        }
    }
}

TEST_F(lane_waves_test, show_the_same_wherever_they_begin) {
    link::testing::generator g(77);
    for (int run = 0; run < 12; ++run) {
        SCOPED_TRACE(run);
        lane_spec s = link::testing::random_rtl_spec(g);
        s.sample_time = {link::testing::pick(g, 8, 90)};
        controller_set set(controller_level::rtl, true);
        const auto lanes = set.factory()("link0", s, 1);
        const auto trace = link::testing::random_trace(g, s);
        const auto end = link::replay(*lanes, trace).drained;
        const auto& told = set.records().front()->told;
        const sim_time to = cycle * (end + 1), from = cycle * link::testing::pick(g, 0, end);
        const auto whole = write(s, told, {}, to, wave::format::fst, "whole", &trace);
        const auto part = write(s, told, from, to, wave::format::fst, "part", &trace);
        for (const auto& name : part.all_names())
            ASSERT_EQ(part.changes(name), whole.since(name, from)) << name << " from " << from.ps;
    }
}

}  // namespace
}  // namespace contraflow::cosim
