// SPDX-License-Identifier: Apache-2.0
#include "cosim/stepped_model.h"

#include <utility>

#include "link/policies.h"

namespace contraflow::cosim {

using link::both_directions;
using link::direction;
using link::lane_decision;

stepped_model::stepped_model(const link::lane_spec& s) : spec_(s) {
    start(0, {s.lanes_per_direction, s.lanes_per_direction});
}

void stepped_model::start(std::uint64_t at, const link::by_direction<unsigned>& lanes) {
    policy_ = link::make_lane_controller(spec_);
    bank_.emplace(spec_, *policy_);
    bank_->advance(at);
    for (const auto d : both_directions)
        for (unsigned n = lanes[d]; n < spec_.lanes_per_direction; ++n) bank_->fail_lane(d, at);
    bank_->reset(at);
    next_ = at;
    windows_ = 0;
}

// In the order in which a link does it.
void stepped_model::begin() {
    const lane_edge e = std::exchange(edge_, {});
    const std::uint64_t t = next_++;
    if (e.launch) bank_->launch(t);
    bank_->advance(t);
    for (const auto d : both_directions)
        for (unsigned n = e.faults[d]; n > 0; --n) bank_->fail_lane(d, t);
    show();
}

void stepped_model::count(const link::by_direction<std::uint64_t>& phits) {
    for (const auto d : both_directions) bank_->add_busy(d, phits[d]);
}

void stepped_model::show() {
    for (const auto d : both_directions) view_.lanes[d] = bank_->lanes(d);
    view_.turning = bank_->turning();
    view_.failed = bank_->failed();
    view_.pending = bank_->pending() ? link::towards(*bank_->pending()) : lane_decision::none;
}

void stepped_model::issue(const link::by_direction<std::uint64_t>& phits) {
    for (const auto d : both_directions) bank_->add_busy(d, phits[d]);
    view_.window_end = next_ == bank_->window_end();
    if (view_.window_end) {
        const link::lane_window w = bank_->close_window();
        ++windows_;
        view_.busy = w.busy;
        view_.capacity = w.capacity;
        view_.decision = w.decision;
        return;
    }
    view_.decision = lane_decision::none;
    for (const auto d : both_directions) {
        view_.busy[d] = bank_->busy(d);
        view_.capacity[d] = bank_->capacity_before(next_, d);
    }
}

}  // namespace contraflow::cosim
