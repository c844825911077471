// SPDX-License-Identifier: Apache-2.0
// The parts of a register map, by name: registers of 32 bits and their fields. scripts/generate-registers writes the
// maps themselves.
#pragma once

#include <cstdint>
#include <string_view>

namespace contraflow::core {

enum class register_access : std::uint8_t {
    rw,     // read, write
    ro,     // read only
    wo,     // write only
    w1c,    // a written 1 clears
    clear,  // a write clears
};

struct register_field {
    std::uint8_t offset;  // offset of the register, in bytes
    std::uint8_t lsb;
    std::uint8_t width;
    std::uint32_t reset;
    std::string_view name;
    std::uint32_t least = 0;  // that may be written
    constexpr std::uint32_t mask() const { return static_cast<std::uint32_t>(((1ull << width) - 1) << lsb); }
    constexpr std::uint32_t of(std::uint32_t word) const { return (word & mask()) >> lsb; }
    constexpr std::uint32_t in_place(std::uint32_t value) const { return (value << lsb) & mask(); }
};

struct mapped_register {
    std::uint8_t offset;  // in bytes
    register_access how;
    std::uint32_t reset;
    std::string_view name;
};

}  // namespace contraflow::core
