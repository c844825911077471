// SPDX-License-Identifier: Apache-2.0
// The language of kernels, run on the ideal machine in both orders, on compute units and
// on whole GPUs. The forms that compilers have
// got wrong (awaits inside conditions, conditional expressions, braces, bindings) are here because kernels use them.
#include <algorithm>
#include <memory>
#include <numeric>
#include <string>

#include <gtest/gtest.h>

#include "gpu/any_machine.h"

namespace {

using namespace contraflow;
using namespace contraflow::gpu;
using gpu::testing::any_machine;
using gpu::testing::kind;

class on_any_machine : public ::testing::TestWithParam<kind> {
protected:
    any_machine machine_{GetParam()};
    device_memory& memory_ = machine_.system().memory();

    void run(dim3 grid, dim3 block, kernel_launch::entry body, core::bytes shared = {}) {
        auto program = [&](gpu_system_if& gpu) -> host_task {
            co_await gpu.launch({"kernel", grid, block, body, shared});
        };
        machine_.run(program(machine_.system()));
    }
    array<std::uint32_t> counted(std::size_t n) {
        std::vector<std::uint32_t> v(n);
        std::iota(v.begin(), v.end(), 0u);
        return memory_.upload(v);
    }
};
std::string name_of(const ::testing::TestParamInfo<kind>& p) {
    switch (p.param) {
    case kind::ideal: return "ideal";
    case kind::ideal_backwards: return "ideal_backwards";
    case kind::timed: return "timed";
    case kind::timed_and_tiny: return "timed_and_tiny";
    case kind::whole: return "whole";
    default: return "whole_caching_remote";
    }
}
INSTANTIATE_TEST_SUITE_P(wave, on_any_machine,
                         ::testing::Values(kind::ideal, kind::ideal_backwards, kind::timed, kind::timed_and_tiny,
                                           kind::whole, kind::whole_caching_remote),
                         name_of);

TEST_P(on_any_machine, shares_cover_each_index_once) {
    for (const std::size_t n : {1u, 31u, 32u, 100u, 1000u}) {
        auto seen = memory_.allocate<std::uint32_t>(n), owned = memory_.allocate<std::uint32_t>(n);
        run(3, 80, [=](wave w) -> kernel {
            for (auto i : w.share(n)) co_await w.atomic_add(seen, i, 1);
            for (auto i : w.own(n)) co_await w.atomic_add(owned, i, 1);
            if (w.active() != mask::first(w.wave_in_cta() == 2 ? 16 : 32))
                throw std::logic_error("threads not restored");
        });
        EXPECT_EQ(memory_.read(seen), std::vector<std::uint32_t>(n, 1));
        EXPECT_EQ(memory_.read(owned), std::vector<std::uint32_t>(n, 1));
    }
}

TEST_P(on_any_machine, leaving_a_loop_early_restores_the_threads) {
    auto out = memory_.allocate<std::uint32_t>(1);
    run(1, 32, [=](wave w) -> kernel {
        for (auto i : w.share(20)) {
            co_await w.store(out, 0, per_thread<std::uint32_t>(i), mask::thread(0));
            break;
        }
        co_await w.store(out, 0, w.active().count());
    });
    EXPECT_EQ(memory_.read(out, 0), 32u);
}

TEST_P(on_any_machine, threads_know_their_places_in_three_dimensions) {
    const dim3 grid{3, 2, 2}, block{5, 3, 4};
    auto out = memory_.allocate<std::uint32_t>(grid.count() * block.count());
    run(grid, block, [=](wave w) -> kernel {
        const auto place = (w.global_z() * 6 + w.global_y()) * 15 + w.global_x();
        co_await w.store(out, w.global_ids(), place);
    });
    auto places = memory_.read(out);
    EXPECT_EQ(places[0], 0u);
    EXPECT_EQ(places[1], 1u);
    EXPECT_EQ(places[5], 15u);        // y of the first CTA
    EXPECT_EQ(places[60], 5u);        // the second CTA is next to it in x
    EXPECT_EQ(places[15], 6u * 15u);  // z
    std::sort(places.begin(), places.end());
    for (std::uint32_t i = 0; i < places.size(); ++i) ASSERT_EQ(places[i], i);
}

TEST_P(on_any_machine, masks_of_branches_nest) {
    auto x = counted(64);
    run(1, 64, [=](wave w) -> kernel {
        const auto i = w.global_ids();
        const auto v = co_await w.load(x, i);
        if (auto even = w.only(v % 2 == 0)) {
            co_await w.store(x, i, v + 100);
            if (auto small = w.only(v < 10)) co_await w.store(x, i, v + 1000);
        }
        if (auto odd = w.only(v % 2 == 1)) co_await w.store(x, i, 7);
    });
    for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(memory_.read(x, i), i % 2 ? 7 : i < 10 ? i + 1000 : i + 100);
}

TEST_P(on_any_machine, loops_may_run_while_any_thread_goes_on) {
    auto x = counted(32);  // steps to take
    auto out = memory_.allocate<std::uint32_t>(32);
    run(1, 32, [=](wave w) -> kernel {
        auto left = co_await w.load(x, w.thread_ids());
        per_thread<std::uint32_t> steps;
        while (auto on = w.only(left > 0)) {
            left.assign(w.active(), left - 1);
            steps.assign(w.active(), steps + 1);
        }
        co_await w.store(out, w.thread_ids(), steps);
    });
    EXPECT_EQ(memory_.read(out), memory_.read(x));
}

TEST_P(on_any_machine, awaits_inside_conditions_and_conditional_expressions) {
    auto x = counted(32);
    auto out = memory_.allocate<std::uint32_t>(96);
    run(1, 32, [=](wave w) -> kernel {
        const auto i = w.thread_ids();
        if ((co_await w.load(x, i) < 5).any() && (co_await w.load(x, i + 0u) < 3).count() == 3)
            co_await w.store(out, i, w.wave_in_cta() == 0 ? co_await w.load(x, 31 - i) : co_await w.load(x, i));
        const auto y = w.wave_in_cta() == 1 ? co_await w.load(x, i) : co_await w.load(x, 31 - i) * 2;
        co_await w.store(out, i + 32, y);
        std::uint32_t rounds = 0;
        while (w.max(co_await w.load(x, per_thread<std::uint32_t>(rounds))) < 9) ++rounds;
        co_await w.store(out, i + 64, select(i < 16, co_await w.load(x, i), rounds));
    });
    for (std::uint32_t i = 0; i < 32; ++i) {
        EXPECT_EQ(memory_.read(out, i), 31 - i);
        EXPECT_EQ(memory_.read(out, i + 32), 2 * (31 - i));
        EXPECT_EQ(memory_.read(out, i + 64), i < 16 ? i : 9);
    }
}

// The two compilers must issue the accesses of an expression in the same order, or simulated times would differ.
TEST_P(on_any_machine, awaits_of_an_expression_are_carried_out_from_left_to_right) {
    auto x = memory_.allocate<std::uint32_t>(2);
    auto out = memory_.allocate<std::uint32_t>(2);
    run(1, 1, [=](wave w) -> kernel {
        co_await w.store(out, 0,
                         co_await w.atomic_add(x, 0, 1) + 10 * co_await w.atomic_add(x, 0, 1) +
                             100 * (co_await w.atomic_add(x, 0, 1) + 2 * co_await w.atomic_add(x, 0, 1)));
        co_await w.store(out, co_await w.atomic_add(x, 1, 1) + 1, co_await w.atomic_add(x, 1, 1));
    });
    EXPECT_EQ(memory_.read(out, 0), 0u + 10 * 1 + 100 * (2 + 2 * 3));
    EXPECT_EQ(memory_.read(out, 1), 1u);
}

TEST_P(on_any_machine, several_accesses_together) {
    auto x = counted(64);
    auto y = memory_.allocate<double>(64);
    run(2, 32, [=](wave w) -> kernel {
        const auto i = w.global_ids();
        co_await w.all(w.store(y, i, 0.5), w.store(y, i ^ 1, 1.5, mask(0x55555555)));
        auto [a, b, c] = co_await w.all(w.load(x, i), w.load(y, i + 0), w.load(x, 63 - i));
        co_await w.store(y, i, per_thread<double>(a) + b * 1000 + per_thread<double>(c) * 1e6);
    });
    for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(memory_.read(y, i), i + (i % 2 ? 1500 : 500) + (63 - i) * 1e6);
}

TEST_P(on_any_machine, threads_without_a_part_get_zero_and_change_nothing) {
    auto x = memory_.upload(std::vector<std::uint32_t>(32, 9));
    auto out = memory_.allocate<std::uint32_t>(32);
    run(1, 32, [=](wave w) -> kernel {
        const auto i = w.thread_ids();
        const auto v = co_await w.load(x, i + 30, i < 2);  // beyond the array in inactive threads
        co_await w.store(out, i, v);
        co_await w.store(out, i + 1'000'000, v, mask{});
        EXPECT_TRUE(((co_await w.load(x, i, mask{})) == 0).all());
    });
    EXPECT_EQ(memory_.read(out, 1), 9u);
    EXPECT_EQ(memory_.read(out, 2), 0u);
}

TEST_P(on_any_machine, bits_by_atomics) {
    auto x = memory_.upload<std::uint32_t>({0u, ~0u});
    run(1, 32, [=](wave w) -> kernel {
        co_await w.atomic_or(x, 0, 1u << w.thread_ids(), mask(0xF0));
        co_await w.atomic_and(x, 1, ~(1u << w.thread_ids()), mask(0xF0));
    });
    EXPECT_EQ(memory_.read(x), (std::vector<std::uint32_t>{0xF0, ~0xF0u}));
}

TEST_P(on_any_machine, barriers_part_the_phases_of_a_cta) {
    auto out = memory_.allocate<std::uint32_t>(4 * 128);
    run(
        4, 128,
        [=](wave w) -> kernel {
            auto mine = w.shared<std::uint32_t>(128);
            auto odd = w.shared<std::uint8_t>(3);
            odd[0] = 1;
            const auto i = w.local_ids();
            for (std::uint32_t round = 0; round < 3; ++round) {
                w.write(mine, i, i * 10 + round);
                co_await w.barrier();
                const auto v = w.read(mine, 127 - i);
                co_await w.barrier();
                co_await w.store(out, w.global_ids(), per_thread<std::uint32_t>(v));
            }
        },
        core::bytes{128 * 4 + 3});
    for (std::uint32_t i = 0; i < 512; ++i) ASSERT_EQ(memory_.read(out, i), (127 - i % 128) * 10 + 2);
}

TEST_P(on_any_machine, a_barrier_does_not_wait_for_wavefronts_that_have_ended) {
    auto out = memory_.allocate<std::uint32_t>(1);
    run(2, 96, [=](wave w) -> kernel {
        if (w.wave_in_cta() == 1) co_return;
        co_await w.barrier();
        co_await w.atomic_add(out, 0, 1, mask::thread(0));
    });
    EXPECT_EQ(memory_.read(out, 0), 4u);
}

TEST_P(on_any_machine, a_wavefront_may_wait_for_anothers_word) {
    auto flag = memory_.allocate<std::uint32_t>(1);
    run(1, 64, [=](wave w) -> kernel {
        if (w.wave_in_cta() == 1) {
            co_await w.compute(100);
            co_await w.fence();
            co_await w.atomic_exchange(flag, 0, 1, mask::thread(0));
        } else {
            while ((co_await w.load_uncached(flag, 0))[0] == 0) w.work(1);
        }
    });
    EXPECT_EQ(memory_.read(flag, 0), 1u);
}

task<per_thread<std::uint32_t>> doubled(wave w, array<std::uint32_t> x, const per_thread<std::uint64_t>& i) {
    co_return co_await w.load(x, i) * 2;
}

TEST_P(on_any_machine, kernels_are_made_of_parts) {
    auto x = counted(64);
    run(1, 64, [=](wave w) -> kernel {
        const auto i = w.global_ids();
        co_await w.store(x, i, co_await doubled(w, x, i + 0) + co_await doubled(w, x, i * 1));
    });
    EXPECT_EQ(memory_.read(x, 33), 4 * 33u);
}

TEST_P(on_any_machine, a_host_program_decides_by_results_and_is_made_of_parts) {
    auto left = memory_.upload<std::uint32_t>({5u});
    int launches = 0;
    auto step = [&](gpu_system_if& gpu) -> host_task {
        co_await gpu.launch({"step", 1, 1, [=](wave w) -> kernel { co_await w.atomic_add(left, 0, ~0u); }});
        ++launches;
    };
    auto program = [&](gpu_system_if& gpu) -> host_task {
        while (gpu.memory().read(left, 0) > 0) co_await step(gpu);
        auto first = gpu.launch({"a", 1, 1, [=](wave w) -> kernel { co_await w.store(left, 0, 1); }});
        auto second = gpu.launch({"b", 1, 1, [=](wave w) -> kernel { co_await w.atomic_add(left, 0, 1); }});
        co_await second;
        co_await first;
    };
    machine_.run(program(machine_.system()));
    EXPECT_EQ(launches, 5);
    EXPECT_EQ(memory_.read(left, 0), 2u);
}

TEST_P(on_any_machine, captures_of_a_kernel_live_as_long_as_it_and_no_longer) {
    auto held = std::make_shared<std::uint32_t>(11);
    auto out = memory_.allocate<std::uint32_t>(1);
    auto program = [&](gpu_system_if& gpu) -> host_task {
        const kernel_launch::entry body = [held, out](wave w) -> kernel {
            co_await w.barrier();
            co_await w.store(out, 0, *held);
        };
        const auto before = held.use_count();
        co_await gpu.launch({"a kernel whose lambda captures something", 2, 64, body});
        EXPECT_EQ(held.use_count(), before);
    };
    machine_.run(program(machine_.system()));
    EXPECT_EQ(memory_.read(out, 0), 11u);
    EXPECT_EQ(held.use_count(), 1);
}

TEST_P(on_any_machine, an_access_beyond_an_array_is_named) {
    auto x = counted(40);
    try {
        run(2, 32, [=](wave w) -> kernel { co_await w.load(x, w.global_ids()); });
        FAIL() << "nothing was thrown";
    } catch (const std::out_of_range& e) {
        EXPECT_STREQ(e.what(), "kernel kernel, CTA 1, wavefront 0, thread 8: load of element 40 of 40");
    }
}

TEST_P(on_any_machine, what_a_kernel_throws_reaches_the_host_program) {
    bool caught = false;
    auto program = [&](gpu_system_if& gpu) -> host_task {
        try {
            co_await gpu.launch({"throws", 4, 64, [](wave w) -> kernel {
                                     co_await w.compute(3);
                                     if (w.cta() == 2) throw std::runtime_error("no");
                                     co_await w.barrier();
                                 }});
        } catch (const std::runtime_error&) { caught = true; }
        co_await gpu.launch({"goes on", 1, 32, [](wave w) -> kernel { co_await w.barrier(); }});
    };
    machine_.run(program(machine_.system()));
    EXPECT_TRUE(caught);
}

TEST_P(on_any_machine, bad_launches_are_refused) {
    EXPECT_THROW(run(0, 32, [](wave) -> kernel { co_return; }), std::invalid_argument);
    EXPECT_THROW(run(1, {4, 0}, [](wave) -> kernel { co_return; }), std::invalid_argument);
    EXPECT_THROW(run(1, 1, nullptr), std::invalid_argument);
    EXPECT_THROW(run(1, 1,
                     [](wave w) -> kernel {
                         w.shared<double>(1);
                         co_return;
                     }),
                 std::length_error);
}

TEST(device_memory, refuses_what_is_outside) {
    ideal_machine machine;
    auto& memory = machine.memory();
    auto x = memory.allocate<double>(4);
    EXPECT_THROW(memory.read(x, 4), std::out_of_range);
    EXPECT_THROW(memory.write(x, 4, 1.0), std::out_of_range);
    EXPECT_THROW(memory.write(x, std::vector<double>(5)), std::out_of_range);
    EXPECT_THROW(memory.read(array<double>(1, 1)), std::out_of_range);
    memory.fill(x, 2.5);
    EXPECT_EQ(memory.read(x), std::vector<double>(4, 2.5));
}

// What a wavefront of 64 threads is: its width, its threads, exchange and sums over all of them.
TEST(wide_wavefronts, know_their_threads) {
    gpu::testing::machine_spec spec;
    spec.unit.wave_width = 64;
    gpu::testing::timed_machine timed(spec);
    ideal_machine ideal({.wave_width = 64});
    const auto run = [](gpu_system_if& gpu, device_memory& memory, auto go) {
        EXPECT_EQ(gpu.wave_width(), 64u);
        const auto out = memory.allocate<std::uint32_t>(3 * 160);
        const kernel_launch::entry body = [=](wave w) -> kernel {
            if (w.width() != 64 || w.waves_in_cta() != 3 || w.tree_steps() != 6) throw std::logic_error("not 64 wide");
            if (w.active() != mask::first(w.wave_in_cta() == 2 ? 32 : 64)) throw std::logic_error("other threads");
            const auto id = w.thread_ids();
            const auto far = shuffle_down(id, 40);
            if (far[10] != 50 || far[30] != 30 || shuffle_xor(id, 32)[1] != 33) throw std::logic_error("shuffles");
            if (!w.any(id == 5u) || w.sum(id) != (w.wave_in_cta() == 2 ? 31 * 16 : 63 * 32))
                throw std::logic_error("sums");
            for (auto i : w.share(out.size())) co_await w.atomic_add(out, i, w.width());
            const auto back = co_await w.load_uncached(out, w.global_ids());
            co_await w.atomic_max(out, w.global_ids(), back + 1u);
        };
        auto program = [&](gpu_system_if& g) -> host_task { co_await g.launch({"wide", 3, 160, body}); };
        go(program(gpu));
        EXPECT_EQ(memory.read(out), std::vector<std::uint32_t>(out.size(), 65));
    };
    run(timed.host, timed.memory, [&](host_task t) { timed.run(std::move(t)); });
    EXPECT_TRUE(timed.conserved());
    run(ideal, ideal.memory(), [&](host_task t) { ideal.run(std::move(t)); });
}

}  // namespace
