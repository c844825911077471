// SPDX-License-Identifier: Apache-2.0
// What plays one thing after another to lanes that are stepped, a cycle in three steps.
#pragma once

#include <cstdint>

#include "link/direction.h"

namespace contraflow::cosim {

class cycle_player_if {
public:
    virtual ~cycle_player_if() = default;
    // The next cycle: what comes with it; its beginning; what is issued in it.
    virtual std::uint64_t next() const = 0;
    virtual void prepare() = 0;
    virtual void begin() = 0;
    virtual void issue() = 0;
    // All cycles before that one; passes over what it can.
    virtual void seek(std::uint64_t until) = 0;
    // Phits that wait at each end, if it knows of any such thing.
    virtual const link::by_direction<std::uint64_t>* queued() const { return nullptr; }
};

}  // namespace contraflow::cosim
