// SPDX-License-Identifier: Apache-2.0
// Instructions are fetched before they are issued and a kernel's arguments loaded before it begins: when, by
// arithmetic, which lines, through which caches, and what is shared.
#include <gtest/gtest.h>

#include "gpu/timed_machine.h"
#include "gpu/whole_gpu.h"

namespace {

using namespace contraflow;
using namespace contraflow::gpu;
using gpu::testing::machine_spec;
using gpu::testing::small_gpu;
using gpu::testing::timed_machine;
using gpu::testing::whole_gpu;

constexpr core::sim_time clock_cycle = core::sim_time::from_ns(1);
constexpr core::bytes code_line{128};  // 16 instructions

// One unit, an instruction a cycle, a memory that answers after 100 cycles, kernels without launch cost or arguments.
machine_spec fetching(unsigned buffer) {
    machine_spec s;
    s.sockets = s.units = 1;
    s.dispatcher.launch_cost = {0};
    s.dispatcher.cta_interval = {0};
    s.memory.least = s.memory.most = clock_cycle * 100;
    s.memory.queue = 1'000'000;
    s.array.units = 1;
    s.array.buffer = buffer;
    s.array.code = code_line * 64;
    s.array.arguments = {0};
    return s;
}

std::uint64_t cycles_of(core::sim_time t) { return t.ps / clock_cycle.ps; }

// The lines that were fetched ahead and not used come after the kernel's end.
std::uint64_t cycles_of_kernel(timed_machine& m, unsigned ctas, const kernel_launch::entry& body) {
    const core::sim_time begun = m.sim.events().now();
    m.run(ctas, 32, body);
    return cycles_of(m.host.launches().back().ended_at - begun);
}

double statistic(timed_machine& m, const std::string& path) {
    for (const auto& row : m.statistics.rows(m.sim.events().now()))
        if (row.path == path) return row.value;
    throw std::out_of_range("no statistic " + path);
}

kernel hundred(wave w) { co_await w.compute(100); }

TEST(shader_array, a_buffer_hides_the_latency_that_it_has_lines_for) {
    // The first line, the instruction that would load arguments, and 100 more: six lines and five instructions.
    // Seven lines asked for ahead take 112 cycles to execute, more than a line takes to come.
    timed_machine enough(fetching(8));
    EXPECT_EQ(cycles_of_kernel(enough, 1, hundred), 100u + 101);
    // A line behind the buffer's four is asked for when the first of them has been executed.
    timed_machine four(fetching(4));
    EXPECT_EQ(cycles_of_kernel(four, 1, hundred), 100u + (16 + 100) + (101 - 4 * 16));
    // No line is asked for ahead: each takes its time and the memory's.
    timed_machine one(fetching(1));
    EXPECT_EQ(cycles_of_kernel(one, 1, hundred), 7u * 100 + 101);
    for (auto* m : {&enough, &four, &one}) EXPECT_TRUE(m->conserved());
}

TEST(shader_array, arguments_are_loaded_before_a_wavefront_begins) {
    machine_spec s = fetching(8);
    s.array.arguments = code_line;
    timed_machine m(s);
    EXPECT_EQ(cycles_of_kernel(m, 1, hundred), 100u + 1 + 100 + 100);  // code, the load, its answer, the kernel
    s.array.arguments = code_line * 3;
    timed_machine three(s);
    EXPECT_EQ(cycles_of_kernel(three, 1, hundred), 100u + 3 + 100 + 100);  // an instruction each
    EXPECT_EQ(statistic(three, "gpu0_cu0.waited_for_arguments"), 100e3);
    EXPECT_TRUE(m.conserved() && three.conserved());
}

// Each of seven lines is awaited, and each of three wavefronts' lines of arguments.
TEST(shader_array, time_without_code_and_time_without_arguments_are_counted_apart) {
    machine_spec s = fetching(1);
    s.array.arguments = code_line;
    timed_machine m(s);
    for (int n = 0; n < 3; ++n) EXPECT_EQ(cycles_of_kernel(m, 1, hundred), 7u * 100 + 100 + 101);
    EXPECT_EQ(statistic(m, "gpu0_cu0.starved"), 3 * 7 * 100e3);
    EXPECT_EQ(statistic(m, "gpu0_cu0.waited_for_arguments"), 3 * 100e3);
}

TEST(shader_array, every_instruction_and_its_work_is_fetched) {
    // Loads, stores and barriers are issued after their code as well: a lone line at a time, 16 instructions each.
    machine_spec s = fetching(1);
    timed_machine m(s);
    auto x = m.memory.allocate<float>(1024);
    const auto lines = [&](const kernel_launch::entry& body) {
        const std::uint64_t before = m.arrays[0]->answered();
        m.run(1, 32, body);
        return m.arrays[0]->answered() - before;
    };
    // One for the arguments and one for each access; a line is asked for when the one before it has been executed.
    EXPECT_EQ(lines([=](wave w) -> kernel {
                  for (unsigned i = 0; i < 14; ++i) co_await w.store(x, w.global_ids(), 1.0f);
              }),
              1u);
    EXPECT_EQ(lines([=](wave w) -> kernel {
                  for (unsigned i = 0; i < 16; ++i) co_await w.load(x, w.global_ids() + 32 * i);
              }),
              2u);
    EXPECT_EQ(lines([=](wave w) -> kernel {
                  w.work(31);
                  co_await w.barrier();
                  co_await w.store(x, w.global_ids(), 1.0f);
              }),
              3u);
    // Several loads that begin together are an instruction each.
    EXPECT_EQ(lines([=](wave w) -> kernel {
                  const auto a = w.load(x, w.global_ids()), b = w.load(x, w.global_ids() + 64);
                  w.work(15);
                  co_await w.store(x, w.global_ids(), co_await a + co_await b);
              }),
              2u);
    EXPECT_TRUE(m.conserved());
}

TEST(shader_array, slots_that_are_used_again_drop_the_lines_of_the_wavefront_before) {
    machine_spec s = fetching(16);
    s.unit.wave_slots = 2;
    timed_machine m(s);
    // Two at a time: 100 cycles for the first line, one instruction, and three.
    EXPECT_EQ(cycles_of_kernel(m, 100, [](wave w) -> kernel { co_await w.compute(3); }), 50u * 104);
    EXPECT_TRUE(m.conserved());
}

TEST(shader_array, units_of_an_array_share_its_caches) {
    gpu_spec s = small_gpu();
    s.sockets = 1;
    s.units = 6;
    s.shader_array.units = 4;  // the second array has two
    s.shader_array.code = {1024};
    s.shader_array.arguments = {64};
    whole_gpu g(s);
    for (int launch = 0; launch < 3; ++launch) g.run(48, 32, [](wave w) -> kernel { co_await w.compute(1000); });
    ASSERT_EQ(g.gpu.socket(0).shader_arrays().size(), 2u);
    for (unsigned a = 0; a < 2; ++a) {
        const auto& code = g.gpu.socket(0).instruction_caches()[a]->statistics();
        const auto& arguments = g.gpu.socket(0).scalar_caches()[a]->statistics();
        EXPECT_EQ(code.fills.value(), 1024u / 128);  // once, for all units and launches
        EXPECT_EQ(arguments.fills.value(), 3u);      // anew for each launch
        EXPECT_EQ(arguments.reads.value(), a == 0 ? 3u * 32 : 3u * 16);
        EXPECT_GT(code.reads.value(), (a == 0 ? 32u : 16u) * 3 * (1001 / 16));
    }
    g.expect_clean();
}

TEST(shader_array, code_that_the_cache_does_not_hold_is_read_again) {
    for (const unsigned kib : {32u, 64u}) {
        gpu_spec s = small_gpu();
        s.sockets = s.units = 1;
        s.shader_array.units = 1;
        s.shader_array.code = {kib << 10};
        s.l2.bank.size = {1u << 20};
        whole_gpu g(s);
        g.run(1, 32, [&](wave w) -> kernel { co_await w.compute(4 * (kib << 10) / instruction_size.count); });
        const auto& code = g.gpu.socket(0).instruction_caches()[0]->statistics();
        const std::uint64_t lines = (kib << 10) / 128;
        if (kib == 32)
            EXPECT_EQ(code.fills.value(), lines);
        else
            EXPECT_GE(code.fills.value(), 4 * lines);
        g.expect_clean();
    }
}

TEST(shader_array, kernels_have_places_of_their_own_until_all_are_taken) {
    shader_array_spec s;
    s.region = {64u << 10};
    code_memory code(s, 1u << 20);
    EXPECT_EQ(code.place_of("a"), 1u << 20);
    EXPECT_EQ(code.place_of("b"), (1u << 20) + 2048 + 128);
    EXPECT_EQ(code.place_of("a"), 1u << 20);
    for (int i = 2; i < 30; ++i) code.place_of(std::to_string(i));
    EXPECT_EQ(code.place_of("the first again"), 1u << 20);
}

TEST(shader_array, code_lies_on_whole_lines_of_any_memory) {
    gpu_spec s = small_gpu();
    s.shader_array.units = 2;
    s.shader_array.code = {40u << 10};
    s.dram.size = {(8u << 20) + 1};
    EXPECT_EQ((s.dram.size.count - s.kept_for_code().count) % s.pages.page_size.count, 0u);
    EXPECT_GE(s.kept_for_code().count, 31 * s.shader_array.kernel_lines().count);
    whole_gpu g(s);
    g.run(16, 128, [](wave w) -> kernel { co_await w.compute(100); });
    g.expect_clean();
}

TEST(shader_array, a_line_that_is_answered_with_an_error_fails_its_kernel) {
    machine_spec s = fetching(1);
    s.array.arguments = code_line;
    timed_machine m(s);
    const std::uint64_t code = m.codes[0]->place_of("kernel");
    struct bad_line {
        std::uint64_t line;
        const char* what;
    };
    for (const auto& [line, what] :
         {bad_line{0, "fetch of code"}, bad_line{5, "fetch of code"}, bad_line{64, "load of arguments"}}) {
        m.target->failing_at = {code + line * code_line.count};
        try {
            m.run(1, 32, hundred);
            ADD_FAILURE() << "the kernel did not fail";
        } catch (const access_fault& f) {
            EXPECT_EQ(f.why(), access_fault::reason::refused);
            EXPECT_EQ(f.what(), fmt::format("{} of 128 bytes at {:#x}, a physical address, answered with "
                                            "TLM_ADDRESS_ERROR_RESPONSE: process 0, GPU 0, unit 0, wavefront 0 of CTA "
                                            "0 of kernel 'kernel'; expected memory that has it",
                                            what, code + line * code_line.count));
        }
        EXPECT_TRUE(m.conserved());
        m.target->failing_at.clear();
        EXPECT_NO_THROW(m.run(1, 32, hundred));
    }
}

// A line that is asked for with the kernel's last instruction, the sixteenth, and comes after its end.
TEST(shader_array, an_error_that_no_wavefront_waits_for_is_found) {
    timed_machine m(fetching(8));
    m.target->failing_at = {m.codes[0]->place_of("kernel") + 8 * code_line.count};
    EXPECT_NO_THROW(m.run(1, 32, [](wave w) -> kernel { co_await w.compute(15); }));
    EXPECT_FALSE(m.conserved());
}

TEST(shader_array, wrong_bytes_are_found) {
    timed_machine m(fetching(4));
    m.run(1, 32, hundred);
    EXPECT_TRUE(m.conserved());
    *m.target->bytes.at(m.codes[0]->begin() + 200) ^= 1;
    m.run(1, 32, hundred);
    EXPECT_FALSE(m.conserved());
}

TEST(shader_array, a_reset_drops_what_is_under_way) {
    gpu_spec s = small_gpu();
    s.shader_array.units = 2;
    whole_gpu g(s);
    const auto long_one = [](wave w) -> kernel { co_await w.compute(10'000); };
    g.sim.events().at(
        core::sim_time::from_ns(150),
        [](void* object, std::uint64_t) {
            auto& gpu = static_cast<whole_gpu*>(object)->gpu;
            EXPECT_FALSE(gpu.socket(0).shader_arrays()[0]->idle());
            gpu.control(core::control_verb::reset);
        },
        &g, 0);
    EXPECT_THROW(g.run(16, 128, long_one), std::runtime_error);
    g.run(16, 128, long_one);
    g.expect_clean();
}

}  // namespace
