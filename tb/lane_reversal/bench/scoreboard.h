// SPDX-License-Identifier: Apache-2.0
// Compares the block with its reference: every pin in every cycle, and every turn, window and register access as it
// completes. At the end of a test, no transaction may be left in only one of them.
#pragma once

#include <cstdint>

#include "lane_reversal/bench/monitors.h"
#include "lane_reversal/model/pins.h"
#include "lane_reversal/model/reference.h"
#include "lib/findings.h"

namespace contraflow::lane_reversal {

class scoreboard {
public:
    explicit scoreboard(unsigned lanes_per_direction)
        : turns_(lanes_per_direction),
          expected_turns_(lanes_per_direction) {}

    void reset();
    // After every cycle that is not in reset.
    void compare(const turn_monitor::moment& now, const inputs& in, const outputs& out, const reference& ref,
                 lib::findings& f);
    // Call after the last cycle.
    void finish(lib::findings& f);

    struct totals {
        std::uint64_t cycles = 0, turns = 0, windows = 0, accesses = 0;
    };
    const totals& compared() const { return totals_; }

private:
    void compare_pins(const outputs& out, const outputs& expected, lib::findings& f) const;
    void compare_turns(lib::findings& f);
    void compare_windows(lib::findings& f);

    turn_monitor turns_, expected_turns_;
    window_monitor windows_, expected_windows_;
    totals totals_;
};

}  // namespace contraflow::lane_reversal
