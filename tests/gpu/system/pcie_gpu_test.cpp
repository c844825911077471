// SPDX-License-Identifier: Apache-2.0
// A whole GPU with a path block beside a scripted NIC: what each of the steps is for (uncached pages, the wait for
// stores, the invalidation, the flush, the end of a kernel), shown by what happens without it.
#include <gmock/gmock.h>

#include <algorithm>

#include "config/config.h"
#include "pcie_gpu_node.h"

using namespace contraflow;
using namespace contraflow::gpu;
using core::sim_time;
using gpu::testing::pcie_gpu_node;
using gpu::testing::requester;
using gpu::testing::small_pcie_gpu;
using memory::memory_type;
using ::testing::HasSubstr;

namespace {

using word = std::uint64_t;

// ---- uncached pages

TEST(uncached_page, a_store_is_in_memory_after_the_fence_and_a_cached_one_only_at_the_end_of_the_kernel) {
    pcie_gpu_node n(small_pcie_gpu());
    const auto cached = n.memory().allocate<word>(64), uncached = n.memory().allocate<word>(64, memory_type::uncached);
    n.start(1, 32, [=](wave w) -> kernel {
        co_await w.store(cached, w.thread_ids(), w.global_ids() + 1);
        co_await w.store(uncached, w.thread_ids(), w.global_ids() + 1);
        co_await w.fence();
        co_await w.compute(20'000);
    });
    n.run_for(sim_time::from_us(15));
    ASSERT_FALSE(n.gpu->host().finished());
    EXPECT_EQ(n.in_memory(cached, 5), 0u);  // the second level has it
    EXPECT_EQ(n.memory().read(cached, 5), 6u);
    EXPECT_EQ(n.in_memory(uncached, 5), 6u);
    EXPECT_EQ(n.dirty_lines(), 2u);  // 256 bytes
    n.finish();
    EXPECT_EQ(n.in_memory(cached, 5), 6u);
    EXPECT_EQ(n.lines_in_second_level(), 0u);
    n.expect_clean();
}

TEST(uncached_page, loads_and_atomic_operations_see_memory_and_leave_no_line_in_a_cache) {
    pcie_gpu_node n(small_pcie_gpu());
    const auto x = n.memory().allocate<word>(64, memory_type::uncached);
    word first = 9, second = 9, old = 9;
    n.start(1, 32, [&, x](wave w) -> kernel {
        first = (co_await w.load(x, 3))[0];
        while ((co_await w.load(x, 3))[0] == 0) {}
        second = (co_await w.load(x, 3))[0];
        old = (co_await w.atomic_add(x, 3, word{1}, mask::thread(0)))[0];
    });
    n.run_for(sim_time::from_us(10));
    EXPECT_EQ(n.lines_in_second_level(), 0u);
    n.memory().write(x, 3, word{7});
    n.finish();
    EXPECT_EQ(first, 0u);
    EXPECT_EQ(second, 7u);
    EXPECT_EQ(old, 7u);
    EXPECT_EQ(n.in_memory(x, 3), 8u);
    n.expect_clean();
}

// The wait is part of the rules: a thread sees its own store, and not before it is acknowledged.
TEST(uncached_page, a_load_waits_for_the_wavefront_s_own_store_to_the_same_bytes_and_for_no_other) {
    pcie_gpu_spec s = small_pcie_gpu();
    s.uncached_store = sim_time::from_us(3);
    pcie_gpu_node n(s);
    const auto x = n.memory().allocate<word>(64, memory_type::uncached);
    sim_time other{}, own{}, atomic{}, same_line{};
    word value = 0;
    n.start(1, 32, [&, x](wave w) -> kernel {
        co_await w.load(x, 0);
        co_await w.store(x, 0, word{5}, mask::thread(0));
        sim_time begun = n.sim.events().now();
        co_await w.load(x, 40);
        other = n.sim.events().now() - begun;
        co_await w.load(x, 1);
        same_line = n.sim.events().now() - begun;
        value = (co_await w.load(x, 0))[0];
        own = n.sim.events().now() - begun;
        co_await w.store(x, 2, word{6}, mask::thread(0));
        begun = n.sim.events().now();
        co_await w.atomic_add(x, 2, word{1}, mask::thread(0));
        atomic = n.sim.events().now() - begun;
        co_await w.fence();
    });
    n.finish();
    EXPECT_EQ(value, 5u);
    EXPECT_LT(other, sim_time::from_us(1));
    EXPECT_LT(same_line, sim_time::from_us(2));
    EXPECT_GT(own, sim_time::from_us(3));
    EXPECT_GT(atomic, sim_time::from_us(3));
    EXPECT_EQ(n.in_memory(x, 2), 7u);
    n.expect_clean();
}

TEST(uncached_page, the_acknowledgement_of_a_store_takes_exactly_the_time_that_is_configured_longer) {
    const auto fence_of = [](sim_time extra, memory_type type) {
        pcie_gpu_spec s = small_pcie_gpu();
        s.uncached_store = extra;
        pcie_gpu_node n(s);
        const auto x = n.memory().allocate<word>(64, type);
        sim_time took{};
        n.start(1, 32, [&, x](wave w) -> kernel {
            const sim_time begun = n.sim.events().now();
            co_await w.store(x, w.thread_ids(), word{1});
            co_await w.fence();
            took = n.sim.events().now() - begun;
        });
        n.finish();
        return took;
    };
    EXPECT_EQ(fence_of(sim_time::from_ns(700), memory_type::uncached),
              fence_of({}, memory_type::uncached) + sim_time::from_ns(700));
    EXPECT_EQ(fence_of(sim_time::from_ns(700), memory_type::cached), fence_of({}, memory_type::cached));
}

TEST(uncached_page, a_wavefront_that_waits_for_its_own_store_does_not_stop_others) {
    pcie_gpu_spec s = small_pcie_gpu();
    s.units = 1;
    s.uncached_store = sim_time::from_us(5);
    pcie_gpu_node n(s);
    const auto x = n.memory().allocate<word>(64, memory_type::uncached);
    sim_time waits{}, goes_on{};
    n.start(1, 64, [&, x](wave w) -> kernel {
        if (w.wave_in_cta() == 0) {
            co_await w.store(x, 0, word{1}, mask::thread(0));
            co_await w.load(x, 0);
            waits = n.sim.events().now();
        } else {
            co_await w.compute(100);
            for (int i = 0; i < 3; ++i) co_await w.load(x, 32);
            goes_on = n.sim.events().now();
        }
    });
    n.finish();
    EXPECT_GT(waits, goes_on + sim_time::from_us(2));
    n.expect_clean();
}

// Two wavefronts on different words, fences and atomic operations, random delays in the fabric: nothing is lost.
TEST(uncached_page, random_traffic_loses_nothing_and_keeps_each_word_s_order) {
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
        pcie_gpu_spec s = small_pcie_gpu();
        s.fabric.reorder = sim_time::from_ns(seed == 1 ? 0 : 600);
        s.fabric.seed = seed;
        s.fabric.queue = seed == 3 ? 1 : 16;
        s.unit.outstanding = seed == 2 ? 2 : 32;
        s.check_protocol = true;
        pcie_gpu_node n(s);
        const auto x = n.memory().allocate<word>(1024, memory_type::uncached);
        const auto sum = n.memory().allocate<word>(4, memory_type::uncached);
        const auto wrong = n.memory().allocate<word>(1);
        n.start(8, 64, [=](wave w) -> kernel {
            core::random_source draw(seed * 1000 + w.cta() * 2 + w.wave_in_cta());
            const word base = (w.cta() * 2 + w.wave_in_cta()) * 64;
            std::array<word, 64> mine{};
            for (unsigned i = 0; i < 60; ++i) {
                const word at = draw.below(64);
                switch (draw.below(4)) {
                case 0:
                case 1:
                    mine[at] = i + 1;
                    co_await w.store(x, base + at, word{i + 1}, mask::thread(at % 32));
                    break;
                case 2: {
                    const word got = (co_await w.load(x, base + at))[0];
                    if (got != mine[at]) co_await w.atomic_add(wrong, 0, word{1}, mask::thread(0));
                    break;
                }
                default: co_await w.atomic_add(sum, at % 4, word{1}, mask::thread(at % 32)); break;
                }
                if (draw.below(10) == 0) co_await w.fence();
            }
            for (word at = 0; at < 64; ++at)
                if ((co_await w.load(x, base + at))[0] != mine[at])
                    co_await w.atomic_add(wrong, 0, word{1}, mask::thread(0));
        });
        n.finish();
        EXPECT_EQ(n.memory().read(wrong, 0), 0u);
        const auto sums = n.memory().read(sum);
        word expected = 0;
        for (unsigned wv = 0; wv < 16; ++wv) {
            core::random_source draw(seed * 1000 + wv);
            for (unsigned i = 0; i < 60; ++i) {
                draw.below(64);
                expected += draw.below(4) == 3;
                draw.below(10);
            }
        }
        EXPECT_EQ(sums[0] + sums[1] + sums[2] + sums[3], expected);
        n.expect_clean();
    }
}

TEST(uncached_page, stores_to_different_lines_may_take_effect_in_any_order_if_the_fabric_reorders) {
    unsigned first = 0, second = 0;
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        pcie_gpu_spec s = small_pcie_gpu();
        s.fabric.reorder = sim_time::from_ns(800);
        s.fabric.seed = seed * 7;
        pcie_gpu_node n(s);
        const auto x = n.memory().allocate<word>(64, memory_type::uncached);
        n.start(1, 32, [=](wave w) -> kernel {
            co_await w.store(x, 0, word{1}, mask::thread(0));
            co_await w.store(x, 48, word{1}, mask::thread(0));
        });
        for (unsigned i = 0; i < 2000 && n.in_memory(x, 0) == n.in_memory(x, 48); ++i) n.run_for(sim_time::from_ns(5));
        ++(n.in_memory(x, 0) != 0 ? first : second);
        n.finish();
    }
    EXPECT_GT(first, 1u);
    EXPECT_GT(second, 1u);
}

