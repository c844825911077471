// SPDX-License-Identifier: Apache-2.0
// Physical addresses of the sockets. Each has a contiguous range with a number in the high bits: the socket's number,
// or that of its GPU. Ranges below the first socket's belong to others (number 0: the host).
#pragma once

#include <bit>
#include <cstdint>
#include <stdexcept>

#include "core/units.h"

namespace contraflow::memory {

class address_map {
public:
    // A range that isn't a power of two leaves a hole above it. `first`: number of the first socket's range. `kept`:
    // the end of each memory, in which no pages lie.
    address_map(unsigned sockets, core::bytes memory_per_socket, unsigned first = 0, core::bytes kept = {})
        : sockets_(sockets),
          first_(first),
          size_(memory_per_socket.count),
          for_pages_(memory_per_socket.count - kept.count),
          shift_(static_cast<unsigned>(std::bit_width(memory_per_socket.count - 1))) {
        if (sockets == 0 || size_ < 2) throw std::invalid_argument("address_map: no sockets, or no memory");
        if (kept > memory_per_socket) throw std::invalid_argument("address_map: more is kept than there is");
    }

    unsigned sockets() const { return sockets_; }
    unsigned first() const { return first_; }
    core::bytes memory_per_socket() const { return {size_}; }
    core::bytes memory_for_pages() const { return {for_pages_}; }
    std::uint64_t base(unsigned socket) const { return (std::uint64_t{first_} + socket) << shift_; }
    // The address must belong to a socket.
    unsigned socket_of(std::uint64_t address) const { return static_cast<unsigned>(address >> shift_) - first_; }
    std::uint64_t offset_of(std::uint64_t address) const { return address & ((std::uint64_t{1} << shift_) - 1); }
    bool contains(std::uint64_t address) const {
        return (address >> shift_) - first_ < sockets_ && offset_of(address) < size_;
    }

private:
    unsigned sockets_;
    unsigned first_;
    std::uint64_t size_;
    std::uint64_t for_pages_;
    unsigned shift_;
};

}  // namespace contraflow::memory
