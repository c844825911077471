// SPDX-License-Identifier: Apache-2.0
// What every component of a memory system uses, in addition to its own specification.
#pragma once

#include "core/scheduler.h"
#include "memory/transaction/payload.h"
#include "observe/registry.h"

namespace contraflow::memory {

struct resources {
    core::scheduler& events;
    observe::statistics& statistics;
    payload_pool& payloads;
};

}  // namespace contraflow::memory
