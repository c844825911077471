// SPDX-License-Identifier: Apache-2.0
// Each step of coherence: with it the bytes are right for every seed, and without it they are wrong for some.
#include <numeric>

#include "machine.h"

using namespace contraflow;
using namespace contraflow::shmem;
using core::sim_time;
using gpu::kernel;
using gpu::mask;
using gpu::wave;
using memory::memory_type;
using shmem::testing::machine;
using shmem::testing::small_cluster;
using word = std::uint64_t;

namespace {

// A write combiner that reorders much.
host::queue_pair_cluster::spec restless_combiner(unsigned seed) {
    auto s = small_cluster(2);
    gpu::pcie_gpu_spec& g = s.node.gpu.values;
    g.ppb.order = gpu::drain_order::random;
    g.ppb.drain_after = sim_time::from_us(20);
    g.ppb.seed = seed;
    return s;
}
// A fabric that does.
host::queue_pair_cluster::spec restless_fabric(unsigned seed) {
    auto s = small_cluster(2);
    s.node.gpu.values.fabric.reorder = sim_time::from_us(4);
    s.node.gpu.values.fabric.seed = seed;
    return s;
}

// How many of the seeds are wrong: other bytes, or an error.
template <class Wrong> unsigned wrong_seeds(Wrong wrong, unsigned seeds = 12) {
    unsigned all = 0;
    for (unsigned seed = 1; seed <= seeds; ++seed) {
        try {
            all += wrong(seed) ? 1 : 0;
        } catch (const error&) { ++all; }
    }
    return all;
}

// The receiver's kernel reads n words when the flag is there.
machine::body reader(std::vector<gpu::array<word>> data, std::vector<gpu::array<word>> flag, std::vector<word>* seen,
                     word value = 1) {
    return [=](context& c, wave w) -> kernel {
        const unsigned me = c.my_pe();
        co_await c.wait_until(flag[me], cmp::ge, value);
        for (std::size_t i = 0; i < data[me].size(); ++i)
            seen->push_back((co_await w.load(data[me], i, mask::thread(0)))[0]);
    };
}

TEST(steps, fence_between_data_and_flag) {
    for (const bool taken : {true, false}) {
        const unsigned wrong = wrong_seeds([&](unsigned seed) {
            spec s;
            s.steps.fence = taken;
            machine m(restless_combiner(seed), s);
            const auto source = m.malloc<word>(40), dest = m.malloc<word>(40), flag = m.malloc<word>(1);
            std::vector<word> numbers(40), seen;
            std::iota(numbers.begin(), numbers.end(), 1);
            m.write(0, source[0], numbers);
            m.start(0, [&](context& c, wave) -> kernel {
                co_await c.put_nbi(dest[0], source[0], 40, 1);
                co_await c.fence();
                co_await c.p(flag[0], 1, 1);
            });
            m.start(1, reader(dest, flag, &seen));
            m.finish();
            return seen != numbers;
        });
        EXPECT_EQ(wrong != 0, !taken) << wrong;
    }
}

// A completion tells that the data has arrived, and not that it has left the write combiner.
TEST(steps, fence_within_quiet) {
    for (const bool taken : {true, false}) {
        const unsigned wrong = wrong_seeds([&](unsigned seed) {
            spec s;
            s.steps.fence = taken;
            machine m(restless_combiner(seed), s);
            const auto source = m.malloc<word>(40), dest = m.malloc<word>(40);
            std::vector<word> numbers(40), seen;
            std::iota(numbers.begin(), numbers.end(), 1);
            m.write(0, source[0], numbers);
            m.start(0, [&](context& c, wave) -> kernel {
                co_await c.put_nbi(dest[0], source[0], 40, 1);
                co_await c.quiet();
                seen = m.read(1, dest[1]);  // what is in its memory now
            });
            m.finish();
            return seen != numbers;
        });
        EXPECT_EQ(wrong != 0, !taken) << wrong;
    }
}

TEST(steps, invalidate_before_a_source_is_read_again) {
    for (const bool taken : {true, false}) {
        spec s;
        s.steps.invalidate = taken;
        machine m(2, s);
        const auto source = m.malloc<word>(4), dest = m.malloc<word>(8);
        m.start(0, [&](context& c, wave w) -> kernel {
            for (word round = 0; round < 2; ++round) {
                co_await w.store(source[0], 0, round + 1, mask::thread(0));
                co_await c.put(dest[0].slice(round, 1), source[0], 1, 1);
            }
        });
        m.finish();
        EXPECT_EQ(m.read(1, dest[1])[0], 1u);
        EXPECT_EQ(m.read(1, dest[1])[1], taken ? 2u : 1u);
    }
}

TEST(steps, one_invalidate_for_the_sources_and_entries_of_many_puts) {
    constexpr word rounds = 4, each = 12;
    for (const bool taken : {true, false}) {
        const unsigned wrong = wrong_seeds([&](unsigned seed) {
            spec s;
            s.steps.invalidate = taken;
            machine m(restless_fabric(seed), s);
            const auto source = m.malloc<word>(32), dest = m.malloc<word>(rounds * each);
            m.start(0, [&](context& c, wave w) -> kernel {
                for (word r = 0; r < rounds; ++r) {
                    co_await w.store(source[0], w.thread_ids(), w.thread_ids() + (1 + 100 * r));
                    for (word i = 0; i < each; ++i)
                        co_await c.put_nbi(dest[0].slice(r * each + i, 1), source[0].slice(i, 1), 1, 1);
                    co_await c.quiet();
                }
            });
            m.finish();
            std::vector<word> expected(rounds * each);
            for (word i = 0; i < expected.size(); ++i) expected[i] = 1 + i % each + 100 * (i / each);
            return m.read(1, dest[1]) != expected;
        });
        EXPECT_EQ(wrong != 0, !taken) << wrong;
    }
}

TEST(steps, wait_for_data_and_entry_before_the_doorbell) {
    for (const bool taken : {true, false}) {
        const unsigned wrong = wrong_seeds([&](unsigned seed) {
            spec s;
            s.steps.wait_for_stores = s.steps.wait_for_invalidate = taken;
            machine m(restless_fabric(seed), s);
            const auto source = m.malloc<word>(64), dest = m.malloc<word>(64);
            m.start(0, [&](context& c, wave w) -> kernel {
                co_await w.store(source[0], w.thread_ids(), w.thread_ids() + 1);
                co_await c.put(dest[0], source[0], 32, 1);
            });
            m.finish();
            std::vector<word> expected(64);
            std::iota(expected.begin(), expected.begin() + 32, 1);
            return m.read(1, dest[1]) != expected;
        });
        EXPECT_EQ(wrong != 0, !taken) << wrong;
    }
}

// Two entries have one line, and a doorbell is for three of them. The invalidate comes too early, and the NIC then
// reads the last entry of the doorbell before with its line.
TEST(steps, wait_for_the_entry_before_the_invalidate) {
    for (const bool taken : {true, false}) {
        const unsigned wrong = wrong_seeds([&](unsigned seed) {
            spec s;
            s.batch = 3;
            s.steps.wait_for_stores = taken;
            auto cluster = restless_fabric(seed);
            cluster.node.gpu.values.l1.line = cluster.node.gpu.values.l2.bank.line = {128};
            machine m(cluster, s);
            const auto dest = m.malloc<word>(64);
            m.start(0, [&](context& c, wave) -> kernel {
                for (word i = 0; i < 32; ++i) co_await c.p(dest[0].slice(i, 1), i + 1, 1);
            });
            m.finish();
            std::vector<word> expected(64);
            std::iota(expected.begin(), expected.begin() + 32, 1);
            return m.read(1, dest[1]) != expected;
        });
        EXPECT_EQ(wrong != 0, !taken) << wrong;
    }
}

// The flush has to wait for what the other PE has put here meanwhile.
TEST(steps, wait_for_the_invalidate_before_the_doorbell) {
    for (const bool taken : {true, false}) {
        const unsigned wrong = wrong_seeds([&](unsigned seed) {
            spec s;
            s.steps.wait_for_invalidate = taken;
            machine m(restless_fabric(seed), s);
            const auto source = m.malloc<word>(8), dest = m.malloc<word>(32), other = m.malloc<word>(256);
            bool ended = false;
            m.start(0, [&](context& c, wave w) -> kernel {
                for (word round = 0; round < 16; ++round) {
                    co_await w.store(source[0], 0, round + 1, mask::thread(0));
                    co_await c.put(dest[0].slice(round, 1), source[0], 1, 1);
                }
                ended = true;
            });
            m.start(1, [&](context& c, wave) -> kernel {
                for (unsigned i = 0; !ended && i < 4000; ++i)
                    co_await c.put_nbi(other[1].slice(i % 8 * 16, 128), other[1], 128, 0);
            });
            m.finish(sim_time::from_us(20'000));
            std::vector<word> expected(32);
            std::iota(expected.begin(), expected.begin() + 16, 1);
            return m.read(1, dest[1]) != expected;
        });
        EXPECT_EQ(wrong != 0, !taken) << wrong;
    }
}

TEST(steps, quiet_before_a_source_is_written_again) {
    for (const bool taken : {true, false}) {
        spec s;
        s.steps.wait_for_completions = taken;
        auto cluster = small_cluster(2);
        cluster.node.nic.processing = sim_time::from_us(5);
        machine m(cluster, s);
        const auto source = m.malloc<word>(4), dest = m.malloc<word>(8);
        m.start(0, [&](context& c, wave w) -> kernel {
            co_await w.store(source[0], 0, word{1}, mask::thread(0));
            co_await c.put_nbi(dest[0], source[0], 1, 1);
            co_await c.quiet();
            co_await w.store(source[0], 0, word{2}, mask::thread(0));
            co_await w.fence();
            co_await w.compute(20'000);
        });
        m.finish();
        EXPECT_EQ(m.read(1, dest[1])[0], taken ? 1u : 2u);
    }
}

TEST(steps, flush_before_what_was_got_is_read) {
    for (const bool taken : {true, false}) {
        const unsigned wrong = wrong_seeds([&](unsigned seed) {
            spec s;
            s.steps.flush_results = taken;
            machine m(restless_combiner(seed), s);
            const auto source = m.malloc<word>(40), dest = m.malloc<word>(40);
            std::vector<word> numbers(40), seen;
            std::iota(numbers.begin(), numbers.end(), 1);
            m.write(1, source[1], numbers);
            m.start(0, [&](context& c, wave w) -> kernel {
                co_await c.get(dest[0], source[0], 40, 1);
                for (std::size_t i = 0; i < 40; ++i) seen.push_back((co_await w.load(dest[0], i, mask::thread(0)))[0]);
            });
            m.finish();
            return seen != numbers;
        });
        EXPECT_EQ(wrong != 0, !taken) << wrong;
    }
}

TEST(steps, all_wavefronts_before_the_first_one_puts_their_data) {
    for (const bool taken : {true, false}) {
        spec s;
        s.steps.join = taken;
        machine m(2, s);
        const auto source = m.malloc<word>(64), dest = m.malloc<word>(64);
        m.start(
            0,
            [&](context& c, wave w) -> kernel {
                co_await w.compute(1 + 5000 * w.wave_in_cta());
                co_await w.store(source[0], w.local_ids(), w.local_ids() + 1);
                co_await c.put(dest[0], source[0], 64, 1);
            },
            1, 64);
        m.finish();
        std::vector<word> expected(64);
        std::iota(expected.begin(), expected.end(), 1);
        EXPECT_EQ(m.read(1, dest[1]) == expected, taken);
    }
}

TEST(steps, a_slot_is_not_used_again_before_its_entry_is_complete) {
    for (const bool taken : {true, false}) {
        const unsigned wrong = wrong_seeds(
            [&](unsigned seed) {
                spec s;
                s.entries = 4;
                s.steps.wait_for_slot = taken;
                machine m(restless_fabric(seed), s);
                const auto dest = m.malloc<word>(32);
                m.start(0, [&](context& c, wave) -> kernel {
                    for (word i = 0; i < 32; ++i) co_await c.p(dest[0].slice(i, 1), i + 1, 1);
                });
                m.finish();
                std::vector<word> expected(32);
                std::iota(expected.begin(), expected.end(), 1);
                return m.read(1, dest[1]) != expected;
            },
            3);
        EXPECT_EQ(wrong != 0, !taken) << wrong;
    }
}

TEST(steps, uncached_source_or_the_end_of_a_kernel) {
    for (const memory_type pages : {memory_type::uncached, memory_type::cached}) {
        spec s;
        s.cached_heap = {8192};
        machine m(2, s);
        const auto source = m.malloc<word>(32, pages), dest = m.malloc<word>(64);
        m.start(0, [&](context& c, wave w) -> kernel {
            co_await w.store(source[0], w.thread_ids(), w.thread_ids() + 1);
            co_await c.put(dest[0], source[0], 32, 1);
        });
        m.finish();
        m.start(0, [&](context& c, wave) -> kernel {  // the kernel's end has written it back
            co_await c.put(dest[0].slice(32, 32), source[0], 32, 1);
        });
        m.finish();
        const auto seen = m.read(1, dest[1]);
        std::vector<word> expected(32);
        EXPECT_EQ(std::vector<word>(seen.begin() + 32, seen.end()), m.read(0, source[0]));
        if (pages == memory_type::uncached) std::iota(expected.begin(), expected.end(), 1);
        EXPECT_EQ(std::vector<word>(seen.begin(), seen.begin() + 32), expected);
    }
}

TEST(steps, uncached_destination) {
    for (const memory_type pages : {memory_type::uncached, memory_type::cached}) {
        spec s;
        s.cached_heap = {8192};
        machine m(2, s);
        const auto source = m.malloc<word>(8), dest = m.malloc<word>(8, pages), flag = m.malloc<word>(1);
        word before = 9, after = 9;
        m.write(0, source[0], {5});
        m.start(0, [&](context& c, wave w) -> kernel {
            co_await w.compute(20'000);
            co_await c.put_nbi(dest[0], source[0], 1, 1);
            co_await c.fence();
            co_await c.p(flag[0], 1, 1);
        });
        m.start(1, [&](context& c, wave w) -> kernel {
            before = (co_await w.load(dest[1], 0, mask::thread(0)))[0];
            co_await c.wait_until(flag[1], cmp::eq, 1);
            after = (co_await w.load(dest[1], 0, mask::thread(0)))[0];
        });
        m.finish();
        EXPECT_EQ(before, 0u);
        EXPECT_EQ(after, pages == memory_type::uncached ? 5u : 0u);
    }
}

}  // namespace
