// SPDX-License-Identifier: Apache-2.0
// Access to physical memory that takes no time, changes no cache and sees the newest bytes (transport_dbg).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace contraflow::memory {

class physical_memory_if {
public:
    virtual ~physical_memory_if() = default;
    virtual void debug_write(std::uint64_t physical, std::span<const std::byte> from) = 0;
    virtual void debug_read(std::uint64_t physical, std::span<std::byte> to) const = 0;
};

}  // namespace contraflow::memory
