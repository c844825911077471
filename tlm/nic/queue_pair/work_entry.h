// SPDX-License-Identifier: Apache-2.0
// What software and the NIC write into a queue pair's rings: entries of the send queue, and completions. Numbers have
// their lowest byte first. Software on a GPU or CPU writes an entry with plain stores of 8 bytes.
//
//   work entry, 64 bytes
//     0      opcode: 1 write, 2 read, 3 fetch_add, 4 compare_swap     1   flags: 1 signalled, 2 fence, 4 inline
//     2:3    bytes of inline data              4:7   number of the entry, which says that it is ready
//     8:15   software's own
//     16:23  remote address                    24:27 remote key       28:31 software's own
//     32:39  local address                     40:43 local key        44:47 length in bytes
//            or up to 32 bytes of inline data, which reach to the end of the entry
//     48:55  operand of an atomic: what is added, or the new value    56:63 compare value
//
//   completion, 64 bytes
//     0      status     1   opcode     2   phase: 1 in the first pass over the ring, 0 in the next, and so on
//     4:7    number of the entry       8:11  bytes     12:15 queue pair     the rest is zero
//
// Entries are numbered from 1, modulo 2^32; entry n is at place (n - 1) modulo the size of the ring, and so is the n-th
// completion. All that says whether a completion is there and what it says is in its first 8 bytes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace contraflow::nic {

inline constexpr std::uint32_t work_entry_bytes = 64, queue_completion_bytes = 64;
inline constexpr std::uint32_t longest_inline = 32;
inline constexpr std::uint32_t atomic_bytes = 8;

enum class work_opcode : std::uint8_t { write = 1, read, fetch_add, compare_swap };
constexpr bool is_atomic(work_opcode o) { return o == work_opcode::fetch_add || o == work_opcode::compare_swap; }
// What comes back to the requester carries data.
constexpr bool has_answer(work_opcode o) { return o != work_opcode::write; }

enum class work_status : std::uint8_t {
    done,
    bad_entry,         // it was not ready, or is none
    local_access,      // no such key, or not all bytes are in its region, or the region may not be used like this
    local_memory,      // PCIe has answered a read of its data with an error
    remote_access,     // as local_access, at the other end
    remote_memory,     // as local_memory, at the other end
    remote_request,    // the other end does not understand the request
    retries_exceeded,  // the other end does not answer
    flushed            // an earlier entry has failed, or the queue pair has
};
inline constexpr std::array<std::string_view, 9> work_status_names{
    "done",          "bad entry",      "local access",     "local memory", "remote access",
    "remote memory", "remote request", "retries exceeded", "flushed"};
constexpr std::string_view to_text(work_status s) { return work_status_names[static_cast<std::size_t>(s)]; }

struct work_entry {
    work_opcode opcode = work_opcode::write;
    bool signalled = false;    // a completion is written; one that has failed has a completion in any case
    bool fence = false;        // begins when all earlier reads and atomics of the queue are complete
    bool inline_data = false;  // a write whose data is in the entry
    std::uint32_t number = 0;
    std::uint64_t remote_address = 0, local_address = 0;
    std::uint32_t remote_key = 0, local_key = 0;
    std::uint32_t length = 0;  // bytes, inline or not; for an atomic: 8, those of the old value
    std::array<std::uint8_t, longest_inline> data{};
    std::uint64_t operand = 0, compare = 0;

    void encode(std::span<std::uint8_t, work_entry_bytes> to) const;
    // None: it is no entry, whatever its number.
    static std::optional<work_entry> decode(std::span<const std::uint8_t, work_entry_bytes> from);
    static std::uint32_t number_of(std::span<const std::uint8_t, work_entry_bytes> from);
};

struct queue_completion {
    work_status status = work_status::done;
    std::uint8_t opcode = 0;  // 0: that of the entry is not known
    bool phase = false;
    std::uint32_t number = 0;  // of the entry
    std::uint32_t bytes = 0;
    std::uint32_t queue = 0;

    void encode(std::span<std::uint8_t, queue_completion_bytes> to) const;
    static queue_completion decode(std::span<const std::uint8_t, queue_completion_bytes> from);
    // Of the n-th completion, counted from 1, in a ring of that size.
    static bool phase_of(std::uint32_t number, std::uint32_t entries) { return ((number - 1) / entries) % 2 == 0; }
};

}  // namespace contraflow::nic
