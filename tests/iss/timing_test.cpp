// SPDX-License-Identifier: Apache-2.0
// The cost of each class of instruction, by the default table: alu 1, branch 1 or 3, jump 2, multiply 3, divide 37,
// control register 2, load 2, store 1; a store over the bus 1 plus its answer, a load 2. Each program ends with a
// store to the bus, whose time is the sum of the costs before it.
#include <sstream>

#include "config/config.h"
#include "machine.h"

#include <gtest/gtest.h>

using namespace iss_test;

namespace timing_test {

// Runs the program after x10 was set to the bus's base, in 1 cycle, and x11 to the data's, in 1; it ends at a store.
std::uint64_t cycles_of(std::vector<word> code, iss::rv32_spec spec = {}) {
    machine m(spec);
    code.insert(code.begin(), {lui(10, bus_base), lui(11, data_base)});
    code.insert(code.end(), {sw(0, 10, 0), jal(0, 0)});
    m.program(code);
    m.run_cycles(1000);
    EXPECT_EQ(m.device.accesses.size(), 1u);
    EXPECT_EQ(m.device.accesses.back().ps % cycle_ps, 0u);
    return m.device.accesses.back().ps / cycle_ps - 2;
}

TEST(Timing, each_class_costs_what_the_table_says) {
    EXPECT_EQ(cycles_of({}), 0u);
    EXPECT_EQ(cycles_of({addi(1, 0, 5), add(2, 1, 1), auipc(3, 0)}), 3u);
    EXPECT_EQ(cycles_of({mul(1, 2, 3)}), 3u);
    EXPECT_EQ(cycles_of({divu(1, 2, 3)}), 37u);
    EXPECT_EQ(cycles_of({lw(1, 11, 0)}), 2u);
    EXPECT_EQ(cycles_of({sw(1, 11, 0)}), 1u);
    EXPECT_EQ(cycles_of({beq(1, 0, 8), nop}), 3u);      // taken: over the nop
    EXPECT_EQ(cycles_of({bne(1, 0, 8), nop}), 1u + 1);  // not taken
    EXPECT_EQ(cycles_of({jal(1, 8), nop}), 2u);
    EXPECT_EQ(cycles_of({auipc(1, 0), jalr(1, 1, 12), nop}), 1u + 2);
    EXPECT_EQ(cycles_of({csrrs(1, mscratch, 0)}), 2u);
    EXPECT_EQ(cycles_of({0x0001'0001}), 2u);  // two c.nop
}

TEST(Timing, a_branch_to_the_next_instruction_is_not_taken) { EXPECT_EQ(cycles_of({beq(0, 0, 4)}), 1u); }

TEST(Timing, a_loop_sums_up) {
    // 10 iterations: an addi each, nine branches taken and one not.
    EXPECT_EQ(cycles_of({addi(1, 0, 10), addi(1, 1, -1), bne(1, 0, -4)}), 1u + 10 * 1 + 9 * 3 + 1);
}

TEST(Timing, a_load_costs_what_its_memory_says) {
    iss::rv32_spec spec;
    spec.code.load = {7};
    EXPECT_EQ(cycles_of({lw(1, 0, 0)}, spec), 7u);
    EXPECT_EQ(cycles_of({lw(1, 11, 0), lw(1, 0, 4), lw(1, 11, 4)}, spec), 2u + 7 + 2);
    spec.code.load = {1};
    EXPECT_EQ(cycles_of({lw(1, 0, 0)}, spec), 1u);
}

TEST(Timing, the_bus_holds_the_core_until_it_answers) {
    for (const std::uint64_t latency : {std::uint64_t{0}, 3 * cycle_ps, 3 * cycle_ps + 1}) {
        machine m;
        m.device.latency = sc_core::sc_time::from_value(latency);
        m.program({lui(10, bus_base), lw(1, 10, 4), sw(1, 10, 8), sw(1, 10, 12), jal(0, 0)});
        m.run_cycles(100);
        ASSERT_EQ(m.device.accesses.size(), 3u);
        const std::uint64_t answer = (latency + cycle_ps - 1) / cycle_ps;  // in whole cycles
        EXPECT_EQ(m.device.accesses[0].ps, 1 * cycle_ps);
        EXPECT_EQ(m.device.accesses[1].ps, (1 + answer + 2) * cycle_ps);
        EXPECT_EQ(m.device.accesses[2].ps, (1 + answer + 2 + answer + 1) * cycle_ps);
    }
}

TEST(Timing, the_bus_may_take_its_time_before_it_returns) {
    machine m;
    m.program({lui(10, bus_base + 0x1000), lw(1, 10, static_cast<std::int32_t>(registers::slow) - 0x1000),
               sw(1, 10, -4096 + 2048), jal(0, 0)});
    m.run_cycles(100);
    ASSERT_EQ(m.device.accesses.size(), 2u);
    EXPECT_EQ(m.device.accesses[0].ps, 1 * cycle_ps);
    EXPECT_EQ(m.device.accesses[1].ps, (1 + 20 + 2) * cycle_ps);
}

TEST(Timing, a_clock_whose_period_is_no_whole_number_does_not_drift) {
    iss::rv32_spec spec;
    spec.clock = {300e6};  // 3333.33 ps
    machine m(spec);
    m.program({lui(10, bus_base), addi(1, 0, 1000), addi(1, 1, -1), bne(1, 0, -4), sw(0, 10, 0), jal(0, 0)});
    m.simulation.run_to(core::sim_time::from_us(50));
    ASSERT_EQ(m.device.accesses.size(), 1u);
    // 2 + 1000 + 999 * 3 + 1 = 4000 cycles.
    EXPECT_EQ(m.device.accesses[0].ps, 13'333'333u);
}

TEST(Timing, software_sees_the_cycles_it_has_used) {
    machine m;
    m.program({csrrs(1, mcycle, 0), mul(3, 1, 1), csrrs(2, mcycle, 0), csrrs(4, minstret, 0), lui(11, data_base),
               sw(1, 11, 0), sw(2, 11, 4), sw(4, 11, 8), jal(0, 0)});
    m.run_cycles(100);
    EXPECT_EQ(m.data(0), 0u);
    EXPECT_EQ(m.data(4), 2u + 3);
    EXPECT_EQ(m.data(8), 3u);
}

TEST(Spec, is_read_printed_and_checked_as_any_configuration) {
    const auto complaint = [](const std::string& yaml) {
        contraflow::config::diagnostics problems;
        const contraflow::config::source file{"core.yaml", yaml};
        problems.add_source(file.name, file.text);
        contraflow::config::load<iss::rv32_spec>(file, {}, problems);
        std::ostringstream out;
        problems.print(out);
        return out.str();
    };
    EXPECT_EQ(complaint(contraflow::config::print(iss::rv32_spec{})), "");
    EXPECT_NE(complaint("cycles: {divide: 0cycles}\n").find("core.yaml:1:18: error"), std::string::npos);
    EXPECT_NE(complaint("reset_pc: 3\n").find("core.yaml:1:11: error"), std::string::npos);
    EXPECT_NE(complaint("data: {size: 5000B}\n").find("core.yaml:1:14: error"), std::string::npos);
    iss::rv32_spec overlapping;
    overlapping.data.base = 0x8000;
    EXPECT_THROW(machine{overlapping}, std::invalid_argument);
}

}  // namespace timing_test
