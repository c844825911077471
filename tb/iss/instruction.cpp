// SPDX-License-Identifier: Apache-2.0
#include "iss/instruction.h"

namespace contraflow::iss {
namespace {

using enum instruction_class;

constexpr unsigned field(std::uint32_t bits, unsigned from, unsigned width) {
    return bits >> from & ((1u << width) - 1);
}

instruction_class classify_full(std::uint32_t bits) {
    const unsigned funct3 = field(bits, 12, 3);
    const unsigned funct7 = field(bits, 25, 7);
    switch (field(bits, 2, 5)) {
    case 0x00:  // lb lh lw lbu lhu
        return funct3 == 3 || funct3 > 5 ? illegal : load;
    case 0x03:  // fence fence.i
        return funct3 > 1 ? illegal : alu;
    case 0x04:  // immediate
        if (funct3 == 1) return funct7 == 0 ? alu : illegal;
        if (funct3 == 5) return funct7 == 0 || funct7 == 0x20 ? alu : illegal;
        return alu;
    case 0x05:  // auipc
    case 0x0d:  // lui
        return alu;
    case 0x08:  // sb sh sw
        return funct3 > 2 ? illegal : store;
    case 0x0c:  // register
        if (funct7 == 1) return funct3 < 4 ? multiply : divide;
        if (funct7 == 0x20) return funct3 == 0 || funct3 == 5 ? alu : illegal;
        return funct7 == 0 ? alu : illegal;
    case 0x18: return funct3 == 2 || funct3 == 3 ? illegal : branch;
    case 0x19:  // jalr
        return funct3 == 0 ? jump : illegal;
    case 0x1b:  // jal
        return jump;
    case 0x1c: return funct3 == 4 ? illegal : system;
    default: return illegal;
    }
}

instruction_class classify_compressed(std::uint32_t bits) {
    const unsigned funct3 = field(bits, 13, 3);
    const unsigned rd = field(bits, 7, 5);
    const unsigned rs2 = field(bits, 2, 5);
    const bool bit12 = field(bits, 12, 1) != 0;
    switch (field(bits, 0, 2) << 3 | funct3) {
    case 000:  // c.addi4spn
        return field(bits, 5, 8) == 0 ? illegal : alu;
    case 002:  // c.lw
        return load;
    case 006:  // c.sw
        return store;
    case 010:  // c.addi, c.nop
    case 012:  // c.li
        return alu;
    case 011:  // c.jal
    case 015:  // c.j
        return jump;
    case 013:  // c.addi16sp, c.lui
        return !bit12 && rs2 == 0 ? illegal : alu;
    case 014:
        if (field(bits, 10, 2) < 2) return bit12 ? illegal : alu;  // c.srli, c.srai: a shift by 32 or more is RV64's
        if (field(bits, 10, 2) == 2) return alu;                   // c.andi
        return bit12 ? illegal : alu;                              // c.sub, c.xor, c.or, c.and
    case 016:                                                      // c.beqz
    case 017:                                                      // c.bnez
        return branch;
    case 020:  // c.slli
        return bit12 ? illegal : alu;
    case 022:  // c.lwsp
        return rd == 0 ? illegal : load;
    case 024:
        if (rs2 != 0) return alu;                      // c.mv, c.add
        if (rd == 0) return bit12 ? system : illegal;  // c.ebreak
        return jump;                                   // c.jr, c.jalr
    case 026:                                          // c.swsp
        return store;
    default: return illegal;
    }
}

}  // namespace

instruction classify(std::uint32_t bits) {
    if ((bits & 3) == 3) return {classify_full(bits), 4};
    return {classify_compressed(bits), 2};
}

}  // namespace contraflow::iss
