// SPDX-License-Identifier: Apache-2.0
// The callback for the end of something that takes time.
#pragma once

#include "core/scheduler.h"

namespace contraflow::memory {

struct completion {
    core::scheduler::action what = nullptr;
    void* object = nullptr;
    std::uint64_t argument = 0;
    void operator()() const {
        if (what != nullptr) what(object, argument);
    }
};

}  // namespace contraflow::memory
