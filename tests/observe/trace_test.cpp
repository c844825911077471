// SPDX-License-Identifier: Apache-2.0
#include "observe/trace.h"

#include <limits>
#include <sstream>
#include <stdexcept>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace contraflow::observe {
namespace {

using core::sim_time;
using nlohmann::json;

// The events without the metadata.
std::vector<json> events(const std::string& text) {
    std::vector<json> result;
    for (const auto& e : json::parse(text))
        if (e["ph"] != "M") result.push_back(e);
    return result;
}

TEST(trace, is_valid_json_even_when_empty) {
    std::ostringstream out;
    trace(out).close();
    EXPECT_TRUE(json::parse(out.str()).empty());
}

TEST(trace, closes_when_it_goes_away) {
    std::ostringstream out;
    {
        trace t(out);
        t.slice(t.track("gpu0", "dma"), "write", {}, sim_time::from_ns(1));
    }
    EXPECT_EQ(events(out.str()).size(), 1u);
}

TEST(trace, drops_what_comes_after_the_close) {
    std::ostringstream out;
    trace t(out);
    const auto track = t.track("gpu0", "dma");
    t.close();
    t.slice(track, "late", {}, sim_time::from_ns(1));
    t.instant(track, "late", {});
    t.flow_begin(track, 1, "late", {});
    t.counter(track, "late", {}, 1);
    t.track("late", "late");
    t.close();
    EXPECT_EQ(json::parse(out.str()).size(), 4u);  // the names and places of one process and one thread
}

TEST(trace, names_its_tracks_once) {
    std::ostringstream out;
    trace t(out);
    const auto a = t.track("gpu0", "dma");
    const auto b = t.track("gpu0", "memory");
    const auto c = t.track("gpu1", "dma");
    EXPECT_EQ(t.track("gpu0", "dma"), a);
    EXPECT_EQ(a.process, b.process);
    EXPECT_NE(a.thread, b.thread);
    EXPECT_NE(a.process, c.process);
    EXPECT_NE(a.thread, c.thread);
    t.close();
    std::vector<std::string> names;
    for (const auto& e : json::parse(out.str())) {
        if (e["name"] == "process_name") { EXPECT_EQ(e["pid"], e["args"]["name"] == "gpu0" ? a.process : c.process); }
        if (e["args"].contains("name")) names.push_back(e["args"]["name"]);
    }
    EXPECT_EQ(names, (std::vector<std::string>{"gpu0", "dma", "memory", "gpu1", "dma"}));
}

TEST(trace, keeps_every_picosecond) {
    std::ostringstream out;
    trace t(out);
    const auto track = t.track("gpu0", "dma");
    t.slice(track, "long", {3'000'000'000'001}, {3'000'002'000'002}, R"({"bytes":256})");
    t.slice(track, "whole", sim_time::from_us(5), sim_time::from_us(7));
    t.close();
    EXPECT_NE(out.str().find(R"("ts":3000000.000001,"dur":2.000001,"args":{"bytes":256})"), std::string::npos);
    EXPECT_NE(out.str().find(R"("ts":5,"dur":2})"), std::string::npos);
    const auto e = events(out.str());
    EXPECT_EQ(e[0]["ph"], "X");
    EXPECT_EQ(e[0]["args"]["bytes"], 256);
    EXPECT_EQ(e[1]["tid"], track.thread);
}

TEST(trace, refuses_a_slice_that_ends_before_it_begins) {
    std::ostringstream out;
    trace t(out);
    const auto track = t.track("p", "t");
    EXPECT_THROW(t.slice(track, "x", {2}, {1}), std::logic_error);
    t.close();
    EXPECT_TRUE(events(out.str()).empty());
}

TEST(trace, joins_slices_by_flows) {
    std::ostringstream out;
    trace t(out);
    const auto track = t.track("p", "t");
    const std::uint64_t id = std::numeric_limits<std::uint64_t>::max();
    t.flow_begin(track, id, "write", {1});
    t.flow_step(track, id, "write", {2});
    t.flow_end(track, id, "write", {3});
    t.close();
    const auto e = events(out.str());
    ASSERT_EQ(e.size(), 3u);
    const char* phases[] = {"s", "t", "f"};
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(e[i]["ph"], phases[i]);
        EXPECT_EQ(e[i]["id"], "0xffffffffffffffff");
        EXPECT_EQ(e[i]["name"], "write");
        EXPECT_EQ(e[i]["cat"], "flow");
    }
    EXPECT_EQ(e[2]["bp"], "e");
}

TEST(trace, writes_counters_and_instants) {
    std::ostringstream out;
    trace t(out);
    const auto track = t.track("p", "t");
    t.counter(track, "credits", {1}, 12.5);
    t.counter(track, "credits", {2}, std::numeric_limits<double>::quiet_NaN());
    t.instant(track, "NAK", {3}, R"({"sequence":7})");
    t.close();
    const auto e = events(out.str());
    ASSERT_EQ(e.size(), 2u);
    EXPECT_EQ(e[0]["ph"], "C");
    EXPECT_EQ(e[0]["args"]["value"], 12.5);
    EXPECT_EQ(e[1]["s"], "t");
    EXPECT_EQ(e[1]["args"]["sequence"], 7);
}

TEST(trace, escapes_names) {
    const std::string name = "a\"b\\c\n\t\x01 \xc3\xa9 gpu[0]";
    std::ostringstream out;
    trace t(out);
    const auto track = t.track(name, "bad utf-8 \xff");
    t.slice(track, name, {}, {1});
    t.close();
    const auto all = json::parse(out.str());
    EXPECT_EQ(all[0]["args"]["name"], name);
    EXPECT_EQ(all[2]["args"]["name"], "bad utf-8 \xef\xbf\xbd");
    EXPECT_EQ(all[4]["name"], name);
}

TEST(trace, streams_large_traces_and_gives_the_same_bytes_again) {
    const auto run = [] {
        std::ostringstream out;
        trace t(out);
        const auto track = t.track("p", "t");
        for (std::uint64_t i = 0; i < 20'000; ++i) t.slice(track, "s", {i * 10}, {i * 10 + 5});
        EXPECT_GT(out.str().size(), 500'000u);  // written during the run
        t.close();
        return out.str();
    };
    const auto once = run();
    EXPECT_EQ(events(once).size(), 20'000u);
    EXPECT_EQ(once, run());
}

}  // namespace
}  // namespace contraflow::observe
