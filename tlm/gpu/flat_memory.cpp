// SPDX-License-Identifier: Apache-2.0
#include "gpu/flat_memory.h"

#include <algorithm>

namespace contraflow::gpu {

std::uint64_t flat_memory::reserve(std::size_t bytes) {
    const std::uint64_t address = base + bytes_.size();
    bytes_.resize(bytes_.size() + (bytes + page - 1) / page * page);
    return address;
}

void flat_memory::write_bytes(std::uint64_t address, std::span<const std::byte> from) {
    check(address, from.size());
    std::copy(from.begin(), from.end(), at(address));
}

void flat_memory::read_bytes(std::uint64_t address, std::span<std::byte> to) const {
    check(address, to.size());
    std::copy_n(bytes_.data() + (address - base), to.size(), to.begin());
}

void flat_memory::check(std::uint64_t address, std::size_t size) const {
    if (address < base || address - base > bytes_.size() || bytes_.size() - (address - base) < size)
        throw std::out_of_range(fmt::format("host access to {} bytes at {:#x}, which is not allocated", size, address));
}

}  // namespace contraflow::gpu
