// SPDX-License-Identifier: Apache-2.0
// The registers by which another device reads and writes a GPU's memory peer to peer. Each such device, a requester,
// has its own page of registers in the GPU's BAR 0 and a window of 64 KiB in the GPU's BAR 1.
//
//   register        8 bytes each, written whole
//   read_request    39:7 address of a line in GPU memory, 55:40 place of the answer in the requester's own answer
//                   window, in lines; all other bits zero. The answer: the line's 128 bytes as posted writes of 64.
//   answer_base     bus address of the requester's answer window; 0 closes it
//   answer_size     its bytes
//   window          63:16 page of GPU memory, 15:1 its token, 0 valid: moves the write window there. 0 closes it.
//   refused         read: 31:0 read requests, 63:32 writes behind the window that were refused
//
// The GPU's driver has registers of the GPU's own DMA engine, in the first requester's page:
//   copy_report     bus address of a word of 8 bytes that counts commands that have ended
//   copy_host       bus address in the host's memory
//   copy_gpu        address in GPU memory
//   copy_start      31:0 bytes, 32 to the host (else from it), 33 tell: write the count, then interrupt
#pragma once

#include <cstdint>
#include <optional>

namespace contraflow::gpu {

inline constexpr std::uint32_t peer_line = 128;         // bytes of a read request's data
inline constexpr std::uint32_t peer_answer = 64;        // bytes of each write of an answer
inline constexpr std::uint32_t peer_page = 64 << 10;    // bytes of memory behind a window
inline constexpr std::uint32_t peer_registers = 4096;   // bytes of a requester's page of registers
inline constexpr std::uint32_t peer_register_size = 8;  // bytes

enum class peer_register : std::uint32_t {
    read_request = 0,
    answer_base = 8,
    answer_size = 16,
    window = 24,
    refused = 32,
    copy_report = 40,
    copy_host = 48,
    copy_gpu = 56,
    copy_start = 64
};

struct peer_read_request {
    std::uint64_t address = 0;    // in GPU memory, a multiple of a line, below 2^40
    std::uint32_t answer_at = 0;  // in the answer window, in lines, below 2^16

    constexpr std::uint64_t encode() const { return address | std::uint64_t{answer_at} << 40; }
    static constexpr std::optional<peer_read_request> decode(std::uint64_t word) {
        if (word % peer_line != 0 || word >> 56 != 0) return std::nullopt;
        return peer_read_request{word & ((1ull << 40) - 1), static_cast<std::uint32_t>(word >> 40)};
    }
};

struct peer_copy {
    std::uint32_t length = 0;  // bytes
    bool to_host = false, tell = false;

    constexpr std::uint64_t encode() const { return length | std::uint64_t{to_host} << 32 | std::uint64_t{tell} << 33; }
    static constexpr peer_copy decode(std::uint64_t word) {
        return {static_cast<std::uint32_t>(word), (word >> 32 & 1) != 0, (word >> 33 & 1) != 0};
    }
};

struct peer_window {
    std::uint64_t page = 0;   // address in GPU memory, a multiple of a page
    std::uint16_t token = 0;  // the page's token, 15 bits
    bool open = true;

    constexpr std::uint64_t encode() const { return open ? page | std::uint64_t{token} << 1 | 1 : 0; }
    static constexpr peer_window decode(std::uint64_t word) {
        return {word & ~0xffffull, static_cast<std::uint16_t>(word >> 1 & 0x7fff), (word & 1) != 0};
    }
};

}  // namespace contraflow::gpu
