// SPDX-License-Identifier: Apache-2.0
// A copy for a DMA engine: bytes that are contiguous at both ends. One end may be the host's memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/kernel/work_part.h"

namespace contraflow::gpu {

enum class copy_kind : std::uint8_t { to_device, from_device, within };

// Bytes of the host: where they are, and, if they are pinned for PCIe, their address on the bus.
struct host_bytes {
    std::byte* data = nullptr;
    std::uint64_t bus = 0;
};

class copy_part : public work_part {
public:
    copy_part(copy_kind kind, std::uint64_t from, std::uint64_t to, host_bytes host, std::uint64_t bytes)
        : kind(kind),
          from(from),
          to(to),
          host(host),
          bytes(bytes) {}

    const copy_kind kind;
    const std::uint64_t from, to;  // physical addresses; the one at the host's end is ignored
    const host_bytes host;         // only read by a copy to the device; must stay until end()
    const std::uint64_t bytes;     // at least one

protected:
    ~copy_part() = default;
};

}  // namespace contraflow::gpu
