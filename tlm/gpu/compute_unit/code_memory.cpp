// SPDX-License-Identifier: Apache-2.0
#include "gpu/compute_unit/code_memory.h"

#include <cstring>

namespace contraflow::gpu {

code_memory::code_memory(const shader_array_spec& s, std::uint64_t begin)
    : begin_(begin),
      size_(s.region),
      kernel_(s.kernel_lines()) {}

std::uint64_t code_memory::place_of(const std::string& kernel) {
    const auto [place, is_new] = places_.try_emplace(kernel, 0);
    if (is_new) place->second = begin_ + (places_.size() - 1) % (size_.count / kernel_.count) * kernel_.count;
    return place->second;
}

std::uint64_t code_memory::word(std::uint64_t address) {
    std::uint64_t x = (address / sizeof(std::uint64_t) + 1) * 0x9e3779b97f4a7c15;
    x ^= x >> 32;
    return x * 0xd6e8feb86659fd93;
}

void code_memory::fill(std::uint64_t address, std::span<std::uint8_t> bytes) {
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
        const std::uint64_t w = word(address + at);
        std::memcpy(bytes.data() + at, &w, sizeof w);
    }
}

bool code_memory::is_right(std::uint64_t address, std::span<const std::uint8_t> bytes) {
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
        const std::uint64_t w = word(address + at);
        if (std::memcmp(bytes.data() + at, &w, sizeof w) != 0) return false;
    }
    return true;
}

}  // namespace contraflow::gpu