TEST(uncached_page, one_request_in_so_many_waits_in_the_fabric) {
    for (const auto [one_in, least, most] : {std::array{1u, 140u, 180u}, std::array{4u, 20u, 65u}}) {
        pcie_gpu_spec s = small_pcie_gpu();
        s.fabric.reorder = sim_time::from_us(5);
        s.fabric.one_in = one_in;
        pcie_gpu_node n(s);
        const auto x = n.memory().allocate<word>(64, memory_type::uncached);
        unsigned waited = 0;
        n.start(1, 32, [&, x](wave w) -> kernel {
            for (unsigned i = 0; i < 200; ++i) {
                const sim_time begun = n.sim.events().now();
                co_await w.store(x, 0, word{i}, mask::thread(0));
                co_await w.fence();
                waited += n.sim.events().now() - begun > sim_time::from_us(1);
            }
        });
        n.finish();
        EXPECT_GE(waited, least) << one_in;
        EXPECT_LE(waited, most) << one_in;
        n.expect_clean();
    }
}

// ---- with a NIC

// The NIC reads x, the GPU changes it, the NIC reads it again.
TEST(single_node, a_nic_reads_a_stale_line_unless_the_thread_invalidates_the_path_block) {
    for (const bool invalidates : {false, true}) {
        pcie_gpu_node n(small_pcie_gpu());
        const auto x = n.memory().allocate<word>(8, memory_type::uncached);
        const auto phase = n.memory().allocate<word>(8, memory_type::uncached);
        const auto control = n.gpu->control_page();
        n.start(1, 32, [=](wave w) -> kernel {
            co_await w.store(x, 0, word{1}, mask::thread(0));
            co_await w.fence();
            co_await w.store(phase, 0, word{1}, mask::thread(0));
            while ((co_await w.load(phase, 1))[0] == 0) {}
            co_await w.store(x, 0, word{2}, mask::thread(0));
            co_await w.fence();
            if (invalidates) {
                co_await w.store(control, 0, ppb_invalidate_and_flush, mask::thread(0));
                co_await w.fence();
            }
            co_await w.store(phase, 0, word{2}, mask::thread(0));
            while ((co_await w.load(phase, 1))[0] == 1) {}
        });
        n.until([&] { return n.in_memory(phase, 0) == 1; });
        EXPECT_EQ(n.nic_reads(x, 0), 1u);
        n.memory().write(phase, 1, word{1});
        n.until([&] { return n.in_memory(phase, 0) == 2; });
        EXPECT_EQ(n.in_memory(x, 0), 2u);
        EXPECT_EQ(n.nic_reads(x, 0), invalidates ? 2u : 1u);
        n.memory().write(phase, 1, word{2});
        n.finish();
        EXPECT_EQ(n.nic_reads(x, 0), 2u);  // the end of the kernel invalidates
        EXPECT_EQ(n.gpu->io().statistics().controls.value(), invalidates ? 1u : 0u);
        n.expect_clean();
    }
}

