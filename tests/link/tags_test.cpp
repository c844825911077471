// SPDX-License-Identifier: Apache-2.0
// Responses without data, of which several travel in one header.
#include <gtest/gtest.h>

#include "traffic.h"

namespace contraflow::link {
namespace {

using core::sim_time;
using testing::bench;

link_spec fixed_lanes(std::uint32_t lanes) {
    link_spec s;
    s.lanes.policy = "static";
    s.lanes.lanes_per_direction = lanes;
    return s;
}

TEST(link_tags, that_wait_travel_as_one_packet) {
    link_spec s = fixed_lanes(1);
    s.ack_coalescing = 3;
    bench on(s);
    for (int i = 0; i < 5; ++i) on.a.queue(0, 0, true);  // 2 phits: the first alone, then three, then one
    on.a.queue(0, 8);
    on.a.queue(0, 0, true);
    on.sim.run();
    EXPECT_EQ(on.b.received(0), 7u);
    EXPECT_EQ(on.link.statistics(direction::ab).packets.value(), 7u);
    EXPECT_EQ(on.link.statistics(direction::ab).wire.value(), 3 * 16u + 24 + 16);
    EXPECT_EQ(on.b.last().arrived.ps, 3 * 2000u + 3000 + 2000 + 24000);
    EXPECT_EQ(on.broken(), "");
}

TEST(link_tags, that_travel_as_one_need_a_place_in_the_buffer_each) {
    link_spec s = fixed_lanes(1);
    s.receive_buffer = {48};  // three headers
    bench on(s);
    on.b.hold_back(true);
    for (int i = 0; i < 5; ++i) on.a.queue(0, 0, true);
    on.sim.run();
    EXPECT_EQ(on.link.channel(direction::ab).queued(0), 2u);
    on.b.hold_back(false);
    on.sim.run();
    EXPECT_EQ(on.b.received(0), 5u);
    EXPECT_EQ(on.link.statistics(direction::ab).wire.value(), 3 * 16u);
    EXPECT_EQ(on.broken(), "");
}

TEST(link_tags, that_travelled_as_one_are_sent_again_as_one) {
    link_spec s = fixed_lanes(2);
    s.header = {32};
    s.ack_coalescing = 4;
    bench on(s);
    for (int i = 0; i < 5; ++i) on.a.queue(0, 0, true);
    on.sim.events().at(
        sim_time{3000}, [](void* l, std::uint64_t) { static_cast<reversible_link*>(l)->fail_lane(direction::ab); },
        &on.link);
    on.sim.run();
    EXPECT_EQ(on.b.received(0), 5u);
    EXPECT_EQ(on.link.statistics(direction::ab).resent.value(), 4u);
    EXPECT_EQ(on.link.statistics(direction::ab).wire.value(), 3 * 32u);
    EXPECT_EQ(on.broken(), "");
}

}  // namespace
}  // namespace contraflow::link
