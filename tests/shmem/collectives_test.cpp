// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "machine.h"

using namespace contraflow;
using namespace contraflow::shmem;
using gpu::kernel;
using gpu::wave;
using shmem::testing::machine;
using shmem::testing::shape;
using word = std::uint64_t;

namespace {

class collectives : public ::testing::TestWithParam<shape> {};
INSTANTIATE_TEST_SUITE_P(shapes, collectives, ::testing::Values(shape{2}, shape{3}, shape{4}, shape{3, 1}),
                         [](const auto& p) {
                             return fmt::format("{}_nodes_{}_helpers", p.param.nodes, p.param.helpers);
                         });

// Each PE puts to all others, and reads after the barrier what they have put; the barrier is passed by nobody before
// the last has come.
TEST_P(collectives, behind_barrier_all_all_earlier_puts_are_visible) {
    machine m(GetParam());
    const unsigned all = m.pes();
    const auto x = m.malloc<word>(all);
    word wrong = 0;
    std::vector<core::sim_time> left;
    core::sim_time last{};
    m.run([&](context& c, wave w) -> kernel {
        const unsigned me = c.my_pe();
        for (word round = 1; round <= 6; ++round) {
            co_await w.compute(1 + (me * 7 + round * 3) % 5 * 900);
            if (round == 6) last = std::max(last, m.sim.events().now());
            for (unsigned to = 0; to < all; ++to) co_await c.p(x[me].slice(me, 1), round * 100 + me, to);
            co_await barrier_all(c);
            if (round == 6) left.push_back(m.sim.events().now());
            for (unsigned from = 0; from < all; ++from)
                wrong += (co_await w.load(x[me], from, gpu::mask::thread(0)))[0] != round * 100 + from;
            co_await sync_all(c);  // nobody puts again before all have read
        }
    });
    EXPECT_EQ(wrong, 0u);
    for (const auto t : left) EXPECT_GT(t, last);
    m.expect_clean();
}

TEST_P(collectives, a_broadcast_reaches_all_but_the_root_s_own_target) {
    machine m(GetParam());
    const unsigned all = m.pes();
    const auto source = m.malloc<word>(100), target = m.malloc<word>(100), seen = m.malloc<word>(100 * all);
    m.run([&](context& c, wave w) -> kernel {
        const unsigned me = c.my_pe();
        for (unsigned root = 0; root < all; ++root) {
            if (me == root)
                for (auto i : w.share(100)) co_await w.store(source[me], i, i + 1000 * (root + 1));
            co_await broadcast(c, target[me], source[me], 100, root, everyone(c));
            for (auto i : w.share(100)) co_await w.store(seen[me], i + 100 * root, co_await w.load(target[me], i));
            co_await barrier_all(c);
        }
    });
    for (unsigned me = 0; me < all; ++me) {
        const auto v = m.read(me, seen[me]);
        for (unsigned root = 0; root < all; ++root)
            for (unsigned i = 0; i < 100; ++i) {
                const word own = me == 0 ? 0 : 1000 * me + i;  // of the broadcast before
                EXPECT_EQ(v[100 * root + i], me == root ? own : i + 1000 * (root + 1)) << me << root << i;
            }
    }
    m.expect_clean();
}

TEST_P(collectives, alltoall_gives_block_i_to_pe_i) {
    machine m(GetParam());
    const unsigned all = m.pes();
    const auto source = m.malloc<word>(40 * all), target = m.malloc<word>(40 * all);
    m.run([&](context& c, wave w) -> kernel {
        const unsigned me = c.my_pe();
        for (auto i : w.share(40 * all)) co_await w.store(source[me], i, i + 1000 * me);
        co_await alltoall(c, target[me], source[me], 40, everyone(c));
    });
    for (unsigned me = 0; me < all; ++me) {
        std::vector<word> expected;
        for (unsigned from = 0; from < all; ++from)
            for (unsigned i = 0; i < 40; ++i) expected.push_back(me * 40 + i + 1000 * from);
        EXPECT_EQ(m.read(me, target[me]), expected);
    }
    m.expect_clean();
}

TEST_P(collectives, reductions_combine_all_elements_in_one_piece_or_in_several) {
    for (const std::size_t work_elements : {std::size_t{GetParam().nodes} * 70, std::size_t{GetParam().nodes} * 9}) {
        machine m(GetParam());
        const unsigned all = m.pes();
        const auto source = m.malloc<std::int64_t>(70), sum = m.malloc<std::int64_t>(70),
                   least = m.malloc<std::int64_t>(70);
        const auto greatest = m.malloc<std::int64_t>(70), bits = m.malloc<std::int64_t>(70);
        const auto work = m.malloc<std::int64_t>(work_elements);
        const auto factors = m.malloc<double>(70), products = m.malloc<double>(70),
                   work_d = m.malloc<double>(work_elements);
        const auto value = [](unsigned pe, std::int64_t i) { return (i * 37 + pe * 101) % 97 - 48; };
        for (unsigned pe = 0; pe < all; ++pe) {
            std::vector<std::int64_t> v(70);
            std::vector<double> f(70);
            for (int i = 0; i < 70; ++i) {
                v[i] = value(pe, i);
                f[i] = 1.0 + 0.1 * pe + 0.01 * i;
            }
            m.write(pe, source[pe], v);
            m.write(pe, factors[pe], f);
        }
        m.run(
            [&](context& c, wave) -> kernel {
                const unsigned me = c.my_pe();
                const active_set s = everyone(c);
                co_await to_all<reduce::sum>(c, sum[me], source[me], 70, s, work[me]);
                co_await to_all<reduce::min>(c, least[me], source[me], 70, s, work[me]);
                co_await to_all<reduce::max>(c, greatest[me], source[me], 70, s, work[me]);
                co_await to_all<reduce::bit_xor>(c, bits[me], source[me], 70, s, work[me]);
                co_await to_all<reduce::prod>(c, products[me], factors[me], 70, s, work_d[me]);
                co_await to_all<reduce::prod>(c, factors[me], factors[me], 70, s, work_d[me]);  // in place
            },
            1, 64);
        for (unsigned me = 0; me < all; ++me)
            for (int i = 0; i < 70; ++i) {
                std::int64_t s = 0, x = 0, lo = 1000, hi = -1000;
                double p = 1.0;
                for (unsigned pe = 0; pe < all; ++pe) {
                    const std::int64_t v = value(pe, i);
                    s += v;
                    x ^= v;
                    lo = std::min(lo, v);
                    hi = std::max(hi, v);
                    p = pe == 0 ? 1.0 + 0.01 * i : p * (1.0 + 0.1 * pe + 0.01 * i);
                }
                ASSERT_EQ(m.read(me, sum[me])[i], s) << me << " " << i;
                ASSERT_EQ(m.read(me, least[me])[i], lo);
                ASSERT_EQ(m.read(me, greatest[me])[i], hi);
                ASSERT_EQ(m.read(me, bits[me])[i], x);
                ASSERT_EQ(m.read(me, products[me])[i], p);
                ASSERT_EQ(m.read(me, factors[me])[i], p);
            }
        m.expect_clean();
    }
}

TEST(active_set, of_every_second_pe_leaves_the_others_alone) {
    machine m(4);
    const auto source = m.malloc<word>(2), target = m.malloc<word>(2), work = m.malloc<word>(2), x = m.malloc<word>(1);
    const auto own_sync = m.malloc<word>(sync_words(2));
    std::vector<std::string> refused(4);
    m.run([&](context& c, wave w) -> kernel {
        const unsigned me = c.my_pe();
        const active_set odd{1, 1, 2, own_sync[me]};  // 1 and 3
        for (auto i : w.share(2)) co_await w.store(source[me], i, i + 10 * me);
        if (me % 2 == 1) {
            co_await to_all<reduce::sum>(c, target[me], source[me], 2, odd, work[me]);
            co_await barrier(c, odd);
        } else {
            try {
                co_await barrier(c, odd);
            } catch (const error& e) { refused[me] = e.what(); }
        }
    });
    EXPECT_EQ(m.read(1, target[1]), (std::vector<word>{40, 42}));
    EXPECT_EQ(m.read(3, target[3]), (std::vector<word>{40, 42}));
    EXPECT_EQ(m.read(0, target[0]), (std::vector<word>{0, 0}));
    EXPECT_EQ(refused[2], "PE 2, context 0, sync: this PE is not in the active set");
    m.expect_clean();
}

}  // namespace
