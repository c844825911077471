// SPDX-License-Identifier: Apache-2.0
// A link's lane controller in RTL. The link tells what happened, and when; the block is brought there in a few steps:
// stretches in which it would only count are skipped, all else (a launch, a turn, a fault, the end of a window) is
// clocked cycle by cycle. How busy a direction was comes as the window's total. At each window's end the block's own
// lanes, counted by itself, must be those that the link has: anything else is a level_difference.
#pragma once

#include <string>

#include "cosim/lane_block.h"
#include "link/lane_controller_if.h"

namespace contraflow::cosim {

class rtl_lane_controller final : public link::lane_controller_if {
public:
    rtl_lane_controller(std::string name, const link::lane_spec& s);

    link::lane_decision window_ended(const link::window_sample& sample) override;
    void quiet_windows(std::uint64_t windows) override;
    void kernel_launched(std::uint64_t at) override;
    void started(std::uint64_t at, const link::by_direction<unsigned>& lanes) override;
    void lane_failed(link::direction d, std::uint64_t at) override;

    // Up to that cycle nothing more happened.
    void bring_to(std::uint64_t cycle) { show(cycle); }
    const lane_block& block() const { return block_; }
    // Clock cycles that were stepped one by one.
    std::uint64_t stepped() const { return stepped_; }

private:
    void step();
    void show(std::uint64_t cycle);
    void expect_before(std::uint64_t at, const char* what);

    const std::string name_;
    const std::uint64_t window_length_;
    lane_block block_;
    std::uint64_t next_ = 0;  // the cycle that begins with the next edge
    lane_edge edge_;          // what comes with it
    std::uint64_t window_start_ = 0;
    std::uint64_t stepped_ = 0;
};

}  // namespace contraflow::cosim
