// SPDX-License-Identifier: Apache-2.0
// Faults on one link direction, and in a switch, from the fabric's plan of faults, which is in a folder above this one.
#pragma once

#include <cstdint>
#include <optional>

namespace contraflow::pcie {

class fault_if {
public:
    virtual ~fault_if() = default;
    // Called once for each transmission, replays included. True: its CRC will not match at the other end.
    virtual bool corrupts_tlp(std::uint32_t wire_bytes) = 0;
    virtual bool corrupts_dllp(std::uint32_t wire_bytes) = 0;
};

// Faults in a switch's buffer, where no link CRC protects data.
class buffer_fault_if {
public:
    virtual ~buffer_fault_if() = default;
    // Called once for each TLP with data that leaves. Returns the changed byte, if there is one.
    virtual std::optional<std::uint32_t> flips_byte_of(std::uint32_t payload) = 0;
};

}  // namespace contraflow::pcie
