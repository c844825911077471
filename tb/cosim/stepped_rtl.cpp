// SPDX-License-Identifier: Apache-2.0
#include "cosim/stepped_rtl.h"

#include <algorithm>
#include <utility>

namespace contraflow::cosim {

void stepped_rtl::start(std::uint64_t, const link::by_direction<unsigned>& lanes) {
    block_.reset(lanes);
    first_launch_ = true;
}

void stepped_rtl::prepare(const lane_edge& e) {
    block_.prepare({std::exchange(first_launch_, false) || e.launch, e.faults});
}

std::uint64_t stepped_rtl::pass(std::uint64_t at_most) {
    const std::uint64_t cycles = std::min(at_most, block_.skippable());
    if (cycles > 0) block_.skip(cycles);
    return cycles;
}

}  // namespace contraflow::cosim
