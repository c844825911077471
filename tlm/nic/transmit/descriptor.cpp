// SPDX-License-Identifier: Apache-2.0
#include "nic/transmit/descriptor.h"

#include <algorithm>

#include "nic/little_endian.h"

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
    store(&bytes[2], process, 2);
    store(&bytes[4], length, 4);
    store(&bytes[8], source, 8);
    store(&bytes[16], address, 8);
    store(&bytes[24], tag, 2);
    store(&bytes[26], target.x | target.y << position_bits | target.z << 2 * position_bits, 2);
    bytes[28] = notify ? 1 : 0;
    std::ranges::copy(payload, bytes.begin() + 32);
}

std::uint16_t descriptor::tag_of(std::span<const std::uint8_t, size> bytes) {
    return static_cast<std::uint16_t>(load(&bytes[24], 2));
}

std::optional<descriptor> descriptor::decode(std::span<const std::uint8_t, size> bytes) {
    descriptor d;
    d.kind = static_cast<packet_kind>(bytes[0]);
    d.space = static_cast<memory_space>(bytes[1]);
    d.process = static_cast<std::uint16_t>(load(&bytes[2], 2));
    d.length = static_cast<std::uint32_t>(load(&bytes[4], 4));
    d.source = load(&bytes[8], 8);
    d.address = load(&bytes[16], 8);
    d.tag = tag_of(bytes);
    const std::uint64_t target = load(&bytes[26], 2);
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
    store(&bytes[0], to, 8);
    store(&bytes[8], length, 4);
    store(&bytes[12], 0, 4);
}

std::optional<get_payload> get_payload::decode(std::span<const std::uint8_t, get_request_payload> bytes) {
    const get_payload g{load(&bytes[0], 8), static_cast<std::uint32_t>(load(&bytes[8], 4))};
    if (!zero(bytes.subspan(12)) || g.length == 0 || g.to >= address_space || g.length > address_space - g.to)
        return std::nullopt;
    return g;
}

void transmit_completion::encode(std::span<std::uint8_t, size> bytes) const {
    std::ranges::fill(bytes, std::uint8_t{0});
    store(&bytes[0], sequence, 4);
    store(&bytes[4], tag, 2);
    bytes[6] = static_cast<std::uint8_t>(status);
    store(&bytes[8], length, 4);
}

transmit_completion transmit_completion::decode(std::span<const std::uint8_t, size> bytes) {
    return {static_cast<std::uint32_t>(load(&bytes[0], 4)), static_cast<std::uint16_t>(load(&bytes[4], 2)),
            static_cast<transmit_status>(bytes[6]), static_cast<std::uint32_t>(load(&bytes[8], 4))};
}

}  // namespace contraflow::nic
