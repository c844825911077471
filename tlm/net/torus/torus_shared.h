// SPDX-License-Identifier: Apache-2.0
// Shared by all nodes of a torus.
#pragma once

#include <cstdint>

#include "core/scheduler.h"
#include "net/torus/flight.h"
#include "net/torus/torus_spec.h"
#include "observe/histogram.h"

namespace contraflow::net {

struct torus_shared {
    core::scheduler& events;
    const torus_spec& spec;
    unsigned levels;  // datelines need two
    flight_store& flights;
    observe::histogram& latency;
    struct {
        std::uint64_t accepted = 0, taken = 0, dropped = 0, moved = 0;
    } packets;
};

}  // namespace contraflow::net
