// SPDX-License-Identifier: Apache-2.0
// The core's work for the transmit side: firmware on a processor, or a stand-in. It does one task at a time.
#pragma once

#include <cstdint>
#include <optional>

#include "nic/transmit/descriptor.h"

namespace contraflow::nic {

enum class core_work : std::uint8_t {
    translate,  // the location of the message's bytes from `offset` on
    request     // v1: write one read request into the GPU's mailbox
};

struct core_task {
    core_work work = core_work::translate;
    descriptor message;        // a put from GPU memory
    std::uint64_t offset = 0;  // bytes; 0 begins a message
};

// Contiguous bytes of GPU memory: physical, or in the aperture if BAR1 is read.
struct gpu_extent {
    std::uint64_t address = 0;
    std::uint64_t length = 0;
};

class transmit_core_user_if {
public:
    // Ends the task of begin(). For a translation: none if there is no such buffer.
    virtual void core_done(std::optional<gpu_extent> where) = 0;

protected:
    ~transmit_core_user_if() = default;
};

class transmit_core_if {
public:
    virtual ~transmit_core_if() = default;
    virtual void set_user(transmit_core_user_if& user) = 0;
    // core_done() follows, perhaps within this call.
    virtual void begin(const core_task& task) = 0;
    // Drops its task; core_done() does not follow.
    virtual void reset() = 0;
};

}  // namespace contraflow::nic
