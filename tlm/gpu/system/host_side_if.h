// SPDX-License-Identifier: Apache-2.0
// The host's memory at a DMA engine: the pipe of a host link without packets, or PCIe.
#pragma once

#include <cstdint>

#include "core/units.h"
#include "core/waiting.h"
#include "gpu/system/copy_part.h"

namespace contraflow::gpu {

// A copy from or to the host that an engine is carrying out.
struct host_transfer {
    copy_part* part = nullptr;
    std::uint32_t number = 0;  // given by the engine
    core::sim_time begun{};
};

// Copies are begun in order, and each one's bytes are asked for in order; bytes to the host come in any order.
class host_side_if : public core::waiter_if {
public:
    virtual ~host_side_if() = default;
    virtual void begin(const host_transfer& t) = 0;
    // How many bytes from that offset on may be asked for together.
    virtual std::uint64_t reach(const host_transfer& t, std::uint64_t offset) const = 0;
    // Whether those bytes from the host are here, or there is room for those to the host. If not, host_ready() tells.
    virtual bool ready(const host_transfer& t, std::uint64_t offset, unsigned length) = 0;
    virtual void take(const host_transfer& t, std::uint64_t offset, std::uint8_t* to, unsigned length) = 0;
    virtual void put(const host_transfer& t, std::uint64_t offset, const std::uint8_t* from, unsigned length) = 0;
    // The last byte of a copy to the host was put; host_has() follows.
    virtual void all_put(const host_transfer& t) = 0;
    virtual void reset() = 0;
};

// An interface, because a callback has no room for a number and a time.
class host_side_user_if {
public:
    virtual void host_ready(core::sim_time when) = 0;
    // From that time on, whatever the GPU sends to the host arrives behind the bytes of that copy.
    virtual void host_has(std::uint32_t number, core::sim_time when) = 0;

protected:
    ~host_side_user_if() = default;
};

}  // namespace contraflow::gpu
