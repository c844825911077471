// SPDX-License-Identifier: Apache-2.0
// The contract of a compute unit: when instructions issue, what limits the rate, and that no work is left at the end.
#include <map>

#include <gtest/gtest.h>

#include "gpu/timed_machine.h"

namespace {

using namespace contraflow;
using namespace contraflow::gpu;
using gpu::testing::machine_spec;
using gpu::testing::timed_machine;

constexpr core::sim_time cycle = core::sim_time::from_ns(1);

// One socket, one unit, a memory that answers after 100 cycles, kernels without launch cost.
machine_spec one_unit() {
    machine_spec s;
    s.sockets = s.units = 1;
    s.dispatcher.launch_cost = {0};
    s.dispatcher.cta_interval = {0};
    s.memory.least = s.memory.most = cycle * 100;
    s.memory.queue = 1'000'000;
    return s;
}

std::uint64_t cycles(core::sim_time t) { return t.ps / cycle.ps; }

TEST(compute_unit, computing_occupies_a_scheduler) {
    const auto body = [](wave w) -> kernel { co_await w.compute(100); };
    timed_machine m(one_unit());
    EXPECT_EQ(cycles(m.run(1, 32, body)), 100u);
    EXPECT_EQ(cycles(m.run(1, 4 * 32, body)), 100u);  // four schedulers
    EXPECT_EQ(cycles(m.run(1, 8 * 32, body)), 200u);
    EXPECT_EQ(cycles(m.run(2, 9 * 32, body)), 500u);
}

TEST(compute_unit, an_instruction_takes_as_long_as_its_simd_needs_for_all_threads) {
    for (const unsigned lanes : {64u, 32u, 16u}) {
        machine_spec s = one_unit();
        s.unit.wave_width = 64;
        s.unit.lanes = lanes;
        timed_machine m(s);
        auto x = m.memory.allocate<float>(64);
        const unsigned each = 64 / lanes;
        const auto body = [](wave w) -> kernel { co_await w.compute(100); };
        EXPECT_EQ(cycles(m.run(1, 64, body)), 100u * each);
        EXPECT_EQ(cycles(m.run(1, 4 * 64, body)), 100u * each);  // four schedulers
        EXPECT_EQ(cycles(m.run(1, 5 * 64, body)), 200u * each);
        EXPECT_EQ(cycles(m.run(1, 33, body)), 100u * each);  // threads that do not exist take their turn
        EXPECT_EQ(cycles(m.run(1, 64,
                               [](wave w) -> kernel {
                                   w.work(9);
                                   co_await w.barrier();
                               })),
                  10u * each);
        // Its issue, two lines of 128 bytes, the memory.
        EXPECT_EQ(cycles(m.run(1, 64, [=](wave w) -> kernel { co_await w.load(x, w.global_ids()); })), 101u + each);
        EXPECT_TRUE(m.conserved());
    }
}

// A request a cycle, and a memory of 100 cycles. With one request outstanding the second of four is there a cycle after
// the first, and each waits for the answer to the one before. A memory that has one at a time keeps the second at its
// port, so that the third waits from the second cycle after the first on, and the fourth from the cycle after the
// third.
TEST(compute_unit, what_requests_wait_for_is_counted_in_ps) {
    const auto stalls = [](unsigned outstanding, unsigned queue) {
        machine_spec s = one_unit();
        s.unit.outstanding = outstanding;
        s.memory.queue = queue;
        timed_machine m(s);
        const auto x = m.memory.allocate<float>(4 * 32);
        m.run(1, 4, [=](wave w) -> kernel { co_await w.load(x, w.thread_ids() * 32); });
        EXPECT_EQ(m.target->requests, 4u);
        std::map<std::string, double> found;
        for (const auto& r : m.statistics.rows(m.sim.events().now()))
            if (const auto dot = r.path.rfind(".stalled_"); dot != std::string::npos) {
                EXPECT_EQ(r.unit, "ps");
                found[r.path.substr(dot + 9)] = r.value;
            }
        return std::pair(found["outstanding"], found["cache"]);
    };
    EXPECT_EQ(stalls(4, 1'000'000), std::pair(0.0, 0.0));
    EXPECT_EQ(stalls(1, 1'000'000), std::pair(3 * 99'000.0, 0.0));
    EXPECT_EQ(stalls(4, 1), std::pair(0.0, 98'000.0 + 99'000.0));
}

// A wavefront that comes takes the place of one that has gone, and not the next scheduler's turn.
TEST(compute_unit, every_scheduler_has_its_share_of_the_slots) {
    machine_spec s = one_unit();
    s.unit.wave_slots = 4;
    timed_machine m(s);
    EXPECT_EQ(cycles(m.run(5, 32,
                           [](wave w) -> kernel {
                               const bool is_short = w.cta() == 1 || w.cta() == 4;
                               for (unsigned i = 0; i < (is_short ? 10u : 100u); ++i) co_await w.compute(10);
                           })),
              1000u);
    EXPECT_TRUE(m.conserved());
}

TEST(compute_unit, an_access_to_the_scratchpad_takes_as_long_as_its_busiest_bank) {
    const auto time = [](const compute_unit_spec& unit, unsigned words_apart) {
        machine_spec s = one_unit();
        s.unit = unit;
        timed_machine m(s);
        const auto all = m.run(
            1, unit.wave_width,
            [=](wave w) -> kernel {
                const auto words = w.shared<std::uint32_t>(64 * 32);
                w.write(words, w.thread_ids() * words_apart, w.thread_ids());
                const auto back = w.read(words, w.thread_ids() * words_apart);
                if (words_apart != 0 && w.any(back != w.thread_ids())) throw std::logic_error("another value");
                co_await w.barrier();
            },
            core::bytes{64 * 32 * 4});
        for (const auto& row : m.statistics.rows(m.sim.events().now())) {
            if (!row.path.ends_with("bank_conflicts")) continue;
            const unsigned rounds = words_apart == 0 ? 1 : unit.wave_width / 32;
            const unsigned most = words_apart == 0 ? 1 : std::min(words_apart, 32u) * rounds;
            EXPECT_EQ(row.value, unit.scratchpad_banks == 0 ? 0.0 : 2.0 * (most - rounds));
        }
        return cycles(all);
    };
    compute_unit_spec unit = one_unit().unit;
    EXPECT_EQ(time(unit, 0), 2u * 1 + 1);
    EXPECT_EQ(time(unit, 1), 2u * 1 + 1);
    EXPECT_EQ(time(unit, 2), 2u * 2 + 1);
    EXPECT_EQ(time(unit, 32), 2u * 32 + 1);
    unit.wave_width = 64;
    unit.lanes = 16;  // four cycles an instruction
    EXPECT_EQ(time(unit, 1), 2u * 4 + 4);
    EXPECT_EQ(time(unit, 2), 2u * 4 + 4);
    EXPECT_EQ(time(unit, 4), 2u * 8 + 4);
    EXPECT_EQ(time(unit, 32), 2u * 64 + 4);
    unit.scratchpad_banks = 0;
    EXPECT_EQ(time(unit, 32), 2u * 4 + 4);
}

TEST(compute_unit, work_is_charged_with_the_next_instruction) {
    timed_machine m(one_unit());
    const auto body = [](wave w) -> kernel {
        w.work(30);
        w.work(20);
        co_await w.compute(10);
        co_await w.barrier();
    };
    EXPECT_EQ(cycles(m.run(1, 32, body)), 61u);
}

TEST(compute_unit, a_load_takes_its_issue_and_the_memory) {
    timed_machine m(one_unit());
    auto x = m.memory.allocate<float>(64);
    EXPECT_EQ(cycles(m.run(1, 32, [=](wave w) -> kernel { co_await w.load(x, w.global_ids()); })), 101u);
    EXPECT_EQ(cycles(m.run(1, 32,
                           [=](wave w) -> kernel {
                               co_await w.load(x, w.global_ids());
                               co_await w.load(x, w.global_ids());
                           })),
              202u);
    EXPECT_EQ(cycles(m.run(1, 32,
                           [=](wave w) -> kernel {
                               co_await w.all(w.load(x, w.global_ids()), w.load(x, w.global_ids() + 32));
                           })),
              102u);
}

TEST(compute_unit, a_wavefront_goes_on_until_it_uses_a_load) {
    timed_machine m(one_unit());
    auto x = m.memory.allocate<float>(128);
    core::sim_time begun{}, used{}, second{};
    const core::sim_time all = m.run(1, 32, [&, x](wave w) -> kernel {
        const auto a = w.load(x, w.global_ids());
        co_await w.compute(40);
        const auto b = w.load(x, w.global_ids() + 32);
        co_await w.store(x, w.global_ids() + 64, 1);
        begun = m.sim.events().now();
        const auto sum = co_await a + 1;
        used = m.sim.events().now();
        const auto more = sum + co_await b;
        second = m.sim.events().now();
        co_await w.store(x, w.global_ids() + 96, more);
    });
    EXPECT_EQ(cycles(begun), 43u);  // the load's issue, 40 cycles, the second load's and the store's issue
    EXPECT_EQ(cycles(used), 101u);  // the load's own time
    EXPECT_EQ(cycles(second), 142u);
    EXPECT_EQ(cycles(all), 243u);
    EXPECT_TRUE(m.conserved());
}

TEST(compute_unit, the_loads_of_a_wavefront_are_limited) {
    for (const unsigned most : {1u, 2u, 63u}) {
        machine_spec s = one_unit();
        s.unit.wave_loads = most;
        timed_machine m(s);
        auto x = m.memory.allocate<float>(8 * 32);
        const core::sim_time all = m.run(1, 32, [=](wave w) -> kernel {
            std::vector<load_operation<float>> loads;
            for (unsigned i = 0; i < 8; ++i) loads.push_back(w.load(x, w.global_ids() + 32 * i));
            for (const auto& l : loads) co_await l;
        });
        EXPECT_EQ(m.target->most_inside, std::min(most, 8u));
        EXPECT_EQ(cycles(all), most == 1 ? 801u : most == 2 ? 402u : 108u);
        EXPECT_TRUE(m.conserved());
    }
}

// Loads are answered in any order, but a load that comes before a store of its wavefront does not see it.
TEST(compute_unit, a_store_waits_for_its_wavefronts_loads_of_the_same_bytes) {
    timed_machine m(one_unit());
    auto x = m.memory.allocate<std::uint32_t>(64);
    core::sim_time other{}, same{};
    m.run(1, 32, [&, x](wave w) -> kernel {
        co_await w.store(x, w.global_ids(), 5u);
        co_await w.fence();
        const core::sim_time begin = m.sim.events().now();
        const auto old = w.load(x, w.global_ids());
        co_await w.store(x, w.global_ids() + 32, 6u);
        other = m.sim.events().now() - begin;
        co_await w.store(x, w.global_ids(), 7u);
        same = m.sim.events().now() - begin;
        const auto seen = co_await old;
        for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(seen[i], 5u);
    });
    EXPECT_EQ(cycles(other), 2u);
    EXPECT_EQ(cycles(same), 101u);
    EXPECT_EQ(m.memory.read(x, 3), 7u);
}

// By their own ways, the second of two loads could see what is older than what the first one sees.
TEST(compute_unit, a_load_waits_for_one_of_the_same_bytes_that_goes_another_way) {
    for (const bool first_uncached : {false, true}) {
        timed_machine m(one_unit());
        auto x = m.memory.allocate<std::uint32_t>(64);
        const auto load = [x](wave w, unsigned from, bool uncached) {
            return uncached ? w.load_uncached(x, w.global_ids() + from) : w.load(x, w.global_ids() + from);
        };
        core::sim_time like{}, other{}, same{};
        m.run(1, 32, [&](wave w) -> kernel {
            const auto ended = [&] { return m.sim.events().now(); };
            core::sim_time begin = ended();
            const auto a = load(w, 0, first_uncached), b = load(w, 0, first_uncached);
            co_await w.all(a, b);
            like = ended() - begin;
            begin = ended();
            const auto c = load(w, 0, first_uncached), d = load(w, 32, !first_uncached);
            co_await w.all(c, d);
            other = ended() - begin;
            begin = ended();
            const auto e = load(w, 0, first_uncached), f = load(w, 0, !first_uncached);
            co_await w.all(e, f);
            same = ended() - begin;
        });
        EXPECT_EQ(cycles(like), 102u);
        EXPECT_EQ(cycles(other), 102u);
        EXPECT_EQ(cycles(same), 201u);
        EXPECT_TRUE(m.conserved());
    }
}

TEST(compute_unit, a_barrier_and_the_end_wait_for_loads) {
    timed_machine m(one_unit());
    auto x = m.memory.allocate<float>(64);
    core::sim_time after{};
    const core::sim_time all = m.run(1, 32, [&, x](wave w) -> kernel {
        const auto unused = w.load(x, w.global_ids());
        co_await w.barrier();
        after = m.sim.events().now();
        const auto never = w.load(x, w.global_ids() + 32);
        co_await w.compute(1);
        static_cast<void>(unused), static_cast<void>(never);
    });
    EXPECT_EQ(cycles(after), 101u);
    EXPECT_EQ(cycles(all), 202u);
    EXPECT_TRUE(m.conserved());
}

TEST(compute_unit, the_value_of_a_load_is_used_once) {
    timed_machine m(one_unit());
    auto x = m.memory.allocate<float>(64);
    EXPECT_THROW(m.run(1, 32,
                       [=](wave w) -> kernel {
                           const auto a = w.load(x, w.global_ids());
                           co_await a;
                           co_await a;
                       }),
                 std::logic_error);
}

TEST(compute_unit, one_line_request_leaves_a_cycle) {
    timed_machine m(one_unit());
    auto x = m.memory.allocate<float>(32 * 32);
    EXPECT_EQ(cycles(m.run(1, 32, [=](wave w) -> kernel { co_await w.load(x, w.global_ids() * 32); })), 132u);
    EXPECT_EQ(m.target->requests, 32u);
}

TEST(compute_unit, stores_hold_nobody_up_until_a_fence_a_barrier_or_the_end) {
    timed_machine m(one_unit());
    auto x = m.memory.allocate<float>(32);
    core::sim_time after_store{}, after_fence{}, after_barrier{};
    const core::sim_time all = m.run(1, 32, [&, x](wave w) -> kernel {
        co_await w.store(x, w.global_ids(), 1);
        after_store = m.sim.events().now();
        co_await w.fence();
        after_fence = m.sim.events().now();
        co_await w.store(x, w.global_ids(), 2);
        co_await w.barrier();
        after_barrier = m.sim.events().now();
        co_await w.store(x, w.global_ids(), 3);
    });
    EXPECT_EQ(cycles(after_store), 1u);
    EXPECT_EQ(cycles(after_fence), 101u);
    EXPECT_EQ(cycles(after_barrier), 202u);
    EXPECT_EQ(cycles(all), 303u);
}

TEST(compute_unit, outstanding_requests_are_limited) {
    machine_spec s = one_unit();
    s.unit.outstanding = 4;
    timed_machine m(s);
    auto x = m.memory.allocate<float>(64 * 32);
    m.run(4, 32, [=](wave w) -> kernel { co_await w.load(x, w.global_ids() * 16); });
    EXPECT_EQ(m.target->most_inside, 4u);
    EXPECT_GT(m.statistics.rows({}).size(), 0u);
    EXPECT_TRUE(m.conserved());
}

TEST(compute_unit, a_memory_that_holds_requests_back_loses_none) {
    machine_spec s = one_unit();
    s.memory.queue = 1;
    timed_machine m(s);
    auto x = m.memory.allocate<std::uint32_t>(4096);
    m.run(8, 64, [=](wave w) -> kernel {
        for (auto i : w.share(4096)) co_await w.store(x, i, i * 3);
    });
    for (std::uint32_t i = 0; i < 4096; ++i) ASSERT_EQ(m.memory.read(x, i), 3 * i);
    EXPECT_EQ(m.target->most_inside, 1u);
    EXPECT_TRUE(m.conserved());
}

TEST(compute_unit, wavefronts_ctas_and_scratchpad_bound_what_is_resident) {
    struct bound {
        compute_unit_spec spec;
        unsigned expected;
    };
    compute_unit_spec waves, ctas, pad;
    waves.wave_slots = 7;  // CTAs of 2 wavefronts: 3
    ctas.cta_slots = 5;
    pad.scratchpad = {4000};  // CTAs of 1000 bytes: 4
    for (const auto& [spec, expected] : {bound{waves, 3}, bound{ctas, 5}, bound{pad, 4}}) {
        machine_spec s = one_unit();
        s.unit = spec;
        timed_machine m(s);
        unsigned now = 0, most = 0;
        m.run(
            20, 64,
            [&](wave w) -> kernel {
                if (w.wave_in_cta() == 0) most = std::max(most, ++now);
                co_await w.compute(50);
                if (w.wave_in_cta() == 0) --now;
            },
            core::bytes{1000});
        EXPECT_EQ(most, expected);
    }
}

// A CTA has its slots from its first wavefront's begin to its last one's end; the kernel counts them itself.
TEST(compute_unit, wavefronts_in_their_slots_are_those_of_the_ctas_that_run) {
    machine_spec s = one_unit();
    s.unit.wave_slots = 7;
    timed_machine m(s);
    constexpr unsigned waves = 3, ctas = 40;
    double area = 0, most = 0, now = 0;
    core::sim_time since{};
    std::vector<unsigned> left(ctas, waves);
    const auto change = [&](double by) {
        const core::sim_time at = m.sim.events().now();
        area += now * static_cast<double>((at - since).ps);
        since = at;
        now += by;
        most = std::max(most, now);
    };
    m.run(ctas, 32 * waves, [&](wave w) -> kernel {
        if (w.wave_in_cta() == 0) change(waves);
        co_await w.compute(1 + (w.cta() * 7 + w.wave_in_cta() * 31) % 50);
        if (--left[w.cta()] == 0) change(-static_cast<double>(waves));
    });
    const core::sim_time end = m.sim.events().now();
    std::map<std::string, double> resident;
    for (const auto& row : m.statistics.rows(end))
        if (row.path == "gpu0_cu0.resident") resident[row.metric] = row.value;
    EXPECT_EQ(most, 2 * waves);
    EXPECT_EQ(resident.at("max"), most);
    EXPECT_EQ(resident.at("last"), 0);
    EXPECT_NEAR(resident.at("mean") * static_cast<double>(end.ps), area, 1e-9 * area);
}

TEST(compute_unit, a_cta_that_fits_nowhere_is_refused_at_its_launch) {
    machine_spec s = one_unit();
    s.unit.wave_slots = 2;
    timed_machine m(s);
    const auto nothing = [](wave) -> kernel { co_return; };
    EXPECT_THROW(m.run(1, 96, nothing), std::invalid_argument);
    EXPECT_THROW(m.run(1, 32, nothing, core::bytes{1u << 20}), std::invalid_argument);
    EXPECT_NO_THROW(m.run(1, 64, nothing));
}

TEST(compute_unit, specifications_that_make_no_unit_are_refused) {
    for (auto spoil : {+[](compute_unit_spec& s) { s.wave_slots = 0; }, +[](compute_unit_spec& s) { s.schedulers = 0; },
                       +[](compute_unit_spec& s) { s.outstanding = 0; },
                       +[](compute_unit_spec& s) { s.wave_loads = 0; }, +[](compute_unit_spec& s) { s.line = {48}; },
                       +[](compute_unit_spec& s) { s.line = {256}; }, +[](compute_unit_spec& s) { s.cycle = {}; }}) {
        machine_spec s = one_unit();
        spoil(s.unit);
        EXPECT_THROW(timed_machine{s}, std::invalid_argument);
    }
}

TEST(compute_unit, an_answer_with_an_error_fails_the_kernel) {
    timed_machine m(one_unit());
    auto x = m.memory.allocate<float>(32);
    m.target->failing = true;
    EXPECT_THROW(m.run(1, 32, [=](wave w) -> kernel { co_await w.load(x, w.global_ids()); }), std::runtime_error);
    m.target->failing = false;
    EXPECT_NO_THROW(m.run(1, 32, [=](wave w) -> kernel { co_await w.load(x, w.global_ids()); }));
    EXPECT_TRUE(m.conserved());
}

TEST(compute_unit, memory_that_is_full_fails_the_kernel) {
    machine_spec s = one_unit();
    timed_machine m(s);
    auto x = m.memory.allocate<double>(timed_machine::socket_memory.count / 8 + 8192);
    EXPECT_THROW(m.run(16, 256,
                       [=](wave w) -> kernel {
                           for (auto i : w.share(x.size() / 8192)) co_await w.load(x, i * 8192);
                       }),
                 std::runtime_error);
    EXPECT_TRUE(m.conserved());
}

TEST(compute_unit, milestones_tile_the_life_of_a_request) {
    machine_spec s = one_unit();
    s.unit.outstanding = 3;
    timed_machine m(s);
    auto x = m.memory.allocate<float>(4096);
    m.run(4, 64, [=](wave w) -> kernel {
        for (auto i : w.share(512)) co_await w.store(x, i, co_await w.load(x, i * 8));
    });
    struct : request_observer_if {
        void request_completed(access_kind, bool, const memory::memory_extension& e) override {
            ++seen;
            tiled += e.times.tile();
            total += e.times.total().ps;
        }
        std::uint64_t seen = 0, tiled = 0, total = 0;
    } observer;
    m.profile.set_observer(&observer);
    m.run(4, 64, [=](wave w) -> kernel {
        for (auto i : w.share(512)) co_await w.load(x, i * 8);
    });
    EXPECT_EQ(observer.seen, 128u);
    EXPECT_EQ(observer.tiled, observer.seen);
    EXPECT_EQ(m.profile.count(access_kind::load, false), 256u);
    EXPECT_GT(m.profile.spent(access_kind::load, false, memory::stage::coalescer).ps, 0u);
    EXPECT_GE(m.profile.spent(access_kind::load, false, memory::stage::dram).ps, 256u * 100 * cycle.ps);
}

TEST(compute_unit, pause_holds_requests_back_and_enable_lets_them_go) {
    timed_machine m(one_unit());
    auto x = m.memory.allocate<float>(32);
    compute_unit& u = *m.units[0];
    ASSERT_TRUE(u.control(core::control_verb::pause));
    auto program = [&](gpu_system_if& gpu) -> host_task {
        co_await gpu.launch({"k", 1, 32, [=](wave w) -> kernel { co_await w.load(x, w.global_ids()); }});
    };
    m.host.start(program(m.host));
    m.sim.run();
    EXPECT_EQ(m.target->requests, 0u);
    EXPECT_FALSE(u.idle());
    ASSERT_TRUE(u.control(core::control_verb::enable));
    m.sim.run();
    EXPECT_TRUE(m.host.finished());
    EXPECT_TRUE(u.idle());
}

TEST(compute_unit, drain_takes_up_no_cta) {
    timed_machine m(one_unit());
    compute_unit& u = *m.units[0];
    const kernel_launch k("k", 1, 32, [](wave) -> kernel { co_return; });
    EXPECT_TRUE(u.has_room(k));
    ASSERT_TRUE(u.control(core::control_verb::drain));
    EXPECT_FALSE(u.has_room(k));
    ASSERT_TRUE(u.control(core::control_verb::enable));
    EXPECT_TRUE(u.has_room(k));
    EXPECT_FALSE(u.control(core::control_verb::flush));
    EXPECT_FALSE(u.control(core::control_verb::invalidate));
}

TEST(compute_unit, reset_in_mid_traffic_leaves_no_payload_and_no_coroutine) {
    auto held = std::make_shared<int>(1);
    timed_machine m(one_unit());
    auto x = m.memory.allocate<float>(1 << 16);
    const kernel_launch::entry body = [held, x](wave w) -> kernel {
        std::shared_ptr<int> mine;  // one per wavefront: the count tells how many are left
        mine = held;
        for (auto i : w.share(x.size())) co_await w.store(x, i, co_await w.load(x, i) + static_cast<float>(*mine));
    };
    auto program = [&](gpu_system_if& gpu) -> host_task { co_await gpu.launch({"k", 16, 256, body}); };
    m.host.start(program(m.host));
    m.sim.run_until(core::sim_time::from_ns(1500));
    ASSERT_GT(m.payloads.in_flight(), 0u);
    ASSERT_GT(held.use_count(), 10);
    ASSERT_TRUE(m.units[0]->control(core::control_verb::reset));
    EXPECT_EQ(m.payloads.in_flight(), 0u);
    EXPECT_TRUE(m.units[0]->idle());
    EXPECT_LE(held.use_count(), 3);  // ours, the entry's and the launch's
    observe::conservation checks;
    m.units[0]->check(checks);
    EXPECT_TRUE(checks.held());
}

TEST(compute_unit, says_what_it_waits_for) {
    timed_machine m(one_unit());
    auto x = m.memory.allocate<float>(1 << 12);
    m.target->answering = false;
    auto program = [&](gpu_system_if& gpu) -> host_task {
        co_await gpu.launch({"k", 1, 32, [=](wave w) -> kernel { co_await w.load(x, w.global_ids()); }});
    };
    m.host.start(program(m.host));
    m.sim.run();
    std::vector<core::wait_edge> edges;
    m.units[0]->report_waits(edges);
    m.dispatcher.report_waits(edges);
    ASSERT_EQ(edges.size(), 3u);
    EXPECT_EQ(edges[0].waiter, "gpu0_cu0");
    EXPECT_EQ(edges[0].resource, "acceptance of a request");
    EXPECT_EQ(edges[0].holder, "check0");  // the checker in front of the memory
    EXPECT_EQ(edges[1].resource, "responses to 1 requests");
    EXPECT_EQ(edges[2].waiter, "dispatcher");
    EXPECT_EQ(edges[2].holder, "gpu0_cu0");
}

TEST(compute_unit, an_idle_unit_costs_nothing) {
    machine_spec few = one_unit(), many = one_unit();
    many.units = 64;
    const auto events = [](const machine_spec& s) {
        timed_machine m(s);
        auto x = m.memory.allocate<float>(1024);
        m.run(1, 256, [=](wave w) -> kernel {
            for (auto i : w.share(1024)) co_await w.load(x, i);
        });
        return m.sim.events().executed();
    };
    EXPECT_EQ(events(few), events(many));
}

TEST(compute_unit, the_same_run_gives_the_same_statistics) {
    const auto rows = [] {
        machine_spec s;
        s.memory.queue = 2;
        timed_machine m(s);
        auto x = m.memory.allocate<std::uint32_t>(1 << 12);
        m.run(32, 128, [=](wave w) -> kernel {
            for (auto i : w.share(x.size())) co_await w.atomic_add(x, i * 7 % x.size(), 1);
            co_await w.barrier();
        });
        std::ostringstream out;
        m.statistics.write_csv(out, m.sim.events().now());
        return out.str();
    };
    EXPECT_EQ(rows(), rows());
}

}  // namespace
