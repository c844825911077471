// SPDX-License-Identifier: Apache-2.0
#include "iss/csr_file.h"

#include <bit>

namespace contraflow::iss {
namespace {

constexpr std::uint32_t standard_lines = 1u << 3 | 1u << 7 | 1u << 11;
constexpr std::uint32_t all_lines = 0xffff'0000 | standard_lines;
constexpr std::uint32_t misa = 1u << 30 | 1u << ('I' - 'A') | 1u << ('M' - 'A') | 1u << ('C' - 'A');

std::uint64_t with_low(std::uint64_t whole, std::uint32_t low) { return (whole >> 32 << 32) | low; }
std::uint64_t with_high(std::uint64_t whole, std::uint32_t high) {
    return static_cast<std::uint32_t>(whole) | std::uint64_t{high} << 32;
}

}  // namespace

std::optional<std::uint32_t> csr_file::read(unsigned number, const counters& now) const {
    const std::uint64_t cycle = now.cycles + cycle_offset_;
    const std::uint64_t instret = now.instructions + instruction_offset_;
    switch (number) {
    case 0x300: return mstatus_;
    case 0x301: return misa;
    case 0x304: return mie_;
    case 0x305: return mtvec_;
    case 0x310: return 0;  // mstatush
    case 0x320: return 0;  // mcountinhibit: counting never stops
    case 0x340: return mscratch_;
    case 0x341: return mepc_;
    case 0x342: return mcause_;
    case 0x343: return mtval_;
    case 0x344: return mip_;
    case 0xb00:
    case 0xc00: return static_cast<std::uint32_t>(cycle);
    case 0xb80:
    case 0xc80: return static_cast<std::uint32_t>(cycle >> 32);
    case 0xc01: return static_cast<std::uint32_t>(now.cycles);  // time runs with the clock
    case 0xc81: return static_cast<std::uint32_t>(now.cycles >> 32);
    case 0xb02:
    case 0xc02: return static_cast<std::uint32_t>(instret);
    case 0xb82:
    case 0xc82: return static_cast<std::uint32_t>(instret >> 32);
    case 0xf11:  // mvendorid, marchid, mimpid: not given
    case 0xf12:
    case 0xf13: return 0;
    case 0xf14: return hart_;
    default: return std::nullopt;
    }
}

bool csr_file::write(unsigned number, std::uint32_t value, const counters& now) {
    const std::uint64_t cycle = now.cycles + cycle_offset_;
    const std::uint64_t instret = now.instructions + instruction_offset_;
    switch (number) {
    case 0x300: mstatus_ = (value & (mstatus_mie | mstatus_mpie)) | mstatus_mpp; return true;
    case 0x301:
    case 0x310:
    case 0x320:
    case 0x344: return true;  // fixed, or set from outside only
    case 0x304: mie_ = value & all_lines; return true;
    case 0x305: mtvec_ = value & ~2u; return true;  // direct or vectored
    case 0x340: mscratch_ = value; return true;
    case 0x341: mepc_ = value & ~1u; return true;
    case 0x342: mcause_ = value; return true;
    case 0x343: mtval_ = value; return true;
    case 0xb00: cycle_offset_ = with_low(cycle, value) - now.cycles; return true;
    case 0xb80: cycle_offset_ = with_high(cycle, value) - now.cycles; return true;
    case 0xb02: instruction_offset_ = with_low(instret, value) - now.instructions; return true;
    case 0xb82: instruction_offset_ = with_high(instret, value) - now.instructions; return true;
    default: return false;
    }
}

void csr_file::set_line(unsigned line, bool level) {
    const std::uint32_t bit = 1u << line & all_lines;
    mip_ = level ? mip_ | bit : mip_ & ~bit;
}

unsigned csr_file::first_of(std::uint32_t lines) {
    for (const unsigned line : {11u, 3u, 7u}) {
        if (lines >> line & 1) return line;
    }
    return static_cast<unsigned>(std::countr_zero(lines));
}

void csr_file::enter(std::uint32_t cause, std::uint32_t value, std::uint32_t pc) {
    mepc_ = pc;
    mcause_ = cause;
    mtval_ = value;
    mstatus_ = (mstatus_ & mstatus_mie ? mstatus_mpie : 0) | mstatus_mpp;
}

std::uint32_t csr_file::enter_interrupt(unsigned line, std::uint32_t pc) {
    enter(1u << 31 | line, 0, pc);
    return (mtvec_ & ~3u) + (mtvec_ & 1 ? 4 * line : 0);
}

std::uint32_t csr_file::enter_exception(unsigned cause, std::uint32_t value, std::uint32_t pc) {
    enter(cause, value, pc);
    return mtvec_ & ~3u;
}

std::uint32_t csr_file::leave_trap() {
    mstatus_ = (mstatus_ & mstatus_mpie ? mstatus_mie : 0) | mstatus_mpie | mstatus_mpp;
    return mepc_;
}

}  // namespace contraflow::iss
