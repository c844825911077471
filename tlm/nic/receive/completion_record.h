// SPDX-License-Identifier: Apache-2.0
// The 32 bytes that a completion writes into its ring. `sequence` counts a ring's completions from 1, so that the host
// recognises a new one.
#pragma once

#include <cstdint>
#include <span>

#include "nic/packet.h"

namespace contraflow::nic {

struct completion_record {
    std::uint32_t sequence = 0;
    std::uint16_t process = 0;
    std::uint16_t tag = 0;
    position source;
    std::uint32_t length = 0;   // bytes
    std::uint64_t address = 0;  // virtual
    bool refused = false;       // a GPU has refused data of this message, or of one next to it

    static constexpr std::uint32_t size = 32, refused_at = 11;  // bytes
    static completion_record decode(std::span<const std::uint8_t, size> bytes);
    void encode(std::span<std::uint8_t, size> bytes) const;
};

}  // namespace contraflow::nic
