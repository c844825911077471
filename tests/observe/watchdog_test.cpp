// SPDX-License-Identifier: Apache-2.0
// Deadlocks made on purpose: stations pass tokens on to the next one, whose buffer is finite.
#include "observe/watchdog.h"

#include <deque>
#include <memory>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace contraflow::observe {
namespace {

using core::sim_time;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using verdict = watchdog::verdict;

constexpr sim_time hop = sim_time::from_ns(10);

class station : public core::waiter_if {
public:
    // polls: retries while blocked, so that the event queue never runs dry.
    station(core::scheduler& events, std::string name, unsigned tokens, bool polls)
        : events_(events),
          name_(std::move(name)),
          tokens_(tokens),
          polls_(polls) {}

    void connect(station* next) { next_ = next; }
    void start() { events_.after<&station::move>(hop, this); }
    void report_waits(std::vector<core::wait_edge>& edges) const override {
        if (since_) edges.push_back({name_, "buffer space", next_->name_, *since_});
    }
    unsigned tokens() const { return tokens_; }
    std::uint64_t moved() const { return moved_; }

    static constexpr unsigned capacity = 2;

private:
    void move() {
        if (tokens_ == 0) return;
        if (next_ != nullptr && next_->tokens_ == capacity) {
            if (!since_) since_ = events_.now();
            next_->blocked_ = this;
            if (polls_) start();
            return;
        }
        since_.reset();
        --tokens_;
        ++moved_;
        if (next_ != nullptr) {
            ++next_->tokens_;
            next_->start();
        }
        if (tokens_ > 0) start();
        if (blocked_ != nullptr) std::exchange(blocked_, nullptr)->start();
    }

    core::scheduler& events_;
    const std::string name_;
    unsigned tokens_;
    const bool polls_;
    station* next_ = nullptr;
    station* blocked_ = nullptr;  // waits for us
    std::uint64_t moved_ = 0;
    std::optional<sim_time> since_;
};

struct watchdog_test : ::testing::TestWithParam<core::time_source> {
    core::simulation simulation{GetParam()};
    std::deque<station> stations;
    watchdog dog{simulation, sim_time::from_us(10)};

