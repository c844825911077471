// SPDX-License-Identifier: Apache-2.0
#include "core/scheduler.h"

#include <random>

#include <gtest/gtest.h>

#include "core/simulation.h"

using namespace contraflow::core;

namespace {

class schedulers : public testing::TestWithParam<time_source> {};
INSTANTIATE_TEST_SUITE_P(of, schedulers, testing::Values(time_source::kernel, time_source::scheduler),
                         [](const auto& i) {
                             return std::string(i.param == time_source::kernel ? "kernel_time" : "its_own_time");
                         });

struct recorder {
    scheduler& events;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> seen;  // (ps, argument)
    static void note(void* self, std::uint64_t argument) {
        auto& r = *static_cast<recorder*>(self);
        r.seen.emplace_back(r.events.now().ps, argument);
    }
};

TEST_P(schedulers, runs_by_time_and_then_in_order_of_scheduling) {
    simulation sim(GetParam());
    recorder r{sim.events(), {}};
    std::mt19937_64 random(1);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> expected;
    for (std::uint64_t i = 0; i < 5000; ++i) {
        const std::uint64_t when = random() % 97;
        sim.events().at({when}, recorder::note, &r, i);
        expected.emplace_back(when, i);
    }
    std::stable_sort(expected.begin(), expected.end(), [](auto& a, auto& b) { return a.first < b.first; });
    sim.run();
    EXPECT_EQ(r.seen, expected);
    EXPECT_EQ(sim.events().executed(), 5000u);
}

TEST_P(schedulers, what_a_callback_throws_leaves_the_simulation_as_it_was_thrown) {
    struct mine {
        int number;
    };
    simulation sim(GetParam());
    sim.events().after(
        sim_time::from_ns(7), [](void*, std::uint64_t n) { throw mine{static_cast<int>(n)}; }, nullptr, 3);
    try {
        sim.run_until(sim_time::from_us(1));
        FAIL() << "nothing was thrown";
    } catch (const mine& m) { EXPECT_EQ(m.number, 3); }
    EXPECT_EQ(sim.events().now(), sim_time::from_ns(7));

    simulation next(GetParam());  // the error does not affect it
    recorder r{next.events(), {}};
    next.events().after(sim_time::from_ns(7), recorder::note, &r, 1);
    next.run();
    EXPECT_EQ(r.seen.size(), 1u);
}

TEST_P(schedulers, a_second_simulation_starts_at_zero) {
    for (int i = 0; i < 3; ++i) {
        simulation sim(GetParam());
        recorder r{sim.events(), {}};
        sim.events().after(sim_time::from_ns(7), recorder::note, &r, 1);
        sim.run();
        ASSERT_EQ(r.seen.size(), 1u);
        EXPECT_EQ(r.seen[0].first, 7000u);
    }
}

TEST_P(schedulers, callbacks_may_schedule_for_the_same_instant) {
    simulation sim(GetParam());
    struct chain {
        scheduler& events;
        int left = 3;
        std::vector<std::uint64_t> at;
        void step() {
            at.push_back(events.now().ps);
            if (--left > 0) events.after<&chain::step>(sim_time{}, this);
        }
    } c{sim.events(), 3, {}};
    sim.events().after<&chain::step>(sim_time{5}, &c);
    sim.run();
    EXPECT_EQ(c.at, (std::vector<std::uint64_t>{5, 5, 5}));
}

// A foreign SystemC process and our callbacks see the same time.
struct foreign : sc_core::sc_module {
    scheduler& events;
    recorder& r;
    foreign(const sc_core::sc_module_name& n, scheduler& e, recorder& rec) : sc_module(n), events(e), r(rec) {
        SC_HAS_PROCESS(foreign);
        SC_THREAD(body);
    }
    void body() {
        wait(sc_core::sc_time(3, sc_core::SC_NS));
        events.after(sim_time::from_ns(2), recorder::note, &r, 42);  // earlier than the armed callback
        wait(sc_core::sc_time(4, sc_core::SC_NS));
        recorder::note(&r, 43);
    }
};

TEST_P(schedulers, mixes_with_foreign_processes) {
    simulation sim(GetParam());
    recorder r{sim.events(), {}};
    foreign f("foreign", sim.events(), r);
    sim.events().at(sim_time::from_ns(100), recorder::note, &r, 44);
    sim.run();
    EXPECT_EQ(r.seen, (std::vector<std::pair<std::uint64_t, std::uint64_t>>{{5000, 42}, {7000, 43}, {100000, 44}}));
}

TEST_P(schedulers, the_past_is_refused) {
    simulation sim(GetParam());
    struct late {
        scheduler& e;
        bool threw = false;
        void go() {
            try {
                e.at(sim_time{1}, recorder::note, this);
            } catch (const std::logic_error&) { threw = true; }
        }
    } l{sim.events()};
    sim.events().at<&late::go>(sim_time{10}, &l);
    sim.run();
    EXPECT_TRUE(l.threw);
}

TEST_P(schedulers, stops_and_goes_on) {
    simulation sim(GetParam());
    recorder r{sim.events(), {}};
    sim.events().at(sim_time{10}, recorder::note, &r, 1);
    sim.events().at(
        sim_time{10}, [](void* s, std::uint64_t) { static_cast<simulation*>(s)->stop(); }, &sim);
    sim.events().at(sim_time{20}, recorder::note, &r, 2);
    sim.run();
    EXPECT_EQ(r.seen.size(), 1u);
    sim.run();
    EXPECT_EQ(r.seen.size(), 2u);
    EXPECT_EQ(r.seen[1].first, 20u);
}

TEST_P(schedulers, heartbeat_comes_every_n_callbacks) {
    simulation sim(GetParam());
    recorder r{sim.events(), {}};
    struct beats {
        std::vector<std::uint64_t> at;
    } b;
    sim.events().set_heartbeat([](void* o, std::uint64_t n) { static_cast<beats*>(o)->at.push_back(n); }, &b, 4);
    for (std::uint64_t i = 0; i < 10; ++i) sim.events().at({i}, recorder::note, &r, i);
    sim.run();
    EXPECT_EQ(b.at, (std::vector<std::uint64_t>{4, 8}));
}

TEST_P(schedulers, run_until_some_time_and_go_on_from_there) {
    simulation sim(GetParam());
    recorder r{sim.events(), {}};
    for (std::uint64_t i = 1; i <= 10; ++i) sim.events().at(sim_time::from_ns(10 * i), recorder::note, &r, i);
    sim.run_until(sim_time::from_ns(50));
    EXPECT_EQ(r.seen.size(), 4u);  // the end itself is not part of it
    sim.run_until(sim_time::from_ns(75));
    EXPECT_EQ(r.seen.size(), 7u);
    EXPECT_EQ(sim.events().now(), sim_time::from_ns(70));
    sim.events().after(sim_time::from_ns(1), recorder::note, &r, 11);
    sim.run_until(sim_time::from_us(1));
    ASSERT_EQ(r.seen.size(), 11u);
    EXPECT_EQ(r.seen[7], std::pair(std::uint64_t{71'000}, std::uint64_t{11}));
    EXPECT_EQ(sim.events().now(), sim_time::from_ns(100));
    sim.events().after(sim_time::from_ns(3), recorder::note, &r, 12);
    sim.run_to(sim_time::from_us(2));
    EXPECT_EQ(r.seen.back().first, 103'000u);
    EXPECT_EQ(sim.events().now(), sim_time::from_us(2));
}

TEST_P(schedulers, begin_without_running_into_the_future) {
    simulation sim(GetParam());
    recorder r{sim.events(), {}};
    sim.events().at({}, recorder::note, &r, 1);
    sim.events().at({1}, recorder::note, &r, 2);
    sim.begin();
    EXPECT_EQ(r.seen.size(), 1u);
}

TEST_P(schedulers, leave_an_instant_and_finish_it_later) {
    simulation sim(GetParam());
    recorder r{sim.events(), {}};
    sim.events().at({3}, recorder::note, &r, 0);
    sim.events().at(
        {10},
        [](void* s, std::uint64_t) {
            static_cast<simulation*>(s)->events().leave_instant();
            static_cast<simulation*>(s)->stop();
        },
        &sim);
    sim.events().at({10}, recorder::note, &r, 1);
    sim.events().at({20}, recorder::note, &r, 2);
    sim.run();
    EXPECT_EQ(r.seen.size(), 1u);
    EXPECT_EQ(sim.events().now(), sim_time{10});
    sim.run();
    EXPECT_EQ(r.seen, (std::vector<std::pair<std::uint64_t, std::uint64_t>>{{3, 0}, {10, 1}, {20, 2}}));
}

TEST_P(schedulers, do_not_pass_a_foreign_process) {
    simulation sim(GetParam());
    recorder r{sim.events(), {}};
    foreign f("foreign", sim.events(), r);  // at 3 and at 7 ns
    for (const std::uint64_t ns : {1, 2, 4, 6, 8}) sim.events().at(sim_time::from_ns(ns), recorder::note, &r, ns);
    sim.run();
    EXPECT_EQ(r.seen, (std::vector<std::pair<std::uint64_t, std::uint64_t>>{
                          {1000, 1}, {2000, 2}, {4000, 4}, {5000, 42}, {6000, 6}, {7000, 43}, {8000, 8}}));
}

// Times at which callbacks see the kernel, 1 ns apart.
std::vector<std::uint64_t> kernel_times(simulation& sim) {
    std::vector<std::uint64_t> seen;
    for (std::uint64_t ns = 1; ns <= 3; ++ns)
        sim.events().at(
            sim_time::from_ns(ns),
            [](void* to, std::uint64_t) {
                static_cast<std::vector<std::uint64_t>*>(to)->push_back(sc_core::sc_time_stamp().value());
            },
            &seen);
    sim.run();
    return seen;
}

TEST(scheduler, runs_ahead_of_the_kernel_only_where_nobody_asks_it) {
    const std::vector<std::uint64_t> each{1000, 2000, 3000};
    {
        simulation sim;
        EXPECT_EQ(kernel_times(sim), each);
    }
    {
        simulation sim(time_source::scheduler);
        EXPECT_EQ(kernel_times(sim), (std::vector<std::uint64_t>{1000, 1000, 1000}));
        EXPECT_EQ(sim.events().now(), sim_time::from_ns(3));
    }
    {
        simulation sim(time_source::scheduler);
        sim.events().keep_kernel_time();
        EXPECT_EQ(kernel_times(sim), each);
    }
}

}  // namespace
