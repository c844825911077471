// SPDX-License-Identifier: Apache-2.0
#include "pcie/dma/stream.h"

#include "core/little_endian.h"
#include "core/random.h"

namespace contraflow::pcie {
namespace {

// Neighbouring words are unrelated, so a shifted or swapped byte is detected.
std::uint64_t word(std::uint64_t key, std::uint64_t number) { return core::mix64(key + number * core::golden_gamma); }

std::uint8_t byte_at(std::uint64_t key, std::uint64_t position) {
    return core::byte_of(word(key, position / 8), position % 8);
}

}  // namespace

void fill_payload(std::uint64_t key, std::uint64_t offset, std::uint8_t* data, std::uint32_t length) {
    std::uint32_t i = 0;
    for (; i < length && (offset + i) % 8 != 0; ++i) data[i] = byte_at(key, offset + i);
    for (; i + 8 <= length; i += 8) core::store_le<std::uint64_t>(data + i, word(key, (offset + i) / 8));
    for (; i < length; ++i) data[i] = byte_at(key, offset + i);
}

std::uint32_t count_wrong(std::uint64_t key, std::uint64_t offset, const std::uint8_t* data, std::uint32_t length) {
    std::uint32_t wrong = 0;
    std::uint32_t i = 0;
    for (; i < length && (offset + i) % 8 != 0; ++i) wrong += data[i] != byte_at(key, offset + i) ? 1u : 0u;
    for (; i + 8 <= length; i += 8) {
        const std::uint64_t w = word(key, (offset + i) / 8);
        if (core::load_le<std::uint64_t>(data + i) == w) continue;
        for (std::uint32_t k = i; k < i + 8; ++k) wrong += data[k] != byte_at(key, offset + k) ? 1u : 0u;
    }
    for (; i < length; ++i) wrong += data[i] != byte_at(key, offset + i) ? 1u : 0u;
    return wrong;
}

}  // namespace contraflow::pcie
