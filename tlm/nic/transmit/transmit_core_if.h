// SPDX-License-Identifier: Apache-2.0
// What the NIC's core does for the transmit side: firmware on a processor, or a stand-in. It does one thing at a time.
#pragma once

#include <cstdint>
#include <optional>

#include "nic/transmit/descriptor.h"

namespace contraflow::nic {

enum class core_work : std::uint8_t {
    translate,  // where the message's bytes from `offset` on lie
    request     // v1: write one read request into the GPU's mailbox
};

struct core_task {
    core_work work = core_work::translate;
    descriptor message;        // a put from GPU memory
    std::uint64_t offset = 0;  // bytes; 0 begins a message
};

// Bytes of GPU memory side by side: physical, or in the aperture where BAR1 is read.
struct gpu_extent {
    std::uint64_t address = 0;
    std::uint64_t length = 0;
};

class transmit_core_user_if {
public:
    // Ends what begin() has begun. Of a translation: none if there is no such buffer.
    virtual void core_done(std::optional<gpu_extent> where) = 0;

protected:
    ~transmit_core_user_if() = default;
};

class transmit_core_if {
public:
    virtual ~transmit_core_if() = default;
    virtual void set_user(transmit_core_user_if& user) = 0;
    // core_done() follows, perhaps from within.
    virtual void begin(const core_task& task) = 0;
    // What it does is forgotten; core_done() does not follow.
    virtual void reset() = 0;
};

}  // namespace contraflow::nic
