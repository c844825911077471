// SPDX-License-Identifier: Apache-2.0
// The control and status registers of a core with machine mode only, and the effect of traps on them. Source: The
// RISC-V Instruction Set Manual, Volume II, version 20211203, chapters 2 and 3.
#pragma once

#include <cstdint>
#include <optional>

namespace contraflow::iss {

// Bits of mie and mip; an interrupt's cause has its number.
enum class interrupt_line : std::uint8_t { software = 3, timer = 7, external = 11, local = 16 };  // local: 16 to 31

class csr_file {
public:
    struct counters {  // at the beginning of the instruction that reads them
        std::uint64_t cycles = 0;
        std::uint64_t instructions = 0;
    };

    explicit csr_file(unsigned hart) : hart_(hart) {}

    // None if there is no such register or it cannot be written.
    std::optional<std::uint32_t> read(unsigned number, const counters& now) const;
    bool write(unsigned number, std::uint32_t value, const counters& now);

    void set_line(unsigned line, bool level);
    std::uint32_t lines() const { return mip_; }
    // The lines that wake the core while they are high, and those that interrupt it.
    std::uint32_t waking_lines() const { return mie_; }
    std::uint32_t interrupting_lines() const { return mstatus_ & mstatus_mie ? mie_ : 0; }
    // The line that is served first: external, software, timer, then the local ones by number.
    static unsigned first_of(std::uint32_t lines);

    // Each returns the address at which the core continues.
    std::uint32_t enter_interrupt(unsigned line, std::uint32_t pc);
    std::uint32_t enter_exception(unsigned cause, std::uint32_t value, std::uint32_t pc);
    std::uint32_t leave_trap();
    bool has_handler() const { return mtvec_ != 0; }
    void reset() { *this = csr_file(hart_, mip_); }

private:
    static constexpr std::uint32_t mstatus_mie = 1u << 3;
    static constexpr std::uint32_t mstatus_mpie = 1u << 7;
    static constexpr std::uint32_t mstatus_mpp = 3u << 11;  // machine mode is the only one

    csr_file(unsigned hart, std::uint32_t lines) : hart_(hart), mip_(lines) {}  // levels survive a reset
    void enter(std::uint32_t cause, std::uint32_t value, std::uint32_t pc);

    unsigned hart_;
    std::uint32_t mip_ = 0;
    std::uint32_t mstatus_ = mstatus_mpp;
    std::uint32_t mie_ = 0;
    std::uint32_t mtvec_ = 0;
    std::uint32_t mscratch_ = 0;
    std::uint32_t mepc_ = 0;
    std::uint32_t mcause_ = 0;
    std::uint32_t mtval_ = 0;
    std::uint64_t cycle_offset_ = 0;  // set by writes to mcycle and minstret
    std::uint64_t instruction_offset_ = 0;
};

}  // namespace contraflow::iss
