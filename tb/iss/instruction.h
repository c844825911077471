// SPDX-License-Identifier: Apache-2.0
// The properties of an RV32IMC instruction that decide its cost and how it is executed. Source: The RISC-V Instruction
// Set Manual, Volume I, version 20191213, chapters 2, 7, 16 and 24.
#pragma once

#include <cstdint>

namespace contraflow::iss {

enum class instruction_class : std::uint8_t {
    alu,  // includes fences
    multiply,
    divide,
    load,
    store,
    branch,
    jump,
    system,   // control registers, wfi, mret, ecall, ebreak
    illegal,  // reserved, or of an extension that the core does not have
};

struct instruction {
    instruction_class what = instruction_class::illegal;
    std::uint8_t length = 2;  // bytes
};

// `bits`: four bytes from its address. A compressed instruction uses the lower two.
instruction classify(std::uint32_t bits);

}  // namespace contraflow::iss
