// SPDX-License-Identifier: Apache-2.0
// Interrupts at their exact times, wfi, the control registers, and that none of this depends on the quantum.
#include <random>

#include "machine.h"

#include <gtest/gtest.h>

using namespace iss_test;

namespace interrupt_test {

constexpr word handler = 0x100;
constexpr std::int32_t raise = static_cast<std::int32_t>(registers::raise);
constexpr std::int32_t lower = static_cast<std::int32_t>(registers::lower);

// Cycles until interrupts are enabled: mtvec, mie, mstatus; then the body.
std::vector<word> enabling(std::vector<word> then) {
    std::vector<word> code{lui(10, bus_base),  addi(1, 0, handler), csrrw(0, mtvec, 1),   lui(1, 0x1000),
                           addi(1, 1, -0x800), csrrw(0, mie, 1),    csrrsi(0, mstatus, 8)};
    code.insert(code.end(), then.begin(), then.end());
    return code;
}
constexpr std::uint64_t enabled = 1 + 1 + 2 + 1 + 1 + 2 + 2;  // cycles

const std::vector<word> handle{sw(0, 10, lower),     csrrs(3, mepc, 0), csrrs(4, mcause, 0),
                               csrrs(5, mstatus, 0), sw(3, 10, 0),      mret};

std::uint64_t entry_of(const machine& m) {
    EXPECT_FALSE(m.device.accesses.empty());
    return m.device.accesses.empty() ? 0 : m.device.accesses[0].ps;
}

TEST(Interrupts, are_taken_at_the_first_boundary_at_or_after_their_time) {
    // After the enabling, divisions of 37 cycles each.
    constexpr std::uint64_t begin = enabled * cycle_ps, length = 37 * cycle_ps;
    for (const std::uint64_t at :
         {begin, begin + 1, begin + length - 1, begin + length, begin + length + 1, begin + 5 * length - 1}) {
        machine m;
        m.program(enabling(
            {divu(6, 7, 8), divu(6, 7, 8), divu(6, 7, 8), divu(6, 7, 8), divu(6, 7, 8), divu(6, 7, 8), jal(0, 0)}));
        m.program(handle, handler);
        m.interrupt_at(at);
        m.run_cycles(400);
        const std::uint64_t boundaries = (at - begin + length - 1) / length;
        EXPECT_EQ(entry_of(m), begin + boundaries * length + 4 * cycle_ps) << at;
        EXPECT_EQ(m.device.accesses.at(1).value, 7 * 4 + boundaries * 4) << "mepc, " << at;
        EXPECT_EQ(m.core.read_register(4), 0x8000'000bu);
        EXPECT_EQ(m.core.read_register(5), 0x1880u);  // enabled before, disabled now
    }
}

TEST(Interrupts, wait_until_they_are_enabled) {
    machine m;
    m.program(enabling({jal(0, 0)}));
    m.program(handle, handler);
    m.interrupt_at(1);
    m.run_cycles(100);
    EXPECT_EQ(entry_of(m), (enabled + 4) * cycle_ps);
    EXPECT_EQ(m.device.accesses.at(1).value, 7 * 4u);
}

TEST(Interrupts, that_went_away_before_the_boundary_are_not_taken) {
    machine m;
    m.program(enabling({divu(6, 7, 8), jal(0, 0)}));
    m.program(handle, handler);
    m.interrupt_at((enabled + 10) * cycle_ps);
    m.interrupt_at((enabled + 20) * cycle_ps, false);
    m.run_cycles(100);
    EXPECT_TRUE(m.device.accesses.empty());
    EXPECT_EQ(m.stat("core.interrupts"), 0);
}

TEST(Interrupts, the_first_of_several_by_the_order_of_the_manual) {
    machine m;
    // All lines, vectored: each entry stores its cause.
    std::vector<word> code{lui(10, bus_base), addi(1, 0, handler + 1), csrrw(0, mtvec, 1), addi(1, 0, -1),
                           csrrw(0, mie, 1),  csrrsi(0, mstatus, 8),   jal(0, 0)};
    m.program(code);
    std::vector<word> table;
    for (unsigned cause = 0; cause < 32; ++cause) table.push_back(jal(0, 0x200));
    m.program(table, handler);
    m.program({csrrs(2, mcause, 0), csrrs(3, mip, 0), sw(2, 10, 0), sw(3, 10, 4), jal(0, 0)}, handler + 0x200 + 4 * 11);
    for (const unsigned line : {20u, 16u, 7u, 3u, 11u, 5u}) m.core.set_interrupt(line, true);
    m.run_cycles(100);
    ASSERT_EQ(m.device.accesses.size(), 2u);
    EXPECT_EQ(m.device.accesses[0].value, 0x8000'000bu);
    EXPECT_EQ(m.device.accesses[1].value, 1u << 20 | 1u << 16 | 1u << 11 | 1u << 7 | 1u << 3);  // 5 is not a line
}

TEST(Interrupts, a_store_that_raises_one_is_followed_by_it_at_once) {
    machine m;
    m.program(enabling({sw(0, 10, raise), addi(6, 6, 1), jal(0, -4)}));
    m.program(handle, handler);
    m.run_cycles(100);
    ASSERT_GE(m.device.accesses.size(), 3u);
    EXPECT_EQ(m.device.accesses[0].ps, enabled * cycle_ps);
    EXPECT_EQ(m.device.accesses[1].ps, (enabled + 1 + 4) * cycle_ps);
    EXPECT_EQ(m.device.accesses[2].value, 8 * 4u);  // mepc: the instruction after the store
}

TEST(Wfi, costs_nothing_while_it_waits) {
    machine m;
    m.program(enabling({wfi, sw(0, 10, 0), jal(0, 0)}));
    m.program(handle, handler);
    m.run_cycles(1000);
    EXPECT_TRUE(m.core.waits_for_interrupt());
    const auto callbacks = m.simulation.events().executed();
    const auto deltas = sc_core::sc_delta_count();
    m.run_cycles(2'000'000'000);  // ten seconds
    EXPECT_EQ(m.simulation.events().executed(), callbacks);
    EXPECT_LE(sc_core::sc_delta_count(), deltas + 1);
    EXPECT_TRUE(m.device.accesses.empty());

    const std::uint64_t at = 2'000'000'100 * cycle_ps + 1;
    m.interrupt_at(at);
    m.run_cycles(2'000'001'000);
    EXPECT_EQ(entry_of(m), at - 1 + cycle_ps + 4 * cycle_ps);
    EXPECT_EQ(m.device.accesses.at(1).value, 8 * 4u);  // the instruction after wfi
    EXPECT_EQ(m.stat("core.idle"), 2'000'000'101 - double(enabled + 2));
}

TEST(Wfi, goes_on_without_a_handler_while_interrupts_are_off) {
    machine m;
    auto code = enabling({wfi, sw(0, 10, 0), jal(0, 0)});
    code[6] = csrrci(0, mstatus, 8);
    m.program(code);
    m.interrupt_at(1000 * cycle_ps);
    m.run_cycles(2000);
    EXPECT_EQ(entry_of(m), 1000 * cycle_ps);
    EXPECT_EQ(m.stat("core.interrupts"), 0);
}

TEST(Csr, what_is_fixed_stays_and_what_can_be_written_is_read_back) {
    machine m;
    m.program({addi(1, 0, -1), csrrw(0, mstatus, 1), csrrs(2, mstatus, 0), csrrw(0, mtvec, 1), csrrs(3, mtvec, 0),
               csrrw(0, mepc, 1), csrrs(4, mepc, 0), csrrw(5, mscratch, 1), csrrc(6, mscratch, 1),
               csrrs(7, mscratch, 0), csrrw(0, mip, 1), csrrs(8, mip, 0), csrrs(9, 0x301, 0), csrrw(0, mcycle, 0),
               csrrs(12, mcycle, 0), jal(0, 0)});
    m.run_cycles(100);
    EXPECT_EQ(m.core.read_register(2), 0x1888u);
    EXPECT_EQ(m.core.read_register(3), 0xffff'fffdu);
    EXPECT_EQ(m.core.read_register(4), 0xffff'fffeu);
    EXPECT_EQ(m.core.read_register(5), 0u);
    EXPECT_EQ(m.core.read_register(6), ~0u);
    EXPECT_EQ(m.core.read_register(7), 0u);
    EXPECT_EQ(m.core.read_register(8), 0u);
    EXPECT_EQ(m.core.read_register(9), 0x4000'1104u);
    EXPECT_EQ(m.core.read_register(12), 2u);  // from the write's beginning to the read's
}

// --- independent of the quantum -------------------------------------------------------------------------------------

// A loop that computes, stores, loads and sometimes reads the bus, with interrupts at random times whose handler
// changes the same data.
std::vector<bus_event> run_random(unsigned seed, std::uint64_t quantum) {
    iss::rv32_spec spec;
    spec.quantum = {quantum};
    machine m(spec);
    m.device.latency = sc_core::sc_time::from_value(seed * 777 % 40'000);
    std::vector<word> loop{lui(11, data_base), addi(20, 20, 1), add(21, 21, 20), mul(22, 21, 20), sw(22, 11, 0),
                           lw(23, 11, 64),     add(21, 21, 23), sb(21, 11, 4),   lw(24, 11, 0),   sw(24, 11, 128)};
    // Every 64th time over the bus.
    loop.insert(loop.end(), {i_type(63, 20, 7, 25, 0x13), bne(25, 0, 12), sw(21, 10, 16), lw(26, 10, 16)});
    loop.push_back(jal(0, -static_cast<std::int32_t>(4 * (loop.size() - 1))));
    m.program(enabling(loop));
    m.program({lui(11, data_base), sw(0, 10, lower), lw(27, 11, 64), addi(27, 27, 3), add(27, 27, 20), sw(27, 11, 64),
               sh(27, 11, 2), csrrs(28, mcycle, 0), csrrs(29, minstret, 0), sw(28, 10, 32), sw(29, 10, 36),
               add(30, 30, 28), mret},
              handler);
    std::mt19937 random(seed);
    std::uint64_t at = 0;
    for (unsigned i = 0; i < 60; ++i) {
        at += random() % 2 ? random() % (40 * cycle_ps) : random() % 3000 * cycle_ps;
        m.interrupt_at(at);
        if (i % 5 == 4) m.interrupt_at(at + random() % (4 * cycle_ps), false);
    }
    m.run_cycles(100'000);
    return m.device.accesses;
}

TEST(Quantum, changes_nothing) {
    for (unsigned seed = 1; seed <= 12; ++seed) {
        const auto one = run_random(seed, 1);
        ASSERT_GT(one.size(), 100u);
        for (const std::uint64_t quantum : {7u, 100u, 10'000u}) {
            const auto many = run_random(seed, quantum);
            ASSERT_EQ(one, many) << "seed " << seed << ", quantum " << quantum;
        }
    }
}

// Where a run ends between two synchronisations, the core is ahead by up to the quantum; at a wfi it is not.
TEST(Quantum, leaves_the_same_state_where_the_core_waits) {
    for (unsigned seed = 1; seed <= 6; ++seed) {
        std::vector<std::uint8_t> memory[2];
        std::uint64_t instructions[2] = {}, cycles[2] = {};
        std::uint64_t undone[2] = {};
        for (unsigned which = 0; which < 2; ++which) {
            iss::rv32_spec spec;
            spec.quantum = {which == 0 ? 1u : 10'000u};
            machine m(spec);
            m.program(enabling({lui(11, data_base), lui(12, 0x2000), addi(12, 12, -1), add(13, 13, 12), sw(13, 11, 0),
                                lw(14, 11, 8), add(13, 13, 14), lw(15, 11, 12), addi(15, 15, 1), sw(15, 11, 12),
                                bne(12, 0, -32), wfi, jal(0, -4)}));
            m.program({lui(11, data_base), sw(0, 10, lower), lw(27, 11, 8), add(27, 27, 13), sw(27, 11, 8), mret},
                      handler);
            std::mt19937 random(seed);
            std::uint64_t at = 0;
            for (unsigned i = 0; i < 30; ++i) m.interrupt_at(at += random() % (2000 * cycle_ps));
            m.run_cycles(400'000);
            EXPECT_TRUE(m.core.waits_for_interrupt());
            const auto data = m.core.memory(data_base, 0x10000);
            memory[which].assign(data.begin(), data.end());
            for (unsigned x = 1; x < 32; ++x)
                memory[which].push_back(static_cast<std::uint8_t>(m.core.read_register(x)));
            m.core.finish();
            instructions[which] = m.core.instructions();
            cycles[which] = m.core.cycles();
            undone[which] = m.core.undone();
        }
        EXPECT_EQ(memory[0], memory[1]) << "seed " << seed;
        EXPECT_EQ(instructions[0], instructions[1]);
        EXPECT_EQ(cycles[0], cycles[1]);
        EXPECT_LT(undone[0], 100u);
        EXPECT_GT(undone[1], 1000u) << "nothing was run ahead";
    }
}

}  // namespace interrupt_test