TEST(single_node, a_nic_reads_old_bytes_of_a_cached_source_until_the_kernel_ends) {
    pcie_gpu_node n(small_pcie_gpu());
    const auto x = n.memory().allocate<word>(8);
    const auto phase = n.memory().allocate<word>(8, memory_type::uncached);
    const auto control = n.gpu->control_page();
    n.start(1, 32, [=](wave w) -> kernel {
        co_await w.store(x, 0, word{1}, mask::thread(0));
        co_await w.fence();
        co_await w.store(control, 0, ppb_invalidate_and_flush, mask::thread(0));
        co_await w.fence();
        co_await w.store(phase, 0, word{1}, mask::thread(0));
        while ((co_await w.load(phase, 1))[0] == 0) {}
    });
    n.until([&] { return n.in_memory(phase, 0) == 1; });
    EXPECT_EQ(n.nic_reads(x, 0), 0u);
    n.memory().write(phase, 1, word{1});
    n.finish();
    EXPECT_EQ(n.nic_reads(x, 0), 1u);
    n.expect_clean();
}

TEST(single_node, a_receiver_keeps_its_own_stale_line_of_a_cached_variable_until_the_next_kernel) {
    pcie_gpu_node n(small_pcie_gpu());
    const auto y = n.memory().allocate<word>(8);
    const auto flag = n.memory().allocate<word>(8, memory_type::uncached);
    word before = 9, after = 9, next = 9;
    n.start(1, 32, [&, y, flag](wave w) -> kernel {
        before = (co_await w.load(y, 0))[0];
        while ((co_await w.load(flag, 0))[0] == 0) {}
        after = (co_await w.load(y, 0))[0];
    });
    n.until([&] { return n.lines_in_second_level() != 0; });
    n.nic_writes(y, 0, 1);
    n.nic_flushes();
    n.nic_writes(flag, 0, 1);
    n.finish();
    EXPECT_EQ(before, 0u);
    EXPECT_EQ(after, 0u);
    n.start(1, 32, [&, y](wave w) -> kernel { next = (co_await w.load(y, 0))[0]; });
    n.finish();
    EXPECT_EQ(next, 1u);
    n.expect_clean();
}

