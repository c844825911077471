// SPDX-License-Identifier: Apache-2.0
#include "gpu/kernel/flat_memory.h"

#include <cstring>

namespace contraflow::gpu {

std::uint64_t flat_memory::reserve(std::size_t bytes) {
    const std::uint64_t address = base + bytes_.size();
    bytes_.resize(bytes_.size() + (bytes + page - 1) / page * page);
    return address;
}

void flat_memory::write_bytes(std::uint64_t address, std::span<const std::byte> from) {
    check(address, from.size());
    if (!from.empty()) std::memcpy(at(address), from.data(), from.size());
}

void flat_memory::read_bytes(std::uint64_t address, std::span<std::byte> to) const {
    check(address, to.size());
    if (!to.empty()) std::memcpy(to.data(), bytes_.data() + (address - base), to.size());
}

void flat_memory::check(std::uint64_t address, std::size_t size) const {
    if (address < base || address - base > bytes_.size() || bytes_.size() - (address - base) < size)
        throw std::out_of_range(fmt::format("host access to {} bytes at {:#x}, which is not allocated", size, address));
}

}  // namespace contraflow::gpu
