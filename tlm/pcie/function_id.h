// SPDX-License-Identifier: Apache-2.0
// The identity of a function on a PCIe tree: bus, device and function, as in headers, and the segment (hierarchy). A
// machine has several segments if 256 buses do not suffice.
// Source: PCI Express Base Specification 3.0, 2.2.6.2 (transaction ID), 7.3.3 (configuration request routing).
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include <fmt/format.h>

namespace contraflow::pcie {

struct function_id {
    std::uint32_t value = 0;  // segment << 16 | bus << 8 | device << 3 | function

    static constexpr function_id of(unsigned segment, unsigned bus, unsigned device = 0, unsigned function = 0) {
        return {segment << 16 | bus << 8 | device << 3 | function};
    }
    constexpr unsigned segment() const { return value >> 16; }
    constexpr unsigned bus() const { return value >> 8 & 0xff; }
    constexpr unsigned device() const { return value >> 3 & 0x1f; }
    constexpr unsigned function() const { return value & 7; }
    friend constexpr auto operator<=>(function_id, function_id) = default;
};

// "0000:01:00.0"
inline std::string to_text(function_id id) {
    return fmt::format("{:04x}:{:02x}:{:02x}.{}", id.segment(), id.bus(), id.device(), id.function());
}

}  // namespace contraflow::pcie
