// SPDX-License-Identifier: Apache-2.0
// What crosses PCIe between a driver and a GPU: a command packet, written into a slot of the GPU's BAR 1, and a
// doorbell behind it; back comes a record in the host's memory, and an interrupt behind it.
//
//   driver --[packet in slot n, doorbell n]--> GPU ... GPU --[record n, interrupt]--> driver
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "core/units.h"

namespace contraflow::gpu {

// The slots of a GPU: commands that it has been given and that have not ended.
inline constexpr unsigned command_slots = 64;
inline constexpr std::uint64_t command_slot_bytes = 64;
inline constexpr std::uint64_t doorbell_offset = command_slots * command_slot_bytes;  // in BAR 1
inline constexpr core::bytes command_bar{2 * doorbell_offset};

enum class command_kind : std::uint32_t { to_device, from_device, within, launch };

struct host_command {
    command_kind kind = command_kind::launch;
    std::uint32_t sequence = 0;      // given by the host
    std::uint64_t from = 0, to = 0;  // physical addresses; of a launch: the first workgroup, and the one after the last
    std::uint64_t host = 0;          // bus address of the bytes in the host's memory
    std::uint64_t bytes = 0;

    using packet = std::array<std::uint8_t, 40>;
    packet encode() const {
        packet p;
        std::memcpy(p.data(), this, p.size());
        return p;
    }
    static host_command decode(const std::uint8_t* from) {
        host_command c;
        std::memcpy(&c, from, sizeof c);
        return c;
    }
};
static_assert(sizeof(host_command) == sizeof(host_command::packet));

// The sequence number of the command that has ended.
using host_record = std::uint64_t;

}  // namespace contraflow::gpu
