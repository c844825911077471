// SPDX-License-Identifier: Apache-2.0
// The effect of a link on a packet, and of its lanes on bandwidth.
#include "link/reversible_link.h"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "observe/watchdog.h"
#include "traffic.h"

namespace contraflow::link {
namespace link_test {

using core::sim_time;
using testing::bench;
using testing::cycle;
using ::testing::HasSubstr;
using testing::peer;
using testing::wide;
using testing::window_log;

// Keeps one side sending that many bytes of payload, a packet at a time.
void fill(peer& from, std::uint64_t payload, std::uint32_t size = 128, unsigned vc = 0) {
    for (std::uint64_t sent = 0; sent < payload; sent += size) from.queue(vc, size);
}

link_spec fixed(std::uint32_t lanes = 8) {
    link_spec s;
    s.lanes.policy = "static";
    s.lanes.lanes_per_direction = lanes;
    return s;
}

TEST(link, a_packet_takes_its_phits_over_the_lanes_then_the_way) {
    bench on(fixed());
    on.a.queue(0, 128);  // with 16 bytes of header: 18 phits, 2.25 cycles of 8 lanes
    on.sim.run();
    EXPECT_EQ(on.b.last().started.ps, 0u);
    EXPECT_EQ(on.b.last().arrived.ps, 2250u + 4000 + 20000);
    EXPECT_EQ(on.link.statistics(direction::ab).wire.value(), 144u);
    EXPECT_EQ(on.link.statistics(direction::ab).payload.value(), 128u);
    EXPECT_EQ(on.link.statistics(direction::ab).latency.max(), 26250u);
    EXPECT_EQ(on.broken(), "");
}

TEST(link, credits_take_the_way_back) {
    link_spec s = fixed();
    s.receive_buffer = {144};  // one packet
    bench on(s);
    on.a.queue(0, 128);
    on.a.queue(0, 128);
    on.sim.run();
    EXPECT_EQ(on.b.last().started.ps, 26250u + 24000);
    EXPECT_EQ(on.b.last().arrived.ps, 26250u + 24000 + 26250);
    EXPECT_EQ(on.link.statistics(direction::ab).credit_stall.value(), 26250u + 24000 - 2250);
    EXPECT_EQ(on.link.statistics(direction::ab).packets.value(), 2u);
    EXPECT_EQ(on.link.statistics(direction::ba).packets.value(), 0u);
}

TEST(link, a_phit_is_never_shared_by_packets) {
    bench on(fixed(1));
    on.a.queue(0, 1);  // 17 bytes: 3 phits
    on.a.queue(0, 0);
    on.sim.run();
    EXPECT_EQ(on.link.statistics(direction::ab).wire.value(), 24u + 16);
    EXPECT_EQ(on.b.last().arrived.ps, 5000u + 24000);
}

TEST(link, starved_when_it_was_paused_it_goes_on_when_it_may) {
    link_spec s = fixed();
    s.vcs = 2;
    s.receive_buffer = {144};  // one packet
    bench on(s);
    on.b.hold_back(true);
    for (unsigned vc = 0; vc < 2; ++vc)
        for (int i = 0; i < 3; ++i) on.a.queue(vc, 128);
    on.sim.run();
    ASSERT_TRUE(on.link.control(core::control_verb::pause));
    on.b.hold_back(0, false);
    on.b.hold_back(false);
    on.b.hold_back(1, true);
    on.sim.run_until(sim_time::from_us(2));
    on.b.hold_back(1, false);
    on.sim.run_until(sim_time::from_us(3));
    ASSERT_TRUE(on.link.control(core::control_verb::enable));
    on.sim.run();
    EXPECT_EQ(on.b.received(0), 3u);
    EXPECT_EQ(on.b.received(1), 3u);
    EXPECT_EQ(on.broken(), "");
}

TEST(link, two_callbacks_a_packet_under_load_and_one_without) {
    bench on(fixed());
    fill(on.a, 128 * 1000);
    on.sim.run();
    EXPECT_LE(on.sim.events().executed(), 2 * 1000u + 5);
    const auto before = on.sim.events().executed();
    for (int i = 0; i < 100; ++i) {
        on.b.queue(0, 128);
        on.sim.run_until(on.sim.events().now() + sim_time::from_ns(100));
    }
    EXPECT_LE(on.sim.events().executed() - before, 100u + 5);
}

TEST(link, idle_it_schedules_nothing) {
    bench on({});
    on.a.queue(0, 128);
    on.sim.run();  // ends without help
    EXPECT_LE(on.sim.events().now(), sim_time::from_us(6));
    on.sim.events().at(
        sim_time::from_us(1000), [](void* p, std::uint64_t) { static_cast<peer*>(p)->queue(0, 64); }, &on.a);
    on.sim.run();
    on.link.settle();
    const auto& s = on.link.statistics();
    EXPECT_EQ(s.saturated_none.value(), on.sim.events().now().ps / 5'000'000);
    EXPECT_EQ(on.broken(), "");
}

TEST(link, a_full_queue_refuses_and_says_when_it_is_not_full_any_more) {
    link_spec s = fixed();
    s.queue = 3;
    bench on(s);
    on.b.hold_back(true);
    fill(on.a, 100'000);
    on.sim.run();
    const link_channel& c = on.link.channel(direction::ab);
    EXPECT_EQ(c.queued(0), 3u);
    EXPECT_EQ(c.held(), 3u + 16384 / 144);  // all that the buffer has room for
    EXPECT_LT(c.credits(0), 18u);
    on.b.hold_back(false);
    on.sim.run();
    EXPECT_EQ(on.b.received(0), on.a.sent(0));
    EXPECT_GT(on.link.statistics(direction::ab).credit_stall.value(), 0u);
    EXPECT_EQ(on.broken(), "");
}

TEST(link, a_virtual_channel_that_is_stuck_does_not_hold_up_another) {
    bench on(fixed());
    on.b.hold_back(0, true);
    fill(on.a, 100'000, 128, 0);
    fill(on.a, 100'000, 128, 1);
    on.sim.run();
    EXPECT_EQ(on.b.received(0), 0u);
    EXPECT_EQ(on.b.received(1), on.a.sent(1));
    on.b.hold_back(0, false);
    on.sim.run();
    EXPECT_EQ(on.b.received(0), on.a.sent(0));
    EXPECT_EQ(on.broken(), "");
}

TEST(link, virtual_channels_take_turns) {
    bench on(fixed());
    fill(on.a, 1'000'000, 128, 0);
    fill(on.a, 1'000'000, 128, 1);
    on.sim.run_until(sim_time::from_us(5));
    EXPECT_NEAR(static_cast<double>(on.b.received(0)), static_cast<double>(on.b.received(1)), 1.0);
}

TEST(link, what_can_never_be_sent_is_an_error_at_once) {
    bench on(fixed());
    EXPECT_THROW(on.a.queue(0, 20'000), std::logic_error);
    packet p;
    p.vc = 3;
    EXPECT_THROW(on.link.port(side::a).send(p), std::logic_error);
    link_spec s;
    s.lane_rate = core::bandwidth::from_gb_per_s(8.5);
    EXPECT_THAT(config::first_text(problems_of(s, cycle)), HasSubstr("no whole number"));
    s = {};
    s.propagation = sim_time::from_ns(5);
    EXPECT_THAT(config::first_text(problems_of(s, cycle)), HasSubstr("before it is empty"));
    s = {};
    s.receive_buffer = {20};
    EXPECT_THAT(config::first_text(problems_of(s, cycle)), HasSubstr("holds no packet"));
    s = {};
    s.lanes.min_lanes = 9;
    EXPECT_THAT(config::first_text(problems_of(s, cycle)), HasSubstr("min_lanes"));
    EXPECT_THROW(bench{s}, std::logic_error);
    EXPECT_EQ(config::first_text(problems_of(link_spec{}, cycle)), "");
}

// --- the gain from turning lanes

struct load {
    std::uint64_t ab, ba;  // bytes of payload
};

double seconds(const link_spec& s, load l) {
    bench on(s);
    fill(on.a, l.ab);
    fill(on.b, l.ba);
    on.sim.run();
    EXPECT_EQ(on.broken(), "");
    EXPECT_EQ(on.b.received_bytes() + on.a.received_bytes(), l.ab + l.ba);
    return std::max(on.b.last().arrived, on.a.last().arrived).seconds();
}

TEST(link, saturated_both_ways_turning_gains_nothing_and_twice_the_lanes_twice) {
    const load both{8 << 20, 8 << 20};
    const double still = seconds(fixed(), both);
    EXPECT_NEAR(seconds({}, both) / still, 1.0, 0.01);
    EXPECT_NEAR(still / seconds(fixed(16), both), 2.0, 0.01);
}

TEST(link, saturated_one_way_gains_nearly_fifteen_eighths) {
    const load one_way{32 << 20, 0};
    const double gain = seconds(fixed(), one_way) / seconds({}, one_way);
    EXPECT_GE(gain, 1.75);
    EXPECT_LE(gain, 15.0 / 8);
}

TEST(link, egress_saturated_and_ingress_at_75_percent_is_ten_and_six_lanes_and_a_quarter_more) {
    // Ingress: a packet of 18 phits every 3 cycles, a load of 6 lanes. Egress: always has packets to send.
    const auto rate = [](const link_spec& s, const char* lanes) {
        bench on(s);
        fill(on.a, 4 << 20);
        struct ingress {
            bench& on;
            void tick() {
                on.b.queue(0, 128);
                if (on.a.backlog() > 0) on.sim.events().after<&ingress::tick>(cycle * 3, this);
            }
        } paced{on};
        paced.tick();
        on.sim.run_until(sim_time::from_us(15));  // two turns
        const auto begun = on.link.statistics(direction::ab).wire.value();
        const auto back = on.link.statistics(direction::ba).wire.value();
        on.sim.run_until(sim_time::from_us(40));
        EXPECT_EQ(std::to_string(on.link.lanes().lanes.ab) + "+" + std::to_string(on.link.lanes().lanes.ba), lanes);
        // 6 phits of 8 bytes still arrive per cycle.
        EXPECT_NEAR(static_cast<double>(on.link.statistics(direction::ba).wire.value() - back) / 25'000, 48.0, 0.5);
        return static_cast<double>(on.link.statistics(direction::ab).wire.value() - begun);
    };
    EXPECT_NEAR(rate({}, "10+6") / rate(fixed(), "8+8"), 1.25, 0.0125);
}

TEST(link, a_kernel_launch_returns_the_lanes) {
    bench on({});
    fill(on.a, 8 << 20);
    on.sim.run_until(sim_time::from_us(40));
    ASSERT_EQ(on.link.lanes().lanes.ab, 15u);
    on.sim.events().at(
        sim_time{40'000'300}, [](void* l, std::uint64_t) { static_cast<reversible_link*>(l)->kernel_launched(); },
        &on.link);
    on.sim.run_until(sim_time{40'001'001});
    EXPECT_EQ(on.link.lanes().lanes.ab, 8u);
    EXPECT_EQ(on.link.lanes().lanes.ba, 1u);
    on.sim.run_until(sim_time{40'001'001 + 104'000});
    EXPECT_EQ(on.link.lanes().lanes.ba, 8u);
    on.sim.run();
    EXPECT_EQ(on.b.received_bytes(), 8u << 20);
    EXPECT_EQ(on.broken(), "");
}

TEST(link, saturation_is_counted_whatever_the_policy) {
    bench on(fixed());
    window_log log;
    on.link.set_observer(&log);
    fill(on.a, 64 * 20'000);       // 4 windows' worth, with headers 4.5
    fill(on.b, 64 * 10'000, 128);  // half of it
    on.sim.run();
    on.link.settle();
    const auto& s = on.link.statistics();
    EXPECT_EQ(s.saturated_both.value(), 2u);
    EXPECT_EQ(s.saturated_one.value(), 2u);
    EXPECT_EQ(s.saturated_none.value(), on.sim.events().now().ps / 5'000'000 - 4);
    EXPECT_EQ(s.turns.value(), 0u);
    EXPECT_EQ(log.windows.front().busy.ab, 40'000u);
}

// Each window against the packets that arrived and the lanes that an observer was told of.
TEST(link, every_window_has_its_packets_and_its_lanes) {
    struct lane_log final : link_observer_if {
        void lanes_changed(const reversible_link& l, sim_time now) override {
            for (const auto d : both_directions) changes[d].emplace_back(now, l.channel(d).lanes());
        }
        void queues_changed(const reversible_link&, direction, sim_time) override {}
        void window_closed(const reversible_link&, const lane_window&, sim_time) override {}
        by_direction<std::vector<std::pair<sim_time, unsigned>>> changes;
    } log;
    bench on({});
    for (const auto d : both_directions) log.changes[d].emplace_back(sim_time{}, on.link.channel(d).lanes());
    on.link.set_observer(&log);
    by_direction<std::vector<delivery>> taken;
    on.b.keep(taken.ab);
    on.a.keep(taken.ba);
    std::mt19937_64 draw(3);
    for (unsigned burst = 0; burst < 12; ++burst) {
        for (unsigned n = draw() % 3000; n > 0; --n) on.a.queue(0, static_cast<std::uint32_t>(draw() % 300));
        for (unsigned n = draw() % 500; n > 0; --n) on.b.queue(0, static_cast<std::uint32_t>(draw() % 300));
        on.sim.run_until(on.sim.events().now() + sim_time::from_ns(1000 + draw() % 20'000));
    }
    on.sim.run();
    on.link.settle();
    const sim_time end = on.sim.events().now(), window = sim_time::from_us(5);
    EXPECT_GT(on.link.statistics().turns.value(), 4u);
    for (const auto d : both_directions) {
        const auto& s = on.link.statistics(d);
        std::vector<double> wire(end.ps / window.ps + 1), lane_time(wire.size());
        for (const delivery& p : taken[d]) wire[p.started.ps / window.ps] += (p.what.bytes + 16 + 7) / 8 * 8;
        log.changes[d].emplace_back(end, 0);
        for (std::size_t i = 0; i + 1 < log.changes[d].size(); ++i)
            for (std::uint64_t at = log.changes[d][i].first.ps; at < log.changes[d][i + 1].first.ps;) {
                const std::uint64_t until = std::min(log.changes[d][i + 1].first.ps, (at / window.ps + 1) * window.ps);
                lane_time[at / window.ps] += static_cast<double>((until - at) * log.changes[d][i].second);
                at = until;
            }
        const auto by_window = [&](const observe::series& of) {
            EXPECT_EQ(of.window(), window);
            std::vector<double> amounts(wire.size());
            for (const auto& p : of.points()) amounts.at(p.begin.ps / window.ps) = p.amount;
            return amounts;
        };
        EXPECT_EQ(by_window(s.wire_series), wire);
        EXPECT_EQ(by_window(s.lane_series), lane_time);
    }
    EXPECT_EQ(on.broken(), "");
}

TEST(link, statistics_over_time_add_up) {
    bench on({});
    fill(on.a, 2 << 20);
    on.sim.run();
    on.link.settle();
    const sim_time end = on.sim.events().now();
    double lane_time = 0, wire = 0;
    for (const auto d : both_directions) {
        for (const auto& p : on.link.statistics(d).lane_series.points()) lane_time += p.amount;
        for (const auto& p : on.link.statistics(d).wire_series.points()) wire += p.amount;
        EXPECT_NEAR(on.link.statistics(d).lanes.mean(end) * static_cast<double>(end.ps),
                    static_cast<double>(on.link.statistics(d).available.value()), 1e3);
    }
    const auto available =
        on.link.statistics(direction::ab).available.value() + on.link.statistics(direction::ba).available.value();
    EXPECT_NEAR(lane_time, static_cast<double>(available), 1e-6 * lane_time);
    EXPECT_EQ(wire, (2 << 20) / 128.0 * 144);
    // Each turn removes a lane for 104 cycles.
    EXPECT_GE(on.link.statistics().turns.value(), 4u);
    EXPECT_EQ(16 * end.ps - available, on.link.statistics().turns.value() * 104'000);
    EXPECT_EQ(on.link.statistics(direction::ab).busy.value(), (2u << 20) / 128 * 18'000);
}

TEST(link, energy_is_what_was_sent_and_what_was_on) {
    bench on(fixed());
    fill(on.a, 1 << 20);
    on.sim.run_until(sim_time::from_us(100));
    on.link.settle();
    const link_energy e = on.link.energy();
    EXPECT_NEAR(e.transferred, (1 << 20) / 128.0 * 144 * 8 * 0.5e-12, 1e-15);
    // 1.5 W for 8 lanes is at 25 Gb/s, and a lane here has 64.
    EXPECT_NEAR(e.switched_on, 2 * 1.5 * 64 / 25 * on.sim.events().now().seconds(), 1e-12);
    EXPECT_NEAR(e.area, 6.6, 1e-9);
}

TEST(link, power_grows_with_the_rate_of_a_lane_and_a_lane_that_turns_has_two_transceivers) {
    const auto watts = [](double gb_per_s, const char* policy) {
        link_spec s = fixed();
        s.lane_rate = core::bandwidth::from_gb_per_s(gb_per_s);
        s.lanes.policy = policy;
        bench on(s);
        fill(on.a, 1 << 16);
        on.sim.run();
        on.link.settle();
        const link_energy e = on.link.energy();
        EXPECT_NEAR(e.area, std::string(policy) == "static" ? 6.6 : 13.2, 1e-9);
        return e.switched_on / on.sim.events().now().seconds();
    };
    EXPECT_NEAR(watts(8, "static"), 7.68, 1e-6);
    EXPECT_NEAR(watts(4, "static"), 3.84, 1e-6);
    EXPECT_NEAR(watts(8, "published"), 15.36, 1e-6);
}

// --- lanes that fail

void fail_at(bench& on, sim_time when) {
    on.sim.events().at(
        when, [](void* l, std::uint64_t) { static_cast<reversible_link*>(l)->fail_lane(direction::ab); }, &on.link);
}

TEST(link, a_lane_that_fails_under_a_packet_costs_bandwidth_and_no_data) {
    bench on(fixed());
    fill(on.a, 1 << 20);
    fail_at(on, sim_time{5'000'100});
    on.sim.run_until(sim_time{6'000'000});
    EXPECT_EQ(on.link.lanes().lanes.ab, 7u);
    const auto begun = on.link.statistics(direction::ab).wire.value();
    on.sim.run_until(sim_time{16'000'000});
    EXPECT_NEAR(static_cast<double>(on.link.statistics(direction::ab).wire.value() - begun), 56e4, 200);
    on.sim.run();
    on.link.settle();
    EXPECT_EQ(on.b.received_bytes(), 1u << 20);
    EXPECT_EQ(on.link.statistics(direction::ab).resent.value(), 1u);
    EXPECT_EQ(on.link.statistics().failed_lanes.value(), 1u);
    EXPECT_NEAR(on.link.energy().switched_on,
                1.5 / 8 * 64 / 25 *
                    (16 * on.sim.events().now().seconds() - (on.sim.events().now().seconds() - 5.001e-6)),
                1e-12);
    EXPECT_EQ(on.broken(), "");
}

TEST(link, a_direction_whose_only_lane_fails_gets_another) {
    link_spec s = fixed(2);
    bench on(s);
    fill(on.a, 1 << 16);
    on.sim.run_until(sim_time::from_us(1));
    on.link.fail_lane(direction::ab);
    on.link.fail_lane(direction::ab);
    on.sim.run();
    EXPECT_EQ(on.b.received_bytes(), 1u << 16);
    EXPECT_EQ(on.link.lanes().lanes.ab, 1u);
    EXPECT_EQ(on.link.lanes().lanes.ba, 1u);
    EXPECT_EQ(on.broken(), "");
}

TEST(link, a_dead_direction_is_named_by_the_watchdog) {
    bench on(fixed(1));
    fill(on.a, 10'000);
    on.sim.run_until(sim_time{100'000});
    on.link.fail_lane(direction::ab);
    observe::watchdog dog(on.sim, sim_time::from_us(10));
    dog.watch(on.link);
    dog.set_outstanding([&] { return on.link.outstanding(); });
    EXPECT_EQ(dog.run(), observe::watchdog::verdict::ran_dry);
    const auto chain = dog.wait_chain();
    ASSERT_FALSE(chain.empty());
    EXPECT_THAT(chain.front(), HasSubstr("link.ab waits for a lane that works"));
}

TEST(link, a_receiver_that_takes_nothing_is_named_by_the_watchdog) {
    bench on(fixed());
    on.b.hold_back(true);
    fill(on.a, 100'000);
    observe::watchdog dog(on.sim, sim_time::from_us(10));
    dog.watch(on.link);
    dog.set_outstanding([&] { return on.link.outstanding(); });
    EXPECT_EQ(dog.run(), observe::watchdog::verdict::ran_dry);
    const auto chain = dog.wait_chain();
    ASSERT_FALSE(chain.empty());
    EXPECT_THAT(chain.front(), HasSubstr("link.ab.vc[0] waits for"));
    EXPECT_THAT(chain.front(), HasSubstr("gpu[1]"));
}

TEST(link_packet, a_payload_of_another_type_than_its_receiver_takes_is_an_error) {
    struct other final : core::transfer {
        void crossed(const char*, bool, sim_time, sim_time) override {}
        void passed(const char*, sim_time) override {}
    };
    contraflow::testing::token sent(7);
    packet p;
    EXPECT_THROW(p.payload_as<contraflow::testing::token>(), std::logic_error) << "none";
    p.payload = &sent;
    EXPECT_EQ(p.payload_as<contraflow::testing::token>().number, 7u);
    EXPECT_THROW(p.payload_as<other>(), std::logic_error);
}

}  // namespace link_test
}  // namespace contraflow::link
