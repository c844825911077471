// SPDX-License-Identifier: Apache-2.0
#include "lane_reversal/stimulus/traffic.h"

#include <algorithm>
#include <bit>

namespace contraflow::lane_reversal {

using link::direction;

traffic::traffic(std::uint64_t seed, unsigned lanes_per_direction, lib::pattern gate)
    : random_(seed),
      lanes_(2 * lanes_per_direction),
      gate_(random_, gate) {}

void traffic::begin_phase(const link_view& v) {
    shape_ = static_cast<shape>(random_.below(7));
    rate_ = {};
    const direction d = random_.below(2) == 0 ? direction::ab : direction::ba;
    switch (shape_) {
    case shape::idle: queue_ = {}; break;
    case shape::full: rate_ = {lanes_, lanes_}; break;
    case shape::one_way:
        rate_[d] = lanes_;
        queue_[opposite(d)] = 0;
        break;
    case shape::split:  // both fit, with some split of the lanes
        rate_[d] = random_.below(lanes_ + 1);
        rate_[opposite(d)] = lanes_ - rate_[d] - (random_.below(2) == 0 && rate_[d] < lanes_ ? 1 : 0);
        break;
    case shape::on_the_edge:
        aim_ = {static_cast<int>(random_.below(4)) - 2, static_cast<int>(random_.below(4)) - 2};
        break;
    case shape::noise:
    case shape::burst: break;
    }
    left_ = 1 + random_.below(4 * unit_);
    // Every other phase changes exactly with a window.
    if (random_.below(2) == 0 && v.sample_time > 0) {
        const std::uint64_t rest = v.sample_time - std::min(v.cycle_of_window, v.sample_time - 1);
        left_ = rest + v.sample_time * random_.below(4);
        left_ = std::min(left_, 40 * unit_);
    }
}

std::uint64_t traffic::arrivals(direction d) {
    switch (shape_) {
    case shape::noise: return random_.below(lanes_ + 1);
    case shape::burst: return random_.below(8) == 0 ? random_.below(8 * lanes_) : 0;
    default: return rate_[d];
    }
}

// The load that ends the window at the threshold, or one or two phits from it.
std::uint64_t traffic::on_the_edge(direction d, const link_view& v, unsigned lanes) const {
    const std::uint64_t rest = v.sample_time - std::min(v.cycle_of_window, v.sample_time - 1);
    const std::uint64_t capacity = v.capacity[d] + lanes * rest;
    const auto at = static_cast<std::int64_t>((v.threshold * capacity + 99) / 100) + aim_[d];
    const std::int64_t lacking = at - static_cast<std::int64_t>(v.busy[d]);
    return lacking <= 0 ? 0 : std::min<std::uint64_t>(lanes, static_cast<std::uint64_t>(lacking));
}

// A few of the lanes that may be used, chosen at random.
std::uint32_t traffic::choose(std::uint32_t lanes, std::uint64_t used) {
    auto spare = static_cast<unsigned>(std::popcount(lanes));
    if (used >= spare) return lanes;
    if (used == 0) return 0;
    const bool from_above = random_.below(2) == 0;
    for (spare -= static_cast<unsigned>(used); spare > 0; --spare)
        lanes &= from_above ? ~std::bit_floor(lanes) : lanes - 1;
    return lanes;
}

traffic::masks traffic::next(const link_view& v) {
    if (left_ == 0) begin_phase(v);
    --left_;
    // Adversarial: shut where it matters most, in the cycles around a boundary, and after a turn began.
    const bool calm = !v.turning && v.cycle_of_window > 0 && v.cycle_of_window + 1 < v.sample_time;
    const bool open = gate_.open(random_, calm);
    std::uint32_t mask[2];
    for (const direction d : link::both_directions) {
        const std::uint32_t lanes = d == direction::ab ? v.serve_ab : v.serve_ba;
        const auto n = static_cast<unsigned>(std::popcount(lanes));
        std::uint64_t used = 0;
        if (shape_ == shape::on_the_edge) {
            used = on_the_edge(d, v, n);
        } else {
            if (open) queue_[d] += arrivals(d);
            used = std::min<std::uint64_t>(queue_[d], n);
            queue_[d] = std::min<std::uint64_t>(queue_[d] - used, 64 * lanes_);
        }
        mask[index(d)] = choose(lanes, used);
    }
    return {mask[0], mask[1]};
}

}  // namespace contraflow::lane_reversal
