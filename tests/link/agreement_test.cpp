// SPDX-License-Identifier: Apache-2.0
// The packet-level link against the harness, under the same offered load: the same lanes, the same decisions, the bytes
// of each window within 1 %.
#include <map>

#include <gtest/gtest.h>

#include "link/lanes/policies.h"
#include "support.h"
#include "traffic.h"

namespace contraflow::link {
namespace {

using testing::bench;
using testing::trace_feed;
using testing::wide;
using testing::window_log;

// A cache line with its header; windows may differ by one packet.
constexpr std::uint64_t line = 18;

struct pair_of_runs {
    replay_result harness;
    std::vector<lane_window> link;
};

pair_of_runs play(const lane_spec& s, const std::vector<trace_row>& trace, std::uint64_t phits_a_packet) {
    pair_of_runs r;
    const auto lanes = make_lane_bank(s);
    r.harness = replay(*lanes, trace);
    bench on(wide(s));
    window_log log;
    on.link.set_observer(&log);
    trace_feed feed(on, trace, phits_a_packet);
    on.sim.run();
    EXPECT_EQ(on.broken(), "");
    EXPECT_EQ(on.b.received_bytes(), r.harness.served.ab * 8);
    EXPECT_EQ(on.a.received_bytes(), r.harness.served.ba * 8);
    r.link = log.windows;
    return r;
}

// Every window of the harness, with the link's; a window that is quiet in both exists only in the harness.
template <class Check> void each_window(const pair_of_runs& r, Check check) {
    std::map<std::uint64_t, lane_window> by_end;
    for (const lane_window& w : r.link) by_end[w.end] = w;
    for (const replayed_window& w : r.harness.windows) {
        if (w.lanes.busy.ab + w.lanes.busy.ba == 0 && !by_end.contains(w.lanes.end)) continue;
        ASSERT_TRUE(by_end.contains(w.lanes.end)) << w.lanes.end;
        check(w.lanes, by_end[w.lanes.end]);
    }
}

void expect_the_same_but_for_a_phit(const pair_of_runs& r) {
    each_window(r, [](const lane_window& h, const lane_window& l) {
        EXPECT_EQ(l.lanes, h.lanes) << "window that ends at " << h.end;
        EXPECT_EQ(l.decision, h.decision) << h.end;
        EXPECT_EQ(l.capacity, h.capacity) << h.end;
        for (const auto d : both_directions)
            EXPECT_NEAR(static_cast<double>(l.busy[d]), static_cast<double>(h.busy[d]), 1.0) << h.end << name(d);
    });
}

void expect_within_one_percent(const pair_of_runs& r) {
    each_window(r, [](const lane_window& h, const lane_window& l) {
        EXPECT_EQ(l.decision, h.decision) << "window that ends at " << h.end;
        for (const auto d : both_directions)
            EXPECT_NEAR(static_cast<double>(l.busy[d]), static_cast<double>(h.busy[d]),
                        std::max(0.01 * static_cast<double>(h.busy[d]), static_cast<double>(line)))
                << h.end << name(d);
    });
}

TEST(agreement, phit_by_phit_on_the_worked_cases) {
    for (const lane_case& c : testing::worked_cases()) {
        SCOPED_TRACE(c.name);
        expect_the_same_but_for_a_phit(play(c.spec, c.trace, 1));
    }
}

TEST(agreement, in_packets_of_a_cache_line_on_the_worked_cases) {
    for (const lane_case& c : testing::worked_cases()) {
        // One packet is over 1 % of a window of 100 cycles; and it decides where a direction is saturated by one part
        // in ten thousand over 99 %.
        if (c.spec.sample_time.count < 1000 || c.spec.sync_latency.count == 20) continue;
        SCOPED_TRACE(c.name);
        expect_within_one_percent(play(c.spec, c.trace, line));
    }
}

TEST(agreement, phit_by_phit_on_random_traces) {
    testing::generator g(23);
    for (int i = 0; i < 300; ++i) {
        SCOPED_TRACE(i);
        const lane_spec s = testing::random_spec(g);
        expect_the_same_but_for_a_phit(play(s, testing::random_trace(g, s), 1));
    }
}

}  // namespace
}  // namespace contraflow::link
