// SPDX-License-Identifier: Apache-2.0
#include "nic/transmit/descriptor.h"

#include <algorithm>

#include "core/little_endian.h"

namespace contraflow::nic {
namespace {

constexpr unsigned position_bits = 5;
constexpr std::uint64_t position_mask = (1u << position_bits) - 1;

bool zero(std::span<const std::uint8_t> bytes) {
    return std::ranges::all_of(bytes, [](std::uint8_t b) { return b == 0; });
}

}  // namespace

void descriptor::encode(std::span<std::uint8_t, size> bytes) const {
    std::ranges::fill(bytes, std::uint8_t{0});
    bytes[0] = static_cast<std::uint8_t>(kind);
    bytes[1] = static_cast<std::uint8_t>(space);
    core::store_le<std::uint16_t>(&bytes[2], process);
    core::store_le<std::uint32_t>(&bytes[4], length);
    core::store_le<std::uint64_t>(&bytes[8], source);
    core::store_le<std::uint64_t>(&bytes[16], address);
    core::store_le<std::uint16_t>(&bytes[24], tag);
    core::store_le<std::uint16_t>(
        &bytes[26], static_cast<std::uint16_t>(target.x | target.y << position_bits | target.z << 2 * position_bits));
    bytes[28] = notify ? 1 : 0;
    std::ranges::copy(payload, bytes.begin() + 32);
}

std::uint16_t descriptor::tag_of(std::span<const std::uint8_t, size> bytes) {
    return core::load_le<std::uint16_t>(&bytes[24]);
}

std::optional<descriptor> descriptor::decode(std::span<const std::uint8_t, size> bytes) {
    descriptor d;
    d.kind = static_cast<packet_kind>(bytes[0]);
    d.space = static_cast<memory_space>(bytes[1]);
    d.process = core::load_le<std::uint16_t>(&bytes[2]);
    d.length = core::load_le<std::uint32_t>(&bytes[4]);
    d.source = core::load_le<std::uint64_t>(&bytes[8]);
    d.address = core::load_le<std::uint64_t>(&bytes[16]);
    d.tag = tag_of(bytes);
    const std::uint64_t target = core::load_le<std::uint16_t>(&bytes[26]);
    d.target = {static_cast<std::uint8_t>(target & position_mask),
                static_cast<std::uint8_t>(target >> position_bits & position_mask),
                static_cast<std::uint8_t>(target >> 2 * position_bits & position_mask)};
    d.notify = (bytes[28] & 1) != 0;
    std::copy_n(bytes.begin() + 32, d.payload.size(), d.payload.begin());

    const bool padded =
        target >> 3 * position_bits == 0 && bytes[28] <= 1 && zero(bytes.subspan(29, 3)) && zero(bytes.subspan(48, 16));
    const bool known = bytes[0] <= static_cast<std::uint8_t>(packet_kind::get_request) && bytes[1] <= most_gpus;
    if (!padded || !known || d.tag >= 1u << 12 || d.address >= address_space || d.length > address_space - d.address)
        return std::nullopt;
    if (d.kind == packet_kind::get_request)
        return d.length == get_request_payload && d.space == memory_space::host && d.source == 0 ? std::optional(d)
                                                                                                 : std::nullopt;
    if (d.length == 0 || !zero(d.payload)) return std::nullopt;
    if (d.space == memory_space::host && d.source % most_payload + d.length > most_payload) return std::nullopt;
    if (d.source + d.length < d.source) return std::nullopt;
    return d;
}

void get_payload::encode(std::span<std::uint8_t, get_request_payload> bytes) const {
    core::store_le<std::uint64_t>(&bytes[0], to);
    core::store_le<std::uint32_t>(&bytes[8], length);
    core::store_le<std::uint32_t>(&bytes[12], 0);
}

std::optional<get_payload> get_payload::decode(std::span<const std::uint8_t, get_request_payload> bytes) {
    const get_payload g{core::load_le<std::uint64_t>(&bytes[0]), core::load_le<std::uint32_t>(&bytes[8])};
    if (!zero(bytes.subspan(12)) || g.length == 0 || g.to >= address_space || g.length > address_space - g.to)
        return std::nullopt;
    return g;
}

void transmit_completion::encode(std::span<std::uint8_t, size> bytes) const {
    std::ranges::fill(bytes, std::uint8_t{0});
    core::store_le<std::uint32_t>(&bytes[0], sequence);
    core::store_le<std::uint16_t>(&bytes[4], tag);
    bytes[6] = static_cast<std::uint8_t>(status);
    core::store_le<std::uint32_t>(&bytes[8], length);
}

transmit_completion transmit_completion::decode(std::span<const std::uint8_t, size> bytes) {
    return {core::load_le<std::uint32_t>(&bytes[0]), core::load_le<std::uint16_t>(&bytes[4]),
            static_cast<transmit_status>(bytes[6]), core::load_le<std::uint32_t>(&bytes[8])};
}

}  // namespace contraflow::nic
