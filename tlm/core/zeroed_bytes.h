// SPDX-License-Identifier: Apache-2.0
// Bytes of a modelled memory, zero at first. What nobody touches takes neither time nor room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/host_memory.h"

namespace contraflow::core {

class zeroed_bytes {
public:
    explicit zeroed_bytes(std::size_t size)
        : memory_(host_memory::size_of<std::uint8_t>(size)),
          bytes_(memory_.take<std::uint8_t>(size), size) {}

    std::span<std::uint8_t> all() { return bytes_; }
    std::span<const std::uint8_t> all() const { return bytes_; }
    std::size_t size() const { return bytes_.size(); }

private:
    host_memory memory_;
    std::span<std::uint8_t> bytes_;
};

}  // namespace contraflow::core
