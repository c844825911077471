// SPDX-License-Identifier: Apache-2.0
// RV32 instructions as numbers, from the tables of the manual (Volume I, chapters 16 and 24).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

namespace iss_test {

using word = std::uint32_t;

constexpr word r_type(word funct7, unsigned rs2, unsigned rs1, word funct3, unsigned rd, word opcode) {
    return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}
constexpr word i_type(std::int32_t imm, unsigned rs1, word funct3, unsigned rd, word opcode) {
    return static_cast<word>(imm) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}
constexpr word s_type(std::int32_t imm, unsigned rs2, unsigned rs1, word funct3) {
    const auto i = static_cast<word>(imm);
    return (i >> 5 & 0x7f) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | (i & 0x1f) << 7 | 0x23;
}
constexpr word b_type(std::int32_t imm, unsigned rs2, unsigned rs1, word funct3) {
    const auto i = static_cast<word>(imm);
    return (i >> 12 & 1) << 31 | (i >> 5 & 0x3f) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | (i >> 1 & 0xf) << 8 |
           (i >> 11 & 1) << 7 | 0x63;
}
constexpr word j_type(std::int32_t imm, unsigned rd) {
    const auto i = static_cast<word>(imm);
    return (i >> 20 & 1) << 31 | (i >> 1 & 0x3ff) << 21 | (i >> 11 & 1) << 20 | (i >> 12 & 0xff) << 12 | rd << 7 | 0x6f;
}

constexpr word lui(unsigned rd, word upper) { return (upper & 0xfffff000) | rd << 7 | 0x37; }
constexpr word auipc(unsigned rd, word upper) { return (upper & 0xfffff000) | rd << 7 | 0x17; }
constexpr word addi(unsigned rd, unsigned rs1, std::int32_t imm) { return i_type(imm, rs1, 0, rd, 0x13); }
constexpr word add(unsigned rd, unsigned rs1, unsigned rs2) { return r_type(0, rs2, rs1, 0, rd, 0x33); }
constexpr word mul(unsigned rd, unsigned rs1, unsigned rs2) { return r_type(1, rs2, rs1, 0, rd, 0x33); }
constexpr word divu(unsigned rd, unsigned rs1, unsigned rs2) { return r_type(1, rs2, rs1, 5, rd, 0x33); }
constexpr word lw(unsigned rd, unsigned rs1, std::int32_t imm) { return i_type(imm, rs1, 2, rd, 0x03); }
constexpr word lh(unsigned rd, unsigned rs1, std::int32_t imm) { return i_type(imm, rs1, 1, rd, 0x03); }
constexpr word lb(unsigned rd, unsigned rs1, std::int32_t imm) { return i_type(imm, rs1, 0, rd, 0x03); }
constexpr word lbu(unsigned rd, unsigned rs1, std::int32_t imm) { return i_type(imm, rs1, 4, rd, 0x03); }
constexpr word sw(unsigned rs2, unsigned rs1, std::int32_t imm) { return s_type(imm, rs2, rs1, 2); }
constexpr word sh(unsigned rs2, unsigned rs1, std::int32_t imm) { return s_type(imm, rs2, rs1, 1); }
constexpr word sb(unsigned rs2, unsigned rs1, std::int32_t imm) { return s_type(imm, rs2, rs1, 0); }
constexpr word beq(unsigned rs1, unsigned rs2, std::int32_t to) { return b_type(to, rs2, rs1, 0); }
constexpr word bne(unsigned rs1, unsigned rs2, std::int32_t to) { return b_type(to, rs2, rs1, 1); }
constexpr word jal(unsigned rd, std::int32_t to) { return j_type(to, rd); }
constexpr word jalr(unsigned rd, unsigned rs1, std::int32_t imm) { return i_type(imm, rs1, 0, rd, 0x67); }
constexpr word csrrw(unsigned rd, word csr, unsigned rs1) { return csr << 20 | rs1 << 15 | 1u << 12 | rd << 7 | 0x73; }
constexpr word csrrs(unsigned rd, word csr, unsigned rs1) { return csr << 20 | rs1 << 15 | 2u << 12 | rd << 7 | 0x73; }
constexpr word csrrc(unsigned rd, word csr, unsigned rs1) { return csr << 20 | rs1 << 15 | 3u << 12 | rd << 7 | 0x73; }
constexpr word csrrsi(unsigned rd, word csr, unsigned imm) { return csr << 20 | imm << 15 | 6u << 12 | rd << 7 | 0x73; }
constexpr word csrrci(unsigned rd, word csr, unsigned imm) { return csr << 20 | imm << 15 | 7u << 12 | rd << 7 | 0x73; }
constexpr word nop = 0x13, wfi = 0x10500073, mret = 0x30200073, ecall = 0x73, ebreak = 0x00100073;
constexpr word mstatus = 0x300, mie = 0x304, mtvec = 0x305, mscratch = 0x340, mepc = 0x341, mcause = 0x342, mip = 0x344;
constexpr word mcycle = 0xb00, minstret = 0xb02, mhartid = 0xf14;

}  // namespace iss_test
