// SPDX-License-Identifier: Apache-2.0
// Physical addresses of the sockets: each has a contiguous range, the socket's number stands in the high bits.
#pragma once

#include <bit>
#include <cstdint>
#include <stdexcept>

#include "core/units.h"

namespace contraflow::memory {

class address_map {
public:
    // A range that isn't a power of two leaves a hole above it.
    address_map(unsigned sockets, core::bytes memory_per_socket)
        : sockets_(sockets),
          size_(memory_per_socket.count),
          shift_(static_cast<unsigned>(std::bit_width(memory_per_socket.count - 1))) {
        if (sockets == 0 || size_ < 2) throw std::invalid_argument("address_map: no sockets, or no memory");
    }

    unsigned sockets() const { return sockets_; }
    core::bytes memory_per_socket() const { return {size_}; }
    std::uint64_t base(unsigned socket) const { return std::uint64_t{socket} << shift_; }
    // Of an address that some socket has.
    unsigned socket_of(std::uint64_t address) const { return static_cast<unsigned>(address >> shift_); }
    std::uint64_t offset_of(std::uint64_t address) const { return address & ((std::uint64_t{1} << shift_) - 1); }
    bool contains(std::uint64_t address) const { return (address >> shift_) < sockets_ && offset_of(address) < size_; }

private:
    unsigned sockets_;
    std::uint64_t size_;
    unsigned shift_;
};

}  // namespace contraflow::memory
