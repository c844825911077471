// SPDX-License-Identifier: Apache-2.0
#include "lane_reversal/model/lane_model.h"

#include <algorithm>
#include <bit>

namespace contraflow::lane_reversal {

using link::direction;

void lane_model::reset() {
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
        lanes_[i] = {};
        lanes_[i].to = 2 * i < lanes_.size() ? direction::ab : direction::ba;
    }
    summarize(0);
}

unsigned lane_model::lanes(direction d) const { return static_cast<unsigned>(std::popcount(serving_[d])); }

unsigned lane_model::coming(direction d) const {
    if (turning_ == 0) return 0;
    return static_cast<unsigned>(std::count_if(lanes_.begin(), lanes_.end(),
                                               [d](const lane& l) { return !l.serves && !l.failed && l.to == d; }));
}

void lane_model::leave(lane& l, std::uint64_t t, const settings& s) {
    l.driven_until[l.to] = t + s.drain;
    l.to = opposite(l.to);
    l.drained = t + s.drain;
    l.join = l.drained + s.switch_time;
    l.serves = l.join == t;
}

void lane_model::back(lane& l, std::uint64_t t, const settings& s) {
    // It drains again; a driver that was on in the cycle before stays on for it.
    for (const auto d : link::both_directions)
        if (l.driven_until[d] >= t) l.driven_until[d] = t + s.drain;
    l.to = opposite(l.to);
    l.drained = t + s.drain;
    l.join = l.drained + s.switch_time;
    l.serves = l.join == t;
}

// The lanes at the border between the directions.
void lane_model::take(direction from, unsigned count, std::uint64_t t, const settings& s) {
    const std::size_t n = lanes_.size();
    for (std::size_t i = 0; i < n && count > 0; ++i) {
        const std::size_t at = from == direction::ab ? n - 1 - i : i;
        if ((serving_[from] >> at & 1) == 0) continue;
        leave(lanes_[at], t, s);
        --count;
    }
}

link::by_direction<unsigned> lane_model::shares() const {
    const link::by_direction<unsigned> have{lanes(direction::ab) + coming(direction::ab),
                                            lanes(direction::ba) + coming(direction::ba)};
    const unsigned all = have.ab + have.ba;
    const unsigned ab = all / 2 + (all % 2 == 1 && have.ab > have.ba ? 1 : 0);
    return {ab, all - ab};
}

void lane_model::begin_cycle(std::uint64_t t, const orders& o, const settings& s) {
    went_back_ = 0;
    if (steady_ && !o.launch && !o.to_ab && !o.to_ba && o.fail == 0) return;
    // A decision depends on the lanes in the previous cycle.
    if (o.launch) {
        const auto share = shares();
        for (const auto d : link::both_directions) {
            if (o.send_back && lanes(d) + coming(d) > share[d])
                for (std::size_t i = 0; i < lanes_.size(); ++i)
                    if (lane& l = lanes_[i]; (turning_ >> i & 1) != 0 && l.to == d && (went_back_ >> i & 1) == 0) {
                        back(l, t, s);
                        went_back_ |= 1u << i;
                    }
        }
        for (const auto d : link::both_directions)
            if (lanes(d) > share[d]) take(d, lanes(d) - share[d], t, s);
    } else {
        if (o.to_ab) take(direction::ba, 1, t, s);
        if (o.to_ba) take(direction::ab, 1, t, s);
    }
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
        lane& l = lanes_[i];
        if ((o.fail >> i & 1) != 0) l.failed = true;
        if (l.failed) {
            l.serves = false;
            l.driven_until = {};
        } else if (!l.serves && l.join == t) {
            l.serves = true;
        }
    }
    summarize(t);
}

void lane_model::summarize(std::uint64_t t) {
    serving_ = driving_ = {};
    turning_ = draining_ = joining_ = failed_ = 0;
    steady_ = true;
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
        const lane& l = lanes_[i];
        const std::uint32_t bit = 1u << i;
        if (l.failed) {
            failed_ |= bit;
        } else if (l.serves) {
            serving_[l.to] |= bit;
            driving_[l.to] |= bit;
        } else {
            turning_ |= bit;
            if (t < l.drained) draining_ |= bit;
            if (t + 1 == l.join) joining_ |= bit;
            steady_ = false;
            for (const auto d : link::both_directions)
                if (l.driven_until[d] > t) driving_[d] |= bit;
        }
    }
}

}  // namespace contraflow::lane_reversal
