// SPDX-License-Identifier: Apache-2.0
// Functional coverage: examines every cycle and counts its cover points. The internal state comes
// from the reference, which the scoreboard compares with the block in the same cycle.
#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>
#include <vector>

#include "lane_reversal/coverage/cover_points.h"
#include "lane_reversal/model/pins.h"
#include "lane_reversal/model/reference.h"

namespace contraflow::lane_reversal {

class coverage_model {
public:
    explicit coverage_model(const block_parameters& p) : lanes_(p.lanes()), splits_(p.lanes()) {}

    // After every cycle; `before` were the inputs of the cycle before this one.
    void observe(const inputs& before, const inputs& in, const reference& ref);
    void hit(cover_point p) { ++counts_[static_cast<std::size_t>(p)]; }
    // A line for each point: its name and its count.
    void write(std::ostream& to) const;

private:
    enum class lane_state : std::uint8_t { serving, draining, turnaround, failed };
    enum class turn_state : std::uint8_t { idle, sync, under_way };
    struct view {  // a cycle's values
        outputs out;
        settings holding;
        turn_state turn = turn_state::idle;
        bool repairs = false, turns = false, applies = false, settled = true, holds_off = false;
        bool deciding = false;     // the last window decides, which is still to be shown
        reference::totals window;  // up to this cycle
        unsigned decides = 0;      // what the window that ends with it decides
        bool decided = false;      // a decision is made in this cycle, and was not dropped
        std::uint32_t turning = 0, failed = 0, draining = 0, joining = 0, went_back = 0;
    };

    view look(const reference& ref) const;
    lane_state state(const view& v, unsigned lane) const;
    void lanes(const view& now);
    void turns(const inputs& before, const view& now);
    void launches(const inputs& before, const inputs& in, const view& now);
    void resets(const inputs& in, const view& now);
    void faults(const inputs& before, const inputs& in, const view& now);
    void windows(const view& now);
    void bus(const inputs& before, const inputs& in, const view& now);

    const unsigned lanes_;
    std::array<std::uint64_t, static_cast<std::size_t>(cover_point::count)> counts_{};
    std::vector<std::uint64_t> splits_;
    view last_;
    bool have_last_ = false;
    bool in_reset_ = true;
    unsigned last_decision_ = 0;      // the last window's decision
    unsigned saturated_before_ = 0;   // in the previous window: 1 a to b only, 2 the other, 0 neither or both
    unsigned windows_one_sided_ = 0;  // in a row with a lane to spare
};

}  // namespace contraflow::lane_reversal
