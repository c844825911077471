// SPDX-License-Identifier: Apache-2.0
// Puts register transactions on APB, one after the other: a set-up cycle, then access cycles until the block is ready.
// The idle time of the bus between them follows one of four patterns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "core/random.h"
#include "lane_reversal/model/pins.h"
#include "lib/gate.h"

namespace contraflow::lane_reversal {

struct register_access {
    bool write = false;
    std::uint8_t address = 0;
    std::uint32_t data = 0;
};

class apb_driver {
public:
    apb_driver(std::uint64_t seed, lib::pattern rests) : random_(seed), rests_(rests) {}

    void add(const register_access& a) { queue_.push_back(a); }
    bool idle() const { return queue_.empty() && !selected_; }
    std::size_t waiting() const { return queue_.size(); }
    // The bus in this cycle. `busy_moment`: an event happens in the block, the adversarial moment.
    void drive(inputs& in, bool busy_moment);
    // After the cycle: whether a transaction ended in it.
    bool ended(bool pready);
    // After a reset, a pending transaction begins again.
    void reset() { selected_ = access_ = false; }

private:
    bool may_begin(bool busy_moment);

    core::random_source random_;
    lib::pattern rests_;
    std::deque<register_access> queue_;
    bool selected_ = false;
    bool access_ = false;
    unsigned rest_ = 0;
};

}  // namespace contraflow::lane_reversal
