// SPDX-License-Identifier: Apache-2.0
// The parameters of an RV32IMC core: its clock, its memories, and the cost of each class of instruction. The defaults
// are assumed: three pipeline stages, no caches, and own memories behind one port each.
#pragma once

#include <cstdint>
#include <vector>

#include "config/fields.h"
#include "config/tree/problem.h"
#include "core/units.h"

namespace contraflow::iss {

// A memory of the core's own, accessed without the bus. `load` and `store` are the whole cost of such an instruction.
struct core_memory_spec {
    std::uint64_t base = 0;
    core::bytes size{64u << 10};
    core::cycles load{2};
    core::cycles store{1};

    static void describe(config::fields<core_memory_spec>& f);
};

// Cycles from the beginning of an instruction to the beginning of the next one. A compressed instruction costs the same
// as the full one. A bus access begins with its instruction, and the core waits for the answer; the next instruction
// begins bus_load or bus_store cycles after the first clock edge at or after the answer.
struct cycle_table {
    core::cycles alu{1};
    core::cycles branch_untaken{1};
    core::cycles branch_taken{3};
    core::cycles jump{2};
    core::cycles multiply{3};
    core::cycles divide{37};
    core::cycles csr{2};
    core::cycles bus_load{2};
    core::cycles bus_store{1};
    core::cycles trap_entry{4};
    core::cycles trap_return{4};

    static void describe(config::fields<cycle_table>& f);
};

struct rv32_spec {
    core::frequency clock{200e6};
    core_memory_spec code;  // the program; the core only reads it
    core_memory_spec data{0x0010'0000};
    cycle_table cycles;
    std::uint64_t reset_pc = 0;
    unsigned hart = 0;
    core::cycles quantum{10'000};
    bool misaligned = false;

    static void describe(config::fields<rv32_spec>& f);
};

// Memories that overlap, or end after 4 GiB.
std::vector<config::problem> problems_of(const rv32_spec& s);

}  // namespace contraflow::iss
