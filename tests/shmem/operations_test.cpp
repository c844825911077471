// SPDX-License-Identifier: Apache-2.0
// Each operation, between two and four PEs, with the data checked.
#include <array>
#include <numeric>
#include <random>

#include "machine.h"

using namespace contraflow;
using namespace contraflow::shmem;
using core::sim_time;
using gpu::kernel;
using gpu::wave;
using shmem::testing::machine;
using shmem::testing::shape;
using shmem::testing::small_cluster;
using word = std::uint64_t;

namespace {

std::vector<word> numbers(std::size_t n, word seed) {
    std::mt19937_64 draw(seed);
    std::vector<word> all(n);
    for (word& v : all) v = draw();
    return all;
}

class operations : public ::testing::TestWithParam<shape> {};
INSTANTIATE_TEST_SUITE_P(shapes, operations, ::testing::Values(shape{2}, shape{4}, shape{2, 1}, shape{4, 2}),
                         [](const auto& p) {
                             return fmt::format("{}_nodes_{}_helpers", p.param.nodes, p.param.helpers);
                         });

TEST_P(operations, a_put_writes_those_bytes_at_the_same_offset_of_the_other_pe_and_no_others) {
    machine m(GetParam());
    const auto source = m.malloc<word>(700), dest = m.malloc<word>(700);
    for (unsigned i = 0; i < m.pes(); ++i) m.write(i, source[i], numbers(700, i + 1));
    m.run([&](context& c, wave) -> kernel {
        const unsigned me = c.my_pe(), next = (me + 1) % c.n_pes();
        co_await c.put(dest[me].slice(3, 600), source[me].slice(5, 600), 600, next);
        co_await c.put_nbi(dest[me].slice(650, 1), source[me].slice(1, 1), 1, next);
    });
    for (unsigned i = 0; i < m.pes(); ++i) {
        const auto from = numbers(700, (i + m.pes() - 1) % m.pes() + 1);
        std::vector<word> expected(700);
        std::copy_n(from.begin() + 5, 600, expected.begin() + 3);
        expected[650] = from[1];
        EXPECT_EQ(m.read(i, dest[i]), expected) << i;
        EXPECT_EQ(m.read(i, source[i]), numbers(700, i + 1));
    }
    m.expect_clean();
}

class moment_counter final : public moment_observer_if {
public:
    void reached(moment m, unsigned, unsigned) override { ++counts_[static_cast<std::size_t>(m)]; }
    unsigned of(moment m) const { return counts_[static_cast<std::size_t>(m)]; }

private:
    std::array<unsigned, static_cast<std::size_t>(moment::seen) + 1> counts_{};
};

TEST(batches, puts_that_are_not_awaited_share_an_invalidate_and_a_doorbell) {
    for (const unsigned batch : {1u, 5u, 16u, 128u}) {
        spec s;
        s.batch = batch;
        machine m(3, s);
        moment_counter seen;
        m[0].set_observer(&seen);
        const auto dest = m.malloc<word>(40);
        m.start(0, [&](context& c, wave) -> kernel {
            for (word i = 0; i < 40; ++i) co_await c.p(dest[0].slice(i, 1), i + 1, i < 3 ? 2 : 1);
        });
        m.finish();
        // 37 to PE 1, in batches of a quarter of 64 entries at most; the last one has the 3 to PE 2, or the first one.
        const unsigned of = std::min(batch, 16u);
        const unsigned to_1 = (37 + of - 1) / of, to_2 = (3 + of - 1) / of;
        // With the first doorbell for PE 1 goes one for PE 2, and with quiet one for the fence to each.
        EXPECT_EQ(seen.of(moment::rung), to_1 + to_2 + (batch == 1 ? 2 : 1)) << batch;
        std::vector<word> expected(40);
        std::iota(expected.begin() + 3, expected.end(), 4);
        EXPECT_EQ(m.read(1, dest[1]), expected);
        EXPECT_EQ(m.read(2, dest[2])[2], 3u);
        m.expect_clean();
    }
}

// Nothing waits for ever: each call but a put that is not awaited is followed by what was put before.
TEST(batches, any_other_call_hands_over_what_was_put) {
    using call = std::function<gpu::task<>(context&, std::vector<gpu::array<word>>)>;
    const std::vector<std::pair<const char*, call>> calls{
        {"fence", [](context& c, auto) { return c.fence(); }},
        {"submit", [](context& c, auto) { return c.submit(); }},
        {"quiet", [](context& c, auto) { return c.quiet(); }},
        {"put to another PE", [](context& c, auto x) { return c.put(x[0].slice(8, 1), x[0].slice(9, 1), 1, 2); }},
        {"get", [](context& c, auto x) { return c.get(x[0].slice(8, 1), x[0].slice(9, 1), 1, 2); }},
        {"g", [](context& c, auto x) -> gpu::task<> { co_await c.g(x[0].slice(9, 1), 2); }},
        {"atomic", [](context& c, auto x) -> gpu::task<> { co_await c.atomic_fetch(x[0].slice(9, 1), 2); }},
        {"test", [](context& c, auto x) -> gpu::task<> { co_await c.test(x[0].slice(9, 1), cmp::eq, 5); }},
        {"put to the own PE", [](context& c, auto x) { return c.put(x[0].slice(8, 1), x[0].slice(9, 1), 1, 0); }},
        {"put of nothing", [](context& c, auto x) { return c.put(x[0].slice(8, 1), x[0].slice(9, 1), 0, 2); }},
        {"get from the own PE", [](context& c, auto x) { return c.get(x[0].slice(8, 1), x[0].slice(9, 1), 1, 0); }},
        {"get of nothing", [](context& c, auto x) { return c.get(x[0].slice(8, 1), x[0].slice(9, 1), 0, 2); }},
        {"g from the own PE", [](context& c, auto x) -> gpu::task<> { co_await c.g(x[0].slice(9, 1), 0); }},
        {"own atomic", [](context& c, auto x) -> gpu::task<> { co_await c.atomic_fetch(x[0].slice(9, 1), 0); }},
        {"wait_until", [](context& c, auto x) { return c.wait_until(x[0].slice(9, 1), cmp::eq, 0); }},
    };
    for (unsigned i = 0; i <= calls.size(); ++i) {
        machine m(3);
        const auto x = m.malloc<word>(64);
        word there = 0;
        m.start(0, [&](context& c, wave w) -> kernel {
            co_await c.p(x[0].slice(0, 1), 7, 1);
            if (i < calls.size()) co_await calls[i].second(c, x);
            co_await w.compute(30'000);
            there = m.read(1, x[1])[0];
        });
        m.finish();
        EXPECT_EQ(there, i < calls.size() ? 7u : 0u) << (i < calls.size() ? calls[i].first : "no call");
        EXPECT_EQ(m.read(1, x[1])[0], 7u);
    }
}

TEST_P(operations, a_get_reads_from_the_other_pe_and_sees_what_it_has_before_quiet_or_at_its_end) {
    machine m(GetParam());
    const auto source = m.malloc<word>(600), dest = m.malloc<word>(600), copy = m.malloc<word>(600);
    for (unsigned i = 0; i < m.pes(); ++i) m.write(i, source[i], numbers(600, i + 1));
    m.run([&](context& c, wave w) -> kernel {
        const unsigned me = c.my_pe(), next = (me + 1) % c.n_pes();
        co_await c.get(dest[me], source[me], 500, next);
        for (auto i : w.share(500)) co_await w.store(copy[me], i, co_await w.load(dest[me], i));
        co_await c.get_nbi(dest[me].slice(500, 100), source[me].slice(500, 100), 100, next);
        co_await c.quiet();
        for (auto i : w.share(100)) co_await w.store(copy[me], i + 500, co_await w.load(dest[me], i + 500));
    });
    for (unsigned i = 0; i < m.pes(); ++i) EXPECT_EQ(m.read(i, copy[i]), numbers(600, (i + 1) % m.pes() + 1)) << i;
    m.expect_clean();
}

TEST_P(operations, p_and_g_move_one_value_of_any_size) {
    machine m(GetParam());
    const auto a = m.malloc<std::uint8_t>(8);
    const auto b = m.malloc<std::int16_t>(8);
    const auto f = m.malloc<float>(8);
    const auto d = m.malloc<double>(8);
    std::vector<double> got(m.pes());
    std::vector<int> small(m.pes());
    m.run([&](context& c, wave) -> kernel {
        const unsigned me = c.my_pe(), next = (me + 1) % c.n_pes();
        co_await c.p(a[me].slice(3, 1), static_cast<std::uint8_t>(10 + me), next);
        co_await c.p(b[me].slice(1, 1), static_cast<std::int16_t>(-5 - static_cast<int>(me)), next);
        co_await c.p(f[me], 0.5f + static_cast<float>(me), next);
        co_await c.p(d[me].slice(2, 1), 0.25 + me, next);
        co_await barrier_all(c);
        got[me] = co_await c.g(d[me].slice(2, 1), next);
        small[me] = co_await c.g(b[me].slice(1, 1), next);
    });
    for (unsigned i = 0; i < m.pes(); ++i) {
        const unsigned before = (i + m.pes() - 1) % m.pes();
        EXPECT_EQ(m.read(i, a[i]),
                  (std::vector<std::uint8_t>{0, 0, 0, static_cast<std::uint8_t>(10 + before), 0, 0, 0, 0}));
        EXPECT_EQ(m.read(i, b[i])[1], -5 - static_cast<int>(before));
        EXPECT_EQ(m.read(i, f[i])[0], 0.5f + static_cast<float>(before));
        EXPECT_EQ(m.read(i, d[i])[2], 0.25 + before);
        EXPECT_EQ(got[i], 0.25 + i);  // what this PE has put to the next
        EXPECT_EQ(small[i], -5 - static_cast<int>(i));
    }
    m.expect_clean();
}

TEST_P(operations, transfers_to_the_own_pe_are_copies) {
    machine m(GetParam());
    const auto x = m.malloc<word>(100), y = m.malloc<word>(100);
    const auto bytes = m.malloc<std::uint8_t>(64);
    word old = 0, swapped = 0, fetched = 0, got = 0;
    m.write(1, x[1], numbers(100, 3));
    m.write(1, bytes[1], {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
    m.start(1, [&](context& c, wave) -> kernel {
        co_await c.put(y[1].slice(10, 90), x[1], 90, 1);
        co_await c.get(y[1], x[1].slice(90, 10), 10, 1);
        co_await c.put(bytes[1].slice(33, 9), bytes[1].slice(1, 9), 9, 1);
        co_await c.p(x[1].slice(7, 1), 70, 1);
        co_await c.p(bytes[1].slice(63, 1), std::uint8_t{99}, 1);
        old = co_await c.atomic_fetch_add(x[1].slice(7, 1), 5, 1);
        swapped = co_await c.atomic_compare_swap(x[1].slice(7, 1), 75, 80, 1);
        co_await c.atomic_set(x[1].slice(8, 1), 11, 1);
        fetched = co_await c.atomic_fetch(x[1].slice(8, 1), 1);
        got = co_await c.g(x[1].slice(7, 1), 1);
    });
    m.finish();
    auto expected = numbers(100, 3);
    std::rotate(expected.begin(), expected.begin() + 90, expected.end());
    EXPECT_EQ(m.read(1, y[1]), expected);
    EXPECT_EQ(old, 70u);
    EXPECT_EQ(swapped, 75u);
    EXPECT_EQ(fetched, 11u);
    EXPECT_EQ(got, 80u);
    const auto b = m.read(1, bytes[1]);
    EXPECT_EQ(std::vector<std::uint8_t>(b.begin() + 32, b.begin() + 43),
              (std::vector<std::uint8_t>{0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0}));
    EXPECT_EQ(b[63], 99);
    m.expect_clean();
}

TEST_P(operations, atomic_operations_of_all_pes_on_one_variable_lose_nothing) {
    machine m(GetParam());
    const auto x = m.malloc<word>(4);
    const auto signed_x = m.malloc<std::int64_t>(1);
    std::vector<std::vector<word>> tickets(m.pes());
    std::vector<unsigned> wins(m.pes());
    m.run([&](context& c, wave) -> kernel {
        const unsigned me = c.my_pe();
        for (unsigned i = 0; i < 20; ++i) tickets[me].push_back(co_await c.atomic_fetch_add(x[me], 1, 0));
        co_await c.atomic_fetch_add(signed_x[me], -3, 0);
        for (word v = 0; v < 8; ++v)
            if (co_await c.atomic_compare_swap(x[me].slice(1, 1), v, v + 1, 0) == v) ++wins[me];
        co_await c.atomic_set(x[me].slice(2, 1), 100 + me, (me + 1) % c.n_pes());
        co_await barrier_all(c);
        const word seen = co_await c.atomic_fetch(x[me].slice(2, 1), (me + 1) % c.n_pes());
        tickets[me].push_back(seen - 100 - me);  // 0
    });
    std::vector<word> all;
    for (auto& t : tickets) {
        EXPECT_EQ(t.back(), 0u);
        all.insert(all.end(), t.begin(), t.end() - 1);
    }
    std::sort(all.begin(), all.end());
    std::vector<word> expected(20 * m.pes());
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(all, expected);
    EXPECT_EQ(m.read(0, x[0])[0], 20 * m.pes());
    EXPECT_EQ(m.read(0, signed_x[0])[0], -3 * static_cast<std::int64_t>(m.pes()));
    EXPECT_EQ(std::accumulate(wins.begin(), wins.end(), 0u), m.read(0, x[0])[1]);
    EXPECT_GE(m.read(0, x[0])[1], 1u);
    m.expect_clean();
}

TEST_P(operations, a_comparison_at_another_pe_swaps_only_what_is_equal) {
    machine m(GetParam());
    const auto x = m.malloc<word>(2);
    std::vector<word> seen;
    m.start(1, [&](context& c, wave) -> kernel {
        co_await c.atomic_set(x[1], 5, 0);
        seen.push_back(co_await c.atomic_compare_swap(x[1], 5, 9, 0));
        seen.push_back(co_await c.atomic_fetch(x[1], 0));
        seen.push_back(co_await c.atomic_compare_swap(x[1], 5, 11, 0));
        seen.push_back(co_await c.g(x[1], 0));
        seen.push_back(co_await c.atomic_fetch_add(x[1], 2, 0));
        seen.push_back(co_await c.atomic_compare_swap(x[1], 11, 0, 0));
    });
    m.finish();
    EXPECT_EQ(seen, (std::vector<word>{5, 9, 9, 9, 9, 11}));
    EXPECT_EQ(m.read(0, x[0]), (std::vector<word>{0, 0}));
    m.expect_clean();
}

TEST_P(operations, wait_until_and_test_compare_signed_and_unsigned) {
    machine m(GetParam());
    const auto x = m.malloc<std::int32_t>(2);
    const auto y = m.malloc<word>(1);
    std::vector<bool> tests;
    m.start(0, [&](context& c, wave) -> kernel {
        tests.push_back(co_await c.test(x[0], cmp::lt, 0));
        co_await c.wait_until(x[0], cmp::lt, 0);
        tests.push_back(co_await c.test(x[0], cmp::lt, 0));
        tests.push_back(co_await c.test(x[0], cmp::eq, -5));
        co_await c.wait_until(y[0], cmp::gt, 1u);
        tests.push_back(co_await c.test(y[0], cmp::gt, 5));  // unsigned: it is 2^64 - 1
        tests.push_back(co_await c.test(y[0], cmp::ne, ~word{0}));
        tests.push_back(co_await c.test(y[0], cmp::le, 5));
        tests.push_back(co_await c.test(y[0], cmp::ge, ~word{0}));
    });
    m.start(1, [&](context& c, wave w) -> kernel {
        co_await w.compute(5000);
        co_await c.p(x[1], -5, 0);
        co_await w.compute(5000);
        co_await c.p(y[1], ~word{0}, 0);
    });
    m.finish();
    EXPECT_EQ(tests, (std::vector<bool>{false, true, true, true, false, false, true}));
    m.expect_clean();
}

// Random puts, gets and additions of several workgroups to all PEs, far more than a ring has places.
TEST_P(operations, hundreds_of_operations_of_several_workgroups_lose_and_repeat_nothing) {
    for (const bool templates : {true, false}) {
        spec s;
        s.contexts = 3;
        s.entries = 8;
        s.templates = templates;
        s.template_bytes = {64};
        machine m(GetParam(), s);
        const unsigned all = m.pes();
        // Workgroup g of PE a owns line g * all + a of every PE's array.
        const auto dest = m.malloc<word>(3 * 4 * 64), source = m.malloc<word>(3 * 64), back = m.malloc<word>(3 * 64);
        const auto sum = m.malloc<word>(1);
        std::vector<word> wrong(all), added(all);
        m.run(
            [&](context& c, wave w) -> kernel {
                const unsigned me = c.my_pe();
                const auto g = static_cast<unsigned>(w.cta());
                std::mt19937_64 draw(me * 10 + g);
                const auto mine = source[me].slice(g * 64, 64), there = dest[me].slice((g * all + me) * 64, 64);
                const auto again = back[me].slice(g * 64, 64);
                for (word i = 0; i < 64; i += 32)
                    co_await w.store(mine, w.thread_ids() + i, w.thread_ids() + i + g * 1000 + me * 10000);
                for (unsigned k = 0; k < 60; ++k) {
                    const unsigned to = static_cast<unsigned>(draw() % all);
                    const std::size_t at = draw() % 64,
                                      n = draw() % 3 == 0 ? std::min<std::size_t>(8, 64 - at) : 1 + draw() % (64 - at);
                    switch (draw() % 4) {
                    case 0: co_await c.put_nbi(there.slice(at, n), mine.slice(at, n), n, to); break;
                    case 1: co_await c.p(there.slice(at, 1), at + g * 1000 + me * 10000, to); break;
                    case 2: {
                        const word v = draw() % 100;
                        added[me] += v;
                        co_await c.atomic_fetch_add(sum[me], v, to);
                        break;
                    }
                    default:
                        co_await c.put(there.slice(at, n), mine.slice(at, n), n, to);
                        co_await c.fence();
                        co_await c.get(again.slice(at, n), there.slice(at, n), n, to);
                        for (std::size_t i = at; i < at + n; ++i)
                            wrong[me] +=
                                (co_await w.load(again, i, gpu::mask::thread(0)))[0] != i + g * 1000 + me * 10000;
                    }
                }
                for (unsigned to = 0; to < all; ++to) co_await c.put_nbi(there, mine, 64, to);
            },
            3);
        word total = 0;
        for (unsigned a = 0; a < all; ++a) {
            EXPECT_EQ(wrong[a], 0u);
            total += added[a];
            const auto seen = m.read(a, dest[a]);
            for (unsigned g = 0; g < 3; ++g)
                for (unsigned from = 0; from < all; ++from)
                    for (word i = 0; i < 64; ++i)
                        ASSERT_EQ(seen[(g * all + from) * 64 + i], i + g * 1000 + from * 10000)
                            << a << " " << g << " " << from << " " << i;
        }
        word seen = 0;
        for (unsigned a = 0; a < all; ++a) seen += m.read(a, sum[a])[0];
        EXPECT_EQ(seen, total);
        m.expect_clean();
    }
}

// Its queues go on where they were, and so does the next workgroup that makes the context.
TEST_P(operations, a_context_is_made_again_in_a_later_kernel_and_by_another_workgroup) {
    spec s;
    s.entries = 4;
    machine m(GetParam(), s);
    const auto x = m.malloc<word>(64);
    word next = 0;
    for (unsigned k = 0; k < 5; ++k) {
        m.start(0, [&](context& c, wave) -> kernel {
            for (unsigned i = 0; i < 7; ++i, ++next) co_await c.p(x[0].slice(next, 1), next + 1, c.n_pes() - 1);
        });
        m.finish();
    }
    m.start_raw(
        0,
        [&](wave w) -> kernel {
            context c(m[0], w);
            if (w.cta() != 1) co_return;
            co_await c.create(0);
            for (unsigned i = 0; i < 7; ++i, ++next) co_await c.p(x[0].slice(next, 1), next + 1, c.n_pes() - 1);
            co_await c.destroy();
        },
        2);
    m.finish();
    std::vector<word> expected(64);
    std::iota(expected.begin(), expected.begin() + 42, 1);
    EXPECT_EQ(m.read(m.pes() - 1, x[m.pes() - 1]), expected);
    m.expect_clean();
}

TEST_P(operations, a_workgroup_of_several_wavefronts_puts_what_all_of_them_have_stored) {
    machine m(GetParam());
    const auto source = m.malloc<word>(256), dest = m.malloc<word>(256);
    std::vector<word> got;
    m.run(
        [&](context& c, wave w) -> kernel {
            const unsigned me = c.my_pe(), next = (me + 1) % c.n_pes();
            for (unsigned round = 1; round <= 3; ++round) {
                co_await w.compute(1 + 400 * w.wave_in_cta());
                for (auto i : w.share(256)) co_await w.store(source[me], i, i + 1000 * round + 100000 * me);
                co_await c.put(dest[me], source[me], 256, next);
                const word v = co_await c.g(dest[me].slice(255, 1), next);
                got.push_back(v);  // every wavefront gets it
                co_await barrier_all(c);
            }
        },
        1, 128);
    EXPECT_EQ(got.size(), m.pes() * 4 * 3);
    for (unsigned i = 0; i < m.pes(); ++i) {
        const unsigned from = (i + m.pes() - 1) % m.pes();
        std::vector<word> expected(256);
        std::iota(expected.begin(), expected.end(), 3000 + 100000 * from);
        EXPECT_EQ(m.read(i, dest[i]), expected);
    }
    m.expect_clean();
}

// A thread that looks into two queues in turn finds an entry at a look of that queue, however long nothing was there.
TEST(helpers, an_entry_is_taken_at_a_look_of_its_queue) {
    class first_taken final : public moment_observer_if {
    public:
        explicit first_taken(core::scheduler& events) : events_(events) {}
        void reached(moment m, unsigned, unsigned) override {
            if (m == moment::taken && at.ps == 0) at = events_.now();
        }
        sim_time at{};

    private:
        core::scheduler& events_;
    };
    for (const unsigned to : {1u, 2u})
        for (unsigned late = 1; late < 40'000; late = late * 3 + 7) {
            machine m(shape{3, 1});
            first_taken seen(m.sim.events());
            m[0].set_observer(&seen);
            const auto x = m.malloc<word>(1);
            const sim_time begun = m.sim.events().now();
            m.start(0, [&](context& c, wave w) -> kernel {
                co_await w.compute(late);
                co_await c.p(x[0], 1, to);
            });
            m.finish();
            const std::uint64_t look = spec{}.helper_look.ps, passed = (seen.at - begun).ps;
            EXPECT_EQ(passed % look, 0u) << late;
            EXPECT_EQ(passed / look % 2, to % 2) << late;  // looks 1, 3, 5, ... are those of the queue to PE 1
            EXPECT_EQ(m.read(to, x[to])[0], 1u);
        }
}

// The stores of a put's entry, counted by what they cost.
TEST(templates, a_put_of_the_template_s_length_stores_three_words_and_another_one_four) {
    const auto time_of = [](bool templates, std::size_t n) {
        auto cluster = small_cluster(2);
        cluster.node.gpu.values.uncached_store = sim_time::from_us(10);  // nothing else counts
        spec s;
        s.templates = templates;
        s.template_bytes = {64};
        machine m(cluster, s);
        const auto x = m.malloc<word>(64), y = m.malloc<word>(64);
        sim_time entry{}, all{};
        m.start(0, [&](context& c, wave) -> kernel {
            const sim_time begun = m.sim.events().now();
            co_await c.put_nbi(y[0], x[0], n, 1);
            entry = m.sim.events().now() - begun;
            co_await c.submit();
            all = m.sim.events().now() - begun;
        });
        m.finish();
        const auto stores = [](sim_time t) { return (t.ps + 5'000'000) / 10'000'000; };
        return std::pair(stores(entry), stores(all));
    };
    // The last store of an entry is not awaited before the doorbell; then comes the wait for the path block.
    EXPECT_EQ(time_of(true, 8), std::pair(2ul, 3 + 1ul));
    EXPECT_EQ(time_of(true, 9), std::pair(3ul, 4 + 1ul));
    EXPECT_EQ(time_of(false, 8), std::pair(5ul, 6 + 1ul));
}

}  // namespace
