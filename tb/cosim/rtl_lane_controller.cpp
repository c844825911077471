// SPDX-License-Identifier: Apache-2.0
#include "cosim/rtl_lane_controller.h"

#include <algorithm>
#include <utility>

#include "cosim/link_agreement.h"

namespace contraflow::cosim {

using link::by_direction;
using link::direction;
using link::lane_decision;
using link::window_sample;

rtl_lane_controller::rtl_lane_controller(std::string name, const link::lane_spec& s)
    : name_(std::move(name)),
      window_length_(s.sample_time.count),
      block_(s, name_) {}

void rtl_lane_controller::step() {
    block_.prepare(std::exchange(edge_, {}));
    block_.edge();
    ++next_;
    ++stepped_;
}

// The block shows that cycle; what comes with the edge after it is still open.
void rtl_lane_controller::show(std::uint64_t cycle) {
    while (next_ <= cycle) {
        step();
        if (const std::uint64_t n = std::min(block_.skippable(), cycle + 1 - next_); n > 0) {
            block_.skip(n);
            next_ += n;
        }
    }
}

lane_decision rtl_lane_controller::window_ended(const window_sample& sample) {
    show(sample.end - 1);
    // The last cycle's phits are put on the lanes for real, as many as can be; the others have been counted.
    by_direction<std::uint64_t> phits;
    for (const auto d : link::both_directions)
        phits[d] = std::min<std::uint64_t>(sample.busy[d], block_.view().lanes[d]);
    block_.set_busy({sample.busy.ab - phits.ab, sample.busy.ba - phits.ba});
    block_.issue(phits);
    expect_agreement(name_, "RTL", block_.view(), sample);
    window_start_ = sample.end;
    return block_.view().decision;
}

void rtl_lane_controller::quiet_windows(std::uint64_t windows) {
    while (windows > 0) {
        show(window_start_ + window_length_ - 1);
        block_.issue(0, 0);
        window_start_ += window_length_;
        if (--windows < 2) continue;
        // Two edges on, in the next window; whatever is at rest there is so in the same cycle of any later one.
        show(window_start_ + std::min<std::uint64_t>(1, window_length_ - 1));
        if (!block_.at_rest()) continue;
        block_.skip_windows(windows - 1);
        next_ += (windows - 1) * window_length_;
        window_start_ += (windows - 1) * window_length_;
        windows = 1;
    }
}

void rtl_lane_controller::kernel_launched(std::uint64_t at) {
    if (at > 0) show(at - 1);
    edge_.launch = true;
    window_start_ = at;
}

void rtl_lane_controller::started(std::uint64_t at, const by_direction<unsigned>& lanes) {
    block_.reset(lanes);
    next_ = at;
    edge_ = {};
    edge_.launch = true;
    window_start_ = at;
}

void rtl_lane_controller::lane_failed(direction d, std::uint64_t at) {
    if (at > 0) show(at - 1);
    ++edge_.faults[d];
}

}  // namespace contraflow::cosim
