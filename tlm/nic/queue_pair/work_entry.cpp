// SPDX-License-Identifier: Apache-2.0
#include "nic/queue_pair/work_entry.h"

#include <algorithm>

#include "core/little_endian.h"

namespace contraflow::nic {
namespace {

constexpr std::uint8_t signalled_flag = 1, fence_flag = 2, inline_flag = 4;

}  // namespace

void work_entry::encode(std::span<std::uint8_t, work_entry_bytes> to) const {
    std::ranges::fill(to, std::uint8_t{0});
    to[0] = static_cast<std::uint8_t>(opcode);
    to[1] = static_cast<std::uint8_t>((signalled ? signalled_flag : 0) | (fence ? fence_flag : 0) |
                                      (inline_data ? inline_flag : 0));
    core::store_le<std::uint32_t>(to.data() + 4, number);
    core::store_le<std::uint64_t>(to.data() + 16, remote_address);
    core::store_le<std::uint32_t>(to.data() + 24, remote_key);
    if (inline_data) {
        core::store_le<std::uint16_t>(to.data() + 2, static_cast<std::uint16_t>(length));
        std::copy_n(data.begin(), length, to.begin() + 32);
        return;
    }
    core::store_le<std::uint64_t>(to.data() + 32, local_address);
    core::store_le<std::uint32_t>(to.data() + 40, local_key);
    core::store_le<std::uint32_t>(to.data() + 44, length);
    core::store_le<std::uint64_t>(to.data() + 48, operand);
    core::store_le<std::uint64_t>(to.data() + 56, compare);
}

std::uint32_t work_entry::number_of(std::span<const std::uint8_t, work_entry_bytes> from) {
    return core::load_le<std::uint32_t>(from.data() + 4);
}

std::optional<work_entry> work_entry::decode(std::span<const std::uint8_t, work_entry_bytes> from) {
    work_entry e;
    if (from[0] < static_cast<std::uint8_t>(work_opcode::write) ||
        from[0] > static_cast<std::uint8_t>(work_opcode::compare_swap) || from[1] > 7)
        return std::nullopt;
    e.opcode = static_cast<work_opcode>(from[0]);
    e.signalled = (from[1] & signalled_flag) != 0;
    e.fence = (from[1] & fence_flag) != 0;
    e.inline_data = (from[1] & inline_flag) != 0;
    e.number = number_of(from);
    e.remote_address = core::load_le<std::uint64_t>(from.data() + 16);
    e.remote_key = core::load_le<std::uint32_t>(from.data() + 24);
    if (e.inline_data) {
        e.length = core::load_le<std::uint16_t>(from.data() + 2);
        if (e.opcode != work_opcode::write || e.length > longest_inline) return std::nullopt;
        std::copy_n(from.begin() + 32, e.length, e.data.begin());
        return e;
    }
    e.local_address = core::load_le<std::uint64_t>(from.data() + 32);
    e.local_key = core::load_le<std::uint32_t>(from.data() + 40);
    e.length = core::load_le<std::uint32_t>(from.data() + 44);
    e.operand = core::load_le<std::uint64_t>(from.data() + 48);
    e.compare = core::load_le<std::uint64_t>(from.data() + 56);
    if (is_atomic(e.opcode) && e.length != atomic_bytes) return std::nullopt;
    return e;
}

void queue_completion::encode(std::span<std::uint8_t, queue_completion_bytes> to) const {
    std::ranges::fill(to, std::uint8_t{0});
    to[0] = static_cast<std::uint8_t>(status);
    to[1] = opcode;
    to[2] = phase ? 1 : 0;
    core::store_le<std::uint32_t>(to.data() + 4, number);
    core::store_le<std::uint32_t>(to.data() + 8, bytes);
    core::store_le<std::uint32_t>(to.data() + 12, queue);
}

queue_completion queue_completion::decode(std::span<const std::uint8_t, queue_completion_bytes> from) {
    return {static_cast<work_status>(from[0]),
            from[1],
            (from[2] & 1) != 0,
            core::load_le<std::uint32_t>(from.data() + 4),
            core::load_le<std::uint32_t>(from.data() + 8),
            core::load_le<std::uint32_t>(from.data() + 12)};
}

}  // namespace contraflow::nic
