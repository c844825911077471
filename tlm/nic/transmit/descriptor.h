// SPDX-License-Identifier: Apache-2.0
// The descriptors that the kernel driver writes into host memory, and the completions that the NIC writes back.
//
//   descriptor, 64 bytes, little-endian
//     0 kind   1 source space   2 process, 2 bytes   4 length, 4 bytes   8 source, 8 bytes   16 address, 8 bytes
//     24 tag, 2 bytes   26 target (x, y, z, 5 bits each)   28 flags, bit 0: notify   32 payload of a get request
//     all other bytes and bits zero
//   completion, 16 bytes
//     0 sequence, from 1   4 tag   6 status   8 length   12 zero
//
// A put from host memory is one packet: its source is a bus address, and its bytes are in one page of 4 KiB. The driver
// has cut, checked and translated the message. A put from GPU memory is a whole message: its source is a virtual
// address, which the NIC translates and cuts.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "nic/packet.h"
#include "nic/receive/receive_tables.h"

namespace contraflow::nic {

enum class transmit_status : std::uint8_t {
    done,            // all packets have left
    invalid,         // the descriptor breaks a rule above
    not_registered,  // no such GPU buffer, or no such GPU
    read_failed,     // a read over PCIe came back with an error
    timed_out        // a read was not answered in time
};

struct descriptor {
    static constexpr std::uint32_t size = 64;  // bytes

    packet_kind kind = packet_kind::put;
    memory_space space = memory_space::host;
    std::uint16_t process = 0;
    std::uint32_t length = 0;  // bytes
    std::uint64_t source = 0;
    std::uint64_t address = 0;  // virtual, at the target
    std::uint16_t tag = 0;
    bool notify = false;
    position target;
    std::array<std::uint8_t, get_request_payload> payload{};

    void encode(std::span<std::uint8_t, size> bytes) const;
    // None: it is not valid. The tag is set even then.
    static std::optional<descriptor> decode(std::span<const std::uint8_t, size> bytes);
    static std::uint16_t tag_of(std::span<const std::uint8_t, size> bytes);
};

// The payload of a get request: the target of its answer. The packet's own address is the source.
//   0 address, 8 bytes   8 length, 4 bytes   12 zero
struct get_payload {
    std::uint64_t to = 0;      // virtual, of the process that asks
    std::uint32_t length = 0;  // bytes

    void encode(std::span<std::uint8_t, get_request_payload> bytes) const;
    // None: it is not valid.
    static std::optional<get_payload> decode(std::span<const std::uint8_t, get_request_payload> bytes);
};

struct transmit_completion {
    static constexpr std::uint32_t size = 16;  // bytes

    std::uint32_t sequence = 0;
    std::uint16_t tag = 0;
    transmit_status status = transmit_status::done;
    std::uint32_t length = 0;

    void encode(std::span<std::uint8_t, size> bytes) const;
    static transmit_completion decode(std::span<const std::uint8_t, size> bytes);
};

}  // namespace contraflow::nic
