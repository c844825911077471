// SPDX-License-Identifier: Apache-2.0
#include "observe/waves/signal_outputs.h"
#include "observe/waves/wave_recording.h"
#include "observe/waves/waves.h"

#include <limits>
#include <random>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "vcd_reader.h"

namespace contraflow::observe {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

// A core may be ahead of the simulation; its earlier values arrive later.
TEST(wave_recording, a_signal_that_is_behind_others_is_put_in_its_place) {
    observe::wave_recording r;
    const auto a = r.add("top.a", 8), b = r.add("top.b", 8);
    r.set(a, core::sim_time{10}, 1);
    r.set(a, core::sim_time{40}, 2);
    r.set(b, core::sim_time{10}, 3);
    r.set(b, core::sim_time{20}, 4);
    r.set(a, core::sim_time{50}, 5);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> seen;
    for (const auto& c : r.changes()) seen.emplace_back(c.at.ps, c.value);
    EXPECT_EQ(seen,
              (std::vector<std::pair<std::uint64_t, std::uint64_t>>{{10, 1}, {10, 3}, {20, 4}, {40, 2}, {50, 5}}));
}

TEST(waves, write_changes_in_picoseconds_and_only_changes) {
    std::ostringstream out;
    waves w(out);
    const auto busy = w.add("gpu[0].l2.busy", 1);
    const auto entries = w.add("gpu[0].l2.entries", 8);
    w.set(entries, {1000}, 5);
    w.set(busy, {1000}, 1);
    w.set(entries, {2000}, 5);  // no change
    w.set(entries, {3001}, 6);
    w.set(busy, {3001}, 0);
    w.close({9000});
    const auto v = test::vcd_reader::read(out.str());
    EXPECT_EQ(v.timescale, "1ps");
    EXPECT_EQ(v.end_ps, 9000u);
    EXPECT_THAT(v.signals.at("gpu[0].l2.entries").changes, ElementsAre(Pair(0, 0), Pair(1000, 5), Pair(3001, 6)));
    EXPECT_THAT(v.signals.at("gpu[0].l2.busy").changes, ElementsAre(Pair(0, 0), Pair(1000, 1), Pair(3001, 0)));
    EXPECT_EQ(out.str().find("#2000"), std::string::npos);
}

TEST(waves, take_the_last_value_of_an_instant) {
    std::ostringstream out;
    waves w(out);
    const auto a = w.add("a", 4);
    w.set(a, {0}, 3);
    w.set(a, {0}, 7);
    w.set(a, {10}, 1);
    w.set(a, {10}, 7);  // back to its first value
    w.set(a, {20}, 2);
    w.close({20});
    const auto v = test::vcd_reader::read(out.str());
    EXPECT_THAT(v.signals.at("a").changes, ElementsAre(Pair(0, 7), Pair(20, 2)));
    EXPECT_EQ(v.end_ps, 20u);
}

TEST(waves, nest_scopes_once_each_whatever_the_order_of_signals) {
    std::ostringstream out;
    waves w(out);
    w.add("gpu[1].l2.a", 1);
    w.add("gpu[0].l2.a", 1);
    w.add("gpu[1].b", 1);
    w.add("top", 1);
    w.add("gpu[1].l2.c", 1);
    w.add("gpu[0].l20.a", 1);
    w.close({});
    const auto v = test::vcd_reader::read(out.str());
    EXPECT_EQ(v.signals.size(), 6u);
    EXPECT_THAT(v.scopes, ElementsAre("gpu[1]", "gpu[1].l2", "gpu[0]", "gpu[0].l2", "gpu[0].l20"));
}

TEST(waves, take_widths_from_1_to_64_and_cut_what_is_above) {
    std::ostringstream out;
    waves w(out);
    std::vector<signal_id> ids;
    for (unsigned bits = 1; bits <= 64; ++bits) ids.push_back(w.add(fmt::format("s{}", bits), bits));
    for (const auto id : ids) w.set(id, {7}, std::numeric_limits<std::uint64_t>::max());
    w.close({8});
    const auto v = test::vcd_reader::read(out.str());
    for (unsigned bits = 1; bits <= 64; ++bits) {
        const auto& s = v.signals.at(fmt::format("s{}", bits));
        EXPECT_EQ(s.bits, bits);
        EXPECT_EQ(s.changes.back().second, std::numeric_limits<std::uint64_t>::max() >> (64 - bits));
    }
}

TEST(waves, refuse_what_no_viewer_could_show) {
    std::ostringstream out;
    waves w(out);
    EXPECT_THROW(w.add("", 1), std::logic_error);
    EXPECT_THROW(w.add("a..b", 1), std::logic_error);
    EXPECT_THROW(w.add(".a", 1), std::logic_error);
    EXPECT_THROW(w.add("a.", 1), std::logic_error);
    EXPECT_THROW(w.add("a", 0), std::logic_error);
    EXPECT_THROW(w.add("a", 65), std::logic_error);
    const auto a = w.add("a", 1);
    EXPECT_THROW(w.add("a", 1), std::logic_error);
    w.set(a, {5}, 1);
    EXPECT_THROW(w.add("b", 1), std::logic_error);
    EXPECT_THROW(w.set(a, {4}, 0), std::logic_error);
    w.close({5});
    EXPECT_EQ(test::vcd_reader::read(out.str()).signals.size(), 1u);
}

TEST(waves, make_odd_names_readable_to_viewers) {
    std::ostringstream out;
    waves w(out);
    w.add("GPU 0\n.caf\xc3\xa9", 1);
    w.close({});
    EXPECT_TRUE(test::vcd_reader::read(out.str()).signals.contains("GPU_0_.caf__"));
}

TEST(waves, are_complete_without_a_change_and_when_closed_by_their_end) {
    std::ostringstream out;
    {
        waves w(out);
        const auto a = w.add("a", 2);
        w.set(a, {3}, 2);
    }
    EXPECT_THAT(test::vcd_reader::read(out.str()).signals.at("a").changes, ElementsAre(Pair(0, 0), Pair(3, 2)));
    std::ostringstream still;
    waves w(still);
    const auto a = w.add("a", 2);
    w.close({100});
    w.set(a, {200}, 1);  // dropped
    w.close({300});
    const auto v = test::vcd_reader::read(still.str());
    EXPECT_THAT(v.signals.at("a").changes, ElementsAre(Pair(0, 0)));
    EXPECT_EQ(v.end_ps, 100u);
}

TEST(waves, read_back_as_written) {
    std::mt19937_64 random(11);
    std::ostringstream out;
    waves w(out);
    constexpr unsigned count = 10'000;  // identifiers of one, two and three characters
    std::vector<signal_id> ids;
    std::vector<std::uint64_t> values(count, 0);
    std::vector<std::vector<std::pair<std::uint64_t, std::uint64_t>>> expected(count, {{0, 0}});
    for (unsigned i = 0; i < count; ++i) ids.push_back(w.add(fmt::format("n{}.s{}", i % 97, i), 16));
    for (std::uint64_t t = 1; t < 100'000; t += 1 + random() % 9) {
        const auto i = static_cast<unsigned>(random() % count);
        const std::uint64_t value = random() % 3;
        w.set(ids[i], {t}, value);
        if (value != values[i]) expected[i].emplace_back(t, value);
        values[i] = value;
    }
    EXPECT_FALSE(out.str().empty());  // written during the run
    w.close({100'000});
    const auto v = test::vcd_reader::read(out.str());
    for (unsigned i = 0; i < count; ++i) {
        const auto name = fmt::format("n{}.s{}", i % 97, i);
        ASSERT_EQ(v.signals.at(name).changes, expected[i]) << name;
    }
}

TEST(waves, come_with_a_gtkw_grouped_by_scope) {
    std::ostringstream out;
    waves w(out);
    w.add("gpu[0].l2.entries", 8);
    w.add("gpu[0].busy", 1);
    w.add("gpu[0].l2.hit", 1);
    w.add("top", 64);
    w.close({1ull << 30});
    std::ostringstream gtkw;
    w.write_gtkw(gtkw, "waves.vcd");
    EXPECT_EQ(gtkw.str(),
              "[dumpfile] \"/folder/waves.vcd\"\n[savefile] \"/folder/waves.gtkw\"\n[timestart] 0\n"
              "*-28.678 -1\n[sst_expanded] 1\n"
              "@24\ntop[63:0]\n"
              "@800200\n-gpu[0]\n@28\ngpu[0].busy\n@1000200\n-gpu[0]\n"
              "@800200\n-gpu[0].l2\n@24\ngpu[0].l2.entries[7:0]\n@28\ngpu[0].l2.hit\n@1000200\n-gpu[0].l2\n");
}

TEST(waves, of_queues_and_credits_are_drawn_as_steps) {
    std::ostringstream out;
    waves w(out);
    for (const char* name : {"link0.vc[0].queue", "link0.vc[0].credits", "link0.number"}) w.add(name, 16);
    for (const char* name : {"core_queues.lookups", "transmit.descriptors"}) w.add(name, 16);
    w.add("link0.queue_full", 1);
    w.close({1000});
    std::ostringstream gtkw;
    w.write_gtkw(gtkw, "waves.vcd");
    // Decimal, from the right, analog steps over the full scale, three rows high.
    const std::string curve =
        "@88024\nlink0.vc[0].queue[15:0]\n@20000\n-\n@20000\n-\n@88024\nlink0.vc[0].credits[15:0]\n";
    EXPECT_NE(gtkw.str().find(curve), std::string::npos) << gtkw.str();
    for (const char* other : {"@88024\ncore_queues.lookups[15:0]\n", "@88024\ntransmit.descriptors[15:0]\n"})
        EXPECT_NE(gtkw.str().find(other), std::string::npos) << gtkw.str();
    EXPECT_NE(gtkw.str().find("@24\nlink0.number[15:0]\n@28\nlink0.queue_full\n"), std::string::npos) << gtkw.str();
}

TEST(signal_outputs, make_counters_of_a_trace_within_its_window) {
    std::ostringstream out, dump;
    trace t(out);
    waves w(dump);
    signal_outputs both(&t, &w, {{10}, {30}});
    const auto queue = both.sink()->add("link0.ab.queue", 8), idle = both.sink()->add("link0.ab.idle", 8);
    both.sink()->set(queue, {1}, 3);
    both.sink()->set(idle, {2}, 1);
    both.sink()->set(queue, {20}, 5);
    both.sink()->set(queue, {21}, 5);
    both.sink()->set(queue, {30}, 7);
    t.close();
    w.close({40});
    std::vector<std::string> counters;
    for (const auto& e : nlohmann::json::parse(out.str()))
        if (e["ph"] == "C")
            counters.push_back(fmt::format("{} {} {}", e["name"].get<std::string>(), e["ts"].get<double>() * 1e6,
                                           e["args"]["value"].get<double>()));
    EXPECT_THAT(counters, ElementsAre("ab.queue 10 3", "ab.idle 10 1", "ab.queue 20 5"));
    EXPECT_THAT(out.str(), ::testing::HasSubstr("\"link0\""));
    EXPECT_THAT(dump.str(), ::testing::HasSubstr("#30\n")) << "waves have all of it";
    EXPECT_EQ(signal_outputs(nullptr, nullptr, {}).sink(), nullptr);
    EXPECT_EQ(signal_outputs(nullptr, &w, {}).sink(), &w);
}

TEST(signal_outputs, thin_out_what_changes_often) {
    std::ostringstream out;
    trace t(out);
    trace_counters counters(t, {});
    const auto queue = counters.add("link0.queue", 32);
    constexpr std::uint64_t changes = 100'000;
    for (std::uint64_t i = 1; i <= changes; ++i) counters.set(queue, core::sim_time::from_ns(i), i);
    t.close();
    double last = -1;
    std::size_t shown = 0;
    for (const auto& e : nlohmann::json::parse(out.str())) {
        if (e["ph"] != "C") continue;
        EXPECT_NEAR(e["args"]["value"].get<double>(), e["ts"].get<double>() * 1e3, 1e-6) << "each value at its time";
        EXPECT_GT(e["ts"], last);
        last = e["ts"];
        ++shown;
    }
    EXPECT_GT(shown, 1000U);
    EXPECT_LT(shown, 4000U);
    EXPECT_GT(last, 95.0) << "until the end";
}

}  // namespace
}  // namespace contraflow::observe