    station& add(std::string name, unsigned tokens, bool polls = false) {
        stations.emplace_back(simulation.events(), std::move(name), tokens, polls);
        dog.watch(stations.back());
        return stations.back();
    }
    // Starts them one after another, so that waits have different ages.
    void start() {
        sim_time at = hop;
        for (auto& s : stations) {
            simulation.events().at<&station::start>(at, &s);
            at += sim_time::from_ns(100);
        }
        dog.set_progress([this] {
            std::uint64_t sum = 0;
            for (const auto& s : stations) sum += s.moved();
            return sum;
        });
        dog.set_outstanding([this] {
            std::uint64_t sum = 0;
            for (const auto& s : stations) sum += s.tokens();
            return sum;
        });
    }
    void ring(std::size_t size) {
        for (std::size_t i = 0; i < size; ++i) stations[i].connect(&stations[(i + 1) % size]);
    }
    sim_time now() { return simulation.events().now(); }
};

INSTANTIATE_TEST_SUITE_P(of, watchdog_test, ::testing::Values(core::time_source::kernel, core::time_source::scheduler),
                         [](const auto& i) {
                             return std::string(i.param == core::time_source::kernel ? "kernel_time" : "its_own_time");
                         });

// Keeps the event queue busy with callbacks that move nothing.
struct metronome {
    core::scheduler& events;
    sim_time period;
    std::uint64_t beats = 0;
    void beat() {
        ++beats;
        events.after<&metronome::beat>(period, this);
    }
};

TEST_P(watchdog_test, lets_a_chain_finish) {
    auto& a = add("a", 2);
    auto& b = add("b", 2);
    a.connect(&b);
    start();
    EXPECT_EQ(dog.run(), verdict::finished);
    EXPECT_EQ(a.tokens() + b.tokens(), 0u);
    EXPECT_THAT(dog.wait_chain(), IsEmpty());
    EXPECT_LT(now(), sim_time::from_us(1));
}

TEST_P(watchdog_test, finishes_when_nothing_was_ever_scheduled) {
    EXPECT_EQ(dog.run(), verdict::finished);
    dog.set_outstanding([] { return 1; });
    EXPECT_EQ(dog.run(), verdict::ran_dry);
}

TEST_P(watchdog_test, names_a_cycle_of_two_that_ran_dry) {
    add("a", 2);
    add("b", 2);
    ring(2);
    start();
    EXPECT_EQ(dog.run(), verdict::ran_dry);
    EXPECT_EQ(dog.hang(), fmt::format("nothing more happens after {}, with work left", core::rounded_text(now())));
    EXPECT_THAT(dog.wait_chain(),
                ElementsAre("a waits for buffer space of b (since 20ns)",
                            "b waits for buffer space of a (since 120ns), which closes the cycle at a"));
}

TEST_P(watchdog_test, names_a_cycle_of_three_that_stalls_while_it_polls) {
    add("a", 2, true);
    add("b", 2, true);
    add("c", 2, true);
    ring(3);
    start();
    EXPECT_EQ(dog.run(), verdict::stalled);
    EXPECT_GE(now(), sim_time::from_us(10));
    EXPECT_LE(now(), sim_time::from_us(15));
    EXPECT_THAT(dog.wait_chain(),
                ElementsAre("a waits for buffer space of b (since 20ns)", "b waits for buffer space of c (since 120ns)",
                            "c waits for buffer space of a (since 220ns), which closes the cycle at a"));
}

TEST_P(watchdog_test, names_who_waits_for_itself) {
    add("a", 2);
    ring(1);
    start();
    EXPECT_EQ(dog.run(), verdict::ran_dry);
    EXPECT_THAT(dog.wait_chain(),
                ElementsAre("a waits for buffer space of a (since 20ns), which closes the cycle at a"));
}

TEST_P(watchdog_test, follows_an_open_chain_to_its_end) {
    auto& a = add("a", 2);
    auto& b = add("b", 2);
    start();
    auto& dead = add("dead", 2);  // never started, so it neither takes nor waits
    a.connect(&b);
    b.connect(&dead);
    EXPECT_EQ(dog.run(), verdict::ran_dry);
    EXPECT_THAT(dog.wait_chain(),
                ElementsAre("a waits for buffer space of b (since 20ns)",
                            "b waits for buffer space of dead (since 120ns)", "dead reports no wait of its own"));
}

TEST_P(watchdog_test, adds_the_cycle_that_the_longest_wait_does_not_reach) {
    auto& a = add("a", 2);
    auto& b = add("b", 2);
    auto& c = add("c", 2);
    start();
    auto& dead = add("dead", 2);
    a.connect(&dead);
    b.connect(&c);
    c.connect(&b);
    EXPECT_EQ(dog.run(), verdict::ran_dry);
    EXPECT_THAT(dog.wait_chain(),
                ElementsAre("a waits for buffer space of dead (since 20ns)", "dead reports no wait of its own",
                            "b waits for buffer space of c (since 120ns)",
                            "c waits for buffer space of b (since 220ns), which closes the cycle at b"));
}

TEST_P(watchdog_test, sees_a_stall_behind_callbacks_that_move_nothing) {
    add("a", 2);
    add("b", 2);
    ring(2);
    start();
    metronome beats{simulation.events(), sim_time::from_ns(7)};
    beats.beat();
    EXPECT_EQ(dog.run(), verdict::stalled);
    EXPECT_LE(now(), sim_time::from_us(15));
    EXPECT_GT(beats.beats, 1000u);
}

// Nothing but one callback is left, later than a stall, after a while in which there were many.
TEST_P(watchdog_test, sees_a_stall_before_the_callback_that_would_end_it) {
    std::uint64_t moved = 0;
    const auto step = [](void* to, std::uint64_t) { ++*static_cast<std::uint64_t*>(to); };
    for (std::uint64_t ns = 1; ns <= 9'000; ++ns) simulation.events().at(sim_time::from_ns(ns), step, &moved);
    simulation.events().at(sim_time::from_us(40), step, &moved);
    simulation.events().at(sim_time::from_us(41), step, &moved);
    dog.set_progress([&] { return moved; });
    dog.set_outstanding([] { return 1; });
    EXPECT_EQ(dog.run(), verdict::stalled);
    EXPECT_EQ(moved, 9'000u);
}

TEST_P(watchdog_test, does_not_mistake_slow_movement_for_a_stall) {
    metronome slow{simulation.events(), sim_time::from_us(9)};
    slow.beat();
    dog.set_progress([&] { return slow.beats; });
    dog.set_outstanding([] { return 1; });
    EXPECT_EQ(dog.run(sim_time::from_us(500)), verdict::time_limit);
    EXPECT_EQ(dog.hang(), "");
    slow.period = sim_time::from_us(40);
    EXPECT_EQ(dog.run(), verdict::stalled);
    EXPECT_EQ(dog.hang(), "nothing has moved from 504us to 544us, with work left");  // its next heartbeat
}

TEST_P(watchdog_test, waits_for_work_that_begins_late) {
    auto& a = add("a", 0);
    auto& b = add("b", 0);
    a.connect(&b);
    start();
    bool begun = false;
    station late(simulation.events(), "late", 2, false);
    late.connect(&a);
    dog.set_outstanding([&] { return begun ? late.tokens() + a.tokens() + b.tokens() : 0; });
    struct beginning {
        station& first;
        bool& begun;
        void begin() {
            begun = true;
            first.start();
        }
    } beginning{late, begun};
    simulation.events().at<&beginning::begin>(sim_time::from_us(500'000), &beginning);
    EXPECT_EQ(dog.run(), verdict::finished);
    EXPECT_EQ(late.moved(), 2u);
    EXPECT_GT(now(), sim_time::from_us(500'000));
}

TEST_P(watchdog_test, stops_at_the_limit_and_goes_on_from_there) {
    add("a", 2).connect(&add("b", 0));
    start();
    EXPECT_EQ(dog.run(sim_time::from_ns(25)), verdict::time_limit);
    EXPECT_EQ(now(), sim_time::from_ns(25));
    EXPECT_EQ(stations[0].moved(), 1u);
    EXPECT_EQ(dog.run(sim_time::from_ns(25)), verdict::time_limit);
    EXPECT_EQ(dog.run(), verdict::finished);
    EXPECT_EQ(stations[1].moved(), 2u);
}

TEST_P(watchdog_test, asks_keep_going_within_a_slice_and_can_go_on) {
    metronome beats{simulation.events(), {1}};
    beats.beat();
    const auto enough = [&] { return beats.beats < 10'000; };
    EXPECT_EQ(dog.run(sim_time::never(), enough), verdict::stopped);  // one slice has 2.5 million heartbeats
    EXPECT_GE(beats.beats, 10'000u);
    EXPECT_LE(beats.beats, 20'000u);
    EXPECT_EQ(dog.run(sim_time::never(), enough), verdict::stopped);
    const auto before = beats.beats;
    EXPECT_EQ(dog.run(now() + sim_time{50'000}), verdict::time_limit);
    EXPECT_NEAR(static_cast<double>(beats.beats - before), 50'000, 1);
}

TEST_P(watchdog_test, asks_keep_going_where_callbacks_are_rare) {
    metronome rare{simulation.events(), sim_time::from_us(1)};
    rare.beat();
    EXPECT_EQ(dog.run(sim_time::never(), [&] { return rare.beats < 100; }), verdict::stopped);
    EXPECT_LE(rare.beats, 110u);
}

TEST_P(watchdog_test, leaves_an_instant_without_end) {
    metronome spinning{simulation.events(), {0}};
    spinning.beat();
    EXPECT_EQ(dog.run(sim_time::never(), [&] { return spinning.beats < 100'000; }), verdict::stopped);
    EXPECT_LE(spinning.beats, 110'000u);
    add("a", 2);
    ring(1);
    start();
    EXPECT_EQ(dog.run(), verdict::stalled);
    EXPECT_EQ(now(), sim_time{});
    EXPECT_EQ(dog.hang(), "time does not pass 0ps: events follow one another there without end");
}

TEST_P(watchdog_test, leaves_the_heartbeat_when_it_is_done) {
    metronome beats{simulation.events(), {1}};
    beats.beat();
    int asked = 0;
    dog.run(sim_time::from_ns(20), [&] { return ++asked > 0; });
    const int during = asked;
    EXPECT_GT(during, 3);
    simulation.run_until(sim_time::from_ns(60));
    EXPECT_EQ(asked, during);
}

TEST(watchdog, refuses_a_stall_time_of_0) {
    core::simulation simulation;
    EXPECT_THROW(watchdog(simulation, {}), std::logic_error);
}

TEST(watchdog, hears_of_foreign_modules) {
    struct foreign : sc_core::sc_module {
        int wakes = 0;
        explicit foreign(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {
            SC_HAS_PROCESS(foreign);
            SC_METHOD(wake);
        }
        void wake() {
            if (++wakes < 50) next_trigger(sc_core::sc_time(1, sc_core::SC_US));
        }
    };
    core::simulation simulation;
    foreign other("other");
    watchdog dog(simulation, sim_time::from_us(10));
    EXPECT_EQ(dog.run(), verdict::finished);
    EXPECT_EQ(other.wakes, 50);
}

TEST(watchdog, watches_what_modules_start_by_themselves) {
    struct starter : sc_core::sc_module {
        metronome beats;
        starter(const sc_core::sc_module_name& name, core::scheduler& events)
            : sc_core::sc_module(name),
              beats{events, sim_time::from_ns(100)} {}
        void start_of_simulation() override { beats.beat(); }
    };
    core::simulation simulation;
    const starter module("starter", simulation.events());
    metronome much_later{simulation.events(), sim_time::from_us(1000)};
    much_later.beat();
    watchdog dog(simulation, sim_time::from_us(10));
    dog.set_progress([] { return 0; });
    dog.set_outstanding([] { return 1; });
    EXPECT_EQ(dog.run(), verdict::stalled);
    EXPECT_LE(simulation.events().now(), sim_time::from_us(15));
    EXPECT_GT(module.beats.beats, 90u);
}

}  // namespace
}  // namespace contraflow::observe
