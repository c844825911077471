// SPDX-License-Identifier: Apache-2.0
// What may go wrong on one link direction.
#pragma once

#include <cstdint>

namespace contraflow::pcie {

class fault_if {
public:
    virtual ~fault_if() = default;
    // Asked once for each transmission, replays included; true: its CRC will not match at the other end.
    virtual bool corrupts_tlp(std::uint32_t wire_bytes) = 0;
    virtual bool corrupts_dllp(std::uint32_t wire_bytes) = 0;
};

}  // namespace contraflow::pcie