// The NIC writes data and a flag. Without a write to the control register between them, the flag may come first.
TEST(single_node, a_flag_may_pass_the_data_unless_the_nic_flushes_between_them) {
    for (const bool flushes : {false, true}) {
        unsigned old = 0;
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            pcie_gpu_spec s = small_pcie_gpu();
            s.ppb.order = drain_order::random;
            s.ppb.drain_after = sim_time::from_us(4);
            s.ppb.seed = seed;
            pcie_gpu_node n(s);
            const auto y = n.memory().allocate<word>(64, memory_type::uncached);
            word seen = 9;
            n.start(1, 32, [&, y](wave w) -> kernel {
                while ((co_await w.load(y, 32))[0] == 0) {}
                seen = (co_await w.load(y, 0))[0];
            });
            n.run_for(sim_time::from_us(8));
            n.nic_writes(y, 0, 1);
            if (flushes) n.nic_flushes();
            n.nic_writes(y, 32, 1);
            n.finish();
            old += seen == 0;
            n.expect_clean();
        }
        if (flushes)
            EXPECT_EQ(old, 0u);
        else
            EXPECT_GT(old, 3u);
    }
}

// The NIC reads an entry when its doorbell rings, as a NIC with queues in GPU memory does.
TEST(single_node, a_doorbell_may_pass_the_entry_unless_the_thread_waits_for_its_stores) {
    for (const bool waits : {false, true}) {
        unsigned not_there = 0;
        for (std::uint64_t seed = 1; seed <= 8; ++seed) {
            pcie_gpu_spec s = small_pcie_gpu();
            s.fabric.reorder = sim_time::from_us(4);
            s.fabric.seed = seed;
            pcie_gpu_node n(s);
            const auto slot = n.memory().allocate<word>(8, memory_type::uncached);
            const auto doorbell = n.gpu->map_io<word>(n.nic().function->place().bars[0].base + 128, 8);
            word entry = 9;
            n.nic().may_take = [&](std::uint64_t offset, const pcie::tlp&) {
                EXPECT_EQ(offset, 128u);
                n.rung = true;
                return true;
            };
            n.start(1, 32, [=](wave w) -> kernel {
                co_await w.store(slot, 0, word{1}, mask::thread(0));
                if (waits) co_await w.fence();
                co_await w.store(doorbell, 0, word{1}, mask::thread(0));
                co_await w.fence();
                co_await w.compute(20'000);
            });
            n.until([&] { return n.rung; });
            entry = n.nic_reads(slot, 0);
            not_there += entry == 0;
            n.finish();
            EXPECT_EQ(core::load_le<word>(n.nic().memory.data() + 128), 1u);
            n.expect_clean();
        }
        if (waits)
            EXPECT_EQ(not_there, 0u);
        else
            EXPECT_GT(not_there, 1u);
    }
}

TEST(single_node, doorbells_arrive_in_order_whole_and_once) {
    for (const unsigned queue : {1u, 64u}) {
        pcie_gpu_spec s = small_pcie_gpu();
        s.io.queue = queue;
        pcie_gpu_node n(s);
        const auto doorbell = n.gpu->map_io<word>(n.nic().function->place().bars[0].base, 512);
        std::vector<word> rung;
        std::ranges::fill(n.nic().memory, std::uint8_t{0x11});
        n.nic().may_take = [&](std::uint64_t offset, const pcie::tlp& packet) {
            if (offset == 0) rung.push_back(core::load_le<word>(packet.data));
            return true;
        };
        const sim_time begin = n.sim.events().now();
        n.start(1, 32, [=](wave w) -> kernel {
            for (word i = 1; i <= 100; ++i) {
                co_await w.store(doorbell, 0, i, mask::thread(0));
                co_await w.store(doorbell, 16 + i, i, mask::thread(0));
            }
            // Some threads of a wavefront at once, with gaps.
            co_await w.store(doorbell, w.thread_ids() + 256, w.global_ids() + 1, mask(0x5555ff0fu));
        });
        n.finish();
        ASSERT_EQ(rung.size(), 100u);
        for (word i = 0; i < 100; ++i) EXPECT_EQ(rung[i], i + 1);
        // A store a line of 128 bytes, from its first enabled byte to its last: words 0 to 15, and 16 to 30.
        EXPECT_EQ(n.gpu->io().statistics().stores.value(), 200u + 2);
        EXPECT_EQ(n.gpu->io().statistics().stored_bytes.value(), 8 * (200u + 16 + 15));
        // In ns: with one place in the queue, one is on its way after the other, and none takes longer than all.
        const auto& latency = n.gpu->io().statistics().store_latency;
        EXPECT_EQ(latency.count(), 200u + 2);
        EXPECT_GT(latency.mean(), 1);
        EXPECT_LE(latency.max() * 1000, (n.sim.events().now() - begin).ps);
        if (queue == 1) EXPECT_LE(latency.mean() * 202 * 1000, static_cast<double>((n.sim.events().now() - begin).ps));
        for (unsigned t = 0; t < 32; ++t)
            EXPECT_EQ(core::load_le<word>(n.nic().memory.data() + 8 * (256 + t)),
                      mask(0x5555ff0fu)[t] ? t + 1 : 0x1111'1111'1111'1111u);
        n.expect_clean();
    }
}

TEST(single_node, a_thread_reads_a_device_and_what_is_not_there_is_an_error_of_the_kernel) {
    pcie_gpu_node n(small_pcie_gpu());
    const std::uint64_t bus = n.nic().function->place().bars[0].base;
    const auto flag = n.gpu->map_io<word>(bus + 64, 1), nothing = n.gpu->map_io<word>(0x10, 1);
    const auto control = n.gpu->control_page();
    core::store_le<word>(n.nic().memory.data() + 64, 77);
    word got = 0;
    std::uint64_t loads = 0;
    const sim_time begin = n.sim.events().now();
    n.start(1, 32, [&, flag](wave w) -> kernel {
        do {
            ++loads;
            got = (co_await w.load(flag, 0))[0];
        } while (got == 77);
    });
    n.run_for(sim_time::from_us(12));
    core::store_le<word>(n.nic().memory.data() + 64, 78);
    n.finish();
    EXPECT_EQ(got, 78u);
    EXPECT_GT(loads, 3u);
    EXPECT_EQ(n.gpu->io().statistics().loads.value(), loads);
    EXPECT_EQ(n.gpu->io().statistics().loaded_bytes.value(), 8 * loads);
    // In ns: one load waits for the one before, so that together they take the most of the kernel's time.
    const auto& latency = n.gpu->io().statistics().load_latency;
    EXPECT_EQ(latency.count(), loads);
    const double all_ps = latency.mean() * 1000 * static_cast<double>(loads);
    const auto took_ps = static_cast<double>((n.sim.events().now() - begin).ps);
    EXPECT_LT(all_ps, took_ps);
    EXPECT_GT(all_ps, took_ps / 2);
    const auto fails = [&](auto body) {
        n.start(1, 32, body);
        EXPECT_THROW(n.finish(), access_fault);
    };
    fails([=](wave w) -> kernel { co_await w.load(nothing, 0); });
    fails([=](wave w) -> kernel { co_await w.atomic_add(flag, 0, word{1}, mask::thread(0)); });
    fails([=](wave w) -> kernel {
        co_await w.store(control, 0, word{1}, mask::thread(0));
        co_await w.fence();
    });
    fails([=](wave w) -> kernel { co_await w.load(control, 0); });
    EXPECT_EQ(n.gpu->io().statistics().refused.value(), 4u);
    n.expect_clean();
}

// ---- the boundary of kernels

TEST(pcie_gpu, launch_and_teardown_take_their_times_and_the_write_back_its_own) {
    const auto times = [](sim_time launch, sim_time teardown, unsigned stride) {
        pcie_gpu_spec s = small_pcie_gpu();
        s.l2.bank.size = {64u << 10};  // all lines are there until the kernel's end
        s.launch = launch;
        s.teardown = teardown;
        pcie_gpu_node n(s);
        const auto x = n.memory().allocate<word>(16 * 1024);
        const sim_time begun = n.sim.events().now();
        n.start(1, 32, [=](wave w) -> kernel {
            for (unsigned i = 0; i < 480; ++i) co_await w.store(x, i * stride, word{1}, mask::thread(0));
            co_await w.compute(20'000);
        });
        n.finish();
        const auto& l = n.gpu->host().launches().back();
        return std::pair(l.begun - begun, l.ended_at - l.begun);
    };
    const auto none = times({}, {}, 0);
    EXPECT_EQ(none.first, sim_time{});
    const auto both = times(sim_time::from_us(3), sim_time::from_us(5), 0);
    EXPECT_EQ(both.first, sim_time::from_us(3));
    EXPECT_EQ(both.second, none.second + sim_time::from_us(5));
    // 480 lines of 128 bytes instead of 1: queues hold 128 of them, and two channels of 48 GB/s take 469 ns for the
    // rest.
    EXPECT_GT(times({}, {}, 32).second, none.second + sim_time::from_ns(460));
}

TEST(pcie_gpu, a_reset_leaves_nothing_and_a_gpu_that_works) {
    for (const unsigned ns : {500u, 1500u, 2500u, 3100u, 4700u}) {
        pcie_gpu_spec s = small_pcie_gpu();
        s.launch = s.teardown = {};
        pcie_gpu_node n(s);
        const auto x = n.memory().allocate<word>(4096, memory_type::uncached);
        const auto y = n.memory().allocate<word>(4096);
        const auto doorbell = n.gpu->map_io<word>(n.nic().function->place().bars[0].base, 512);
        const auto control = n.gpu->control_page();
        const auto body = [=](wave w) -> kernel {
            for (unsigned i = 0; i < 20; ++i) {
                co_await w.store(x, w.global_ids(), w.global_ids() + i);
                co_await w.store(y, w.global_ids(), w.global_ids());
                co_await w.store(doorbell, w.cta(), w.cta(), mask::thread(0));
                co_await w.store(control, 0, ppb_invalidate_and_flush, mask::thread(0));
                co_await w.load(x, w.global_ids());
            }
        };
        n.start(8, 64, body);
        for (unsigned i = 0; i < 100; ++i) n.nic_writes(x, 1024 + 8 * i, i);
        n.run_for(sim_time::from_ns(ns));
        n.tree->control(core::control_verb::reset);
        EXPECT_EQ(n.gpu->system().payloads_in_flight(), 0u);
        EXPECT_EQ(n.pool.in_flight(), 0u);
        EXPECT_TRUE(n.gpu->idle());
        EXPECT_THROW(n.finish(), std::runtime_error);
        n.start(8, 64, body);
        n.finish();
        EXPECT_EQ(n.memory().read(x, 100), 119u);
        EXPECT_EQ(n.in_memory(y, 100), 100u);
        n.expect_clean();
    }
}

TEST(pcie_gpu, a_doorbell_that_cannot_leave_is_named) {
    pcie_gpu_node n(small_pcie_gpu());
    const auto doorbell = n.gpu->map_io<word>(n.nic().function->place().bars[0].base, 512);
    bool taking = false;
    n.nic().may_take = [&](std::uint64_t, const pcie::tlp&) { return taking; };
    n.start(1, 32, [=](wave w) -> kernel {
        for (word i = 0; i < 400; ++i) co_await w.store(doorbell, i, i, mask::thread(0));
    });
    n.run_for(sim_time::from_us(200));  // more than the headers of both ports on the way
    EXPECT_FALSE(n.gpu->host().finished());
    EXPECT_THAT(n.waits(), HasSubstr("gpu.io waits for a posted write to leave of gpu.pcie.link"));
    EXPECT_THAT(n.waits(), HasSubstr("gpu.pcie.link waits for posted header credit"));
    taking = true;
    n.nic().function->resume(pcie::credit_class::posted);
    n.finish();
    n.expect_clean();
}

TEST(pcie_gpu, the_same_run_gives_the_same_statistics) {
    const auto run = [] {
        pcie_gpu_spec s = small_pcie_gpu();
        s.fabric.reorder = sim_time::from_ns(300);
        pcie_gpu_node n(s);
        const auto x = n.memory().allocate<word>(4096, memory_type::uncached);
        n.start(8, 64, [=](wave w) -> kernel {
            for (unsigned i = 0; i < 10; ++i) co_await w.store(x, w.global_ids(), w.global_ids() + i);
        });
        for (unsigned i = 0; i < 50; ++i) n.nic_writes(x, 1024 + 8 * i, i);
        n.finish();
        std::string all;
        for (const auto& r : n.statistics.rows(n.sim.events().now()))
            all += fmt::format("{},{},{}\n", r.path, r.metric, r.value);
        return all;
    };
    EXPECT_EQ(run(), run());
}

// ---- presets

struct machine {
    pcie_gpu_choice gpu;
    static void describe(config::fields<machine>& f) { f("gpu", &machine::gpu).text("the GPU"); }
};

TEST(pcie_gpu, a_preset_gives_the_values_that_are_not_given) {
    const auto load = [](const std::vector<std::string>& sets, bool good) {
        config::diagnostics diag;
        auto got = config::load<machine>(std::nullopt, sets, diag);
        EXPECT_EQ(diag.failed(), !good);
        return got.value.gpu.values;
    };
    EXPECT_EQ(load({}, true).units, 64u);
    EXPECT_EQ(load({"gpu.preset=volta"}, true).units, 16u);
    const pcie_gpu_spec s = load({"gpu.units=8", "gpu.preset=mi25", "gpu.uncached_store=1us", "gpu.ppb.combiner=3",
                                  "gpu.ppb.order=arrival", "gpu.fabric.reorder=20ns", "gpu.io.queue=2"},
                                 true);
    EXPECT_EQ(s.units, 8u);
    EXPECT_EQ(s.l1.line.count, 64u);
    EXPECT_EQ(s.machine().unit.uncached_store, sim_time::from_us(1));
    EXPECT_EQ(s.machine().fabric.reorder, sim_time::from_ns(20));
    EXPECT_EQ(s.path_block().combiner, 3u);
    EXPECT_EQ(s.path_block().line.count, 64u);
    EXPECT_EQ(s.io.queue, 2u);
    for (const char* wrong : {"gpu.preset=mi50", "gpu.ppb.combiner=0", "gpu.ppb.order=none", "gpu.launch=-1us",
                              "gpu.io.queue=0", "gpu.ppb.replacement=best"})
        load({wrong}, false);
}

TEST(pcie_gpu, the_mi25_is_what_its_vendor_says) {
    const pcie_gpu_spec s = pcie_gpu_spec::of(gpu_model::mi25);
    EXPECT_TRUE(problems_of(s).empty());
    EXPECT_EQ(s.units, 64u);
    EXPECT_EQ(s.l2.bank.size.count * s.l2.banks, 4u << 20);
    EXPECT_EQ(s.dram.size.count, std::uint64_t{16} << 30);
    EXPECT_NEAR(s.dram.channel_bandwidth.bytes_per_s * s.dram.channels, 484e9, 1e6);
    EXPECT_EQ(s.dram.preset, memory::dram_kind::hbm2);
    EXPECT_EQ(s.dram.channels, 32u);
    EXPECT_EQ(s.dram.row.count, 1024u) << "of a pseudo channel";
    EXPECT_EQ(s.launch + s.teardown, sim_time::from_ns(12'650));
    const gpu_spec g = s.machine();
    const double us = (g.cycle() * (g.dispatcher.launch_cost + g.dispatcher.teardown).count).seconds() * 1e6;
    EXPECT_NEAR(us, 12.65, 0.001);
    pcie_gpu_spec wrong = s;
    wrong.ppb.ways = 3;
    EXPECT_THAT(config::first_text(problems_of(wrong)), HasSubstr("no whole number of sets"));
}

}  // namespace
