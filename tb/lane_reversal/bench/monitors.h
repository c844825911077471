// SPDX-License-Identifier: Apache-2.0
// Checks from the pins alone, without a model of the block: turns of lanes and windows as transactions, each complete
// at the moment it ends, and the rules that no turn may break.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "lane_reversal/model/pins.h"
#include "lane_reversal/model/settings.h"
#include "lib/findings.h"

namespace contraflow::lane_reversal {

// A lane that left one direction and joined another, or came back to its own.
struct turn_transaction {
    unsigned lane = 0;
    bool from_ab = false, to_ab = false;
    std::uint64_t left = 0, joined = 0;  // cycles
    friend bool operator==(const turn_transaction&, const turn_transaction&) = default;
};

struct window_transaction {
    std::uint64_t end = 0;  // its last cycle
    std::uint64_t busy_ab = 0, busy_ba = 0, capacity_ab = 0, capacity_ba = 0;
    unsigned decision = 0;
    friend bool operator==(const window_transaction&, const window_transaction&) = default;
};

class turn_monitor {
public:
    explicit turn_monitor(unsigned lanes_per_direction) : lanes_(2 * lanes_per_direction) { reset(); }
    void reset();
    struct moment {
        std::uint64_t cycle = 0;
        bool launched = false;     // in this cycle
        std::uint32_t failed = 0;  // lanes, up to this cycle
    };
    // Call it after every cycle. `holding` are the settings of turns that begin in it. Broken rules are added to `f`,
    // unless it is null.
    void observe(const moment& now, const outputs& out, const settings& holding, lib::findings* f);
    std::deque<turn_transaction>& completed() { return completed_; }
    bool idle() const { return away_ == 0; }

private:
    struct lane {
        turn_transaction turn;
        settings with;
        std::uint64_t turnaround_since = 0;
        bool launched = false;  // since it left
    };
    void left(unsigned i, std::uint64_t t, const outputs& out, const settings& holding);
    void joined(unsigned i, std::uint64_t t, const outputs& out, lib::findings* f);
    void away(unsigned i, const moment& now, const outputs& out, lib::findings* f);

    std::vector<lane> lanes_;
    std::uint32_t ab_ = 0, ba_ = 0;  // served in the cycle before
    std::uint32_t away_ = 0;
    bool first_ = true;
    std::deque<turn_transaction> completed_;
};

// Counts phits and lanes itself, and compares them with the block's figures for its window, which the block shows
// monitor_cycles later, as it shows the window's decision decision_cycles later.
class window_monitor {
public:
    void reset() { *this = {}; }
    // `settled`: no written setting waits; else nothing is decided.
    void observe(std::uint64_t t, const inputs& in, const outputs& out, const settings& holding, bool settled,
                 lib::findings* f);
    std::deque<window_transaction>& completed() { return completed_; }

private:
    void look_back(const outputs& out, lib::findings* f);
    std::optional<unsigned> decision(const outputs& out, const settings& holding, bool settled) const;

    window_transaction now_;
    std::uint64_t length_ = 0;
    std::array<window_transaction, monitor_cycles> before_;  // its counts in the cycles before, the last one first
    // The window that ended last.
    window_transaction ended_;
    std::uint64_t since_ = 0;         // cycles since then; 0 when it has been completed
    std::optional<unsigned> should_;  // its decision by the rules; none where the pins do not tell
    std::deque<window_transaction> completed_;
};

}  // namespace contraflow::lane_reversal
