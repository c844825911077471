// SPDX-License-Identifier: Apache-2.0
// What a DMA engine is given to move: bytes that are contiguous at both ends. One end may be the host's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <utility>

namespace contraflow::gpu {

enum class copy_kind : std::uint8_t { to_device, from_device, within };

class copy_part {
public:
    copy_part(copy_kind kind, std::uint64_t from, std::uint64_t to, std::byte* host, std::uint64_t bytes)
        : kind(kind),
          from(from),
          to(to),
          host(host),
          bytes(bytes) {}
    copy_part(const copy_part&) = delete;
    copy_part& operator=(const copy_part&) = delete;

    void fail(std::exception_ptr why) {
        if (!error) error = std::move(why);
    }
    // All has arrived, and the engine has forgotten it.
    virtual void end() = 0;

    const copy_kind kind;
    const std::uint64_t from, to;  // physical addresses; what is the host's end means nothing
    std::byte* const host;         // only read by a copy to the device; stays until end()
    const std::uint64_t bytes;     // at least one
    std::exception_ptr error;      // the first thing that went wrong

protected:
    ~copy_part() = default;
};

}  // namespace contraflow::gpu
