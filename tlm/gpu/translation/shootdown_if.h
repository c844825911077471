// SPDX-License-Identifier: Apache-2.0
// A holder of translations (TLBs, translators), for the command processor that invalidates them.
#pragma once

#include <cstdint>

#include "core/callback.h"
#include "memory/vm/translation.h"

namespace contraflow::gpu {

// A range of a process' virtual addresses.
struct shootdown {
    std::uint32_t process = 0;
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;  // at least 1

    memory::translation_range range() const { return {process, false, address, address + bytes - 1}; }
};

class shootdown_target_if {
public:
    // Calls `done` when no access with an older translation is served any more; never within this call.
    virtual void shoot_down(const shootdown& what, core::callback done) = 0;

protected:
    ~shootdown_target_if() = default;
};

}  // namespace contraflow::gpu
