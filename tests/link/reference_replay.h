// SPDX-License-Identifier: Apache-2.0
// The rules of docs/lane_replay.md applied one by one, cycle by cycle, for the published policies. Slow, and so simple
// that a reader can compare it with the page: the lane bank and the harness are compared with it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "link/cases/lane_harness.h"

namespace contraflow::link::testing {

class reference_replay {
public:
    explicit reference_replay(const lane_spec& s)
        : n_(s.lanes_per_direction),
          min_(s.min_lanes),
          window_(s.sample_time.count),
          turnaround_(s.drain.count + s.switch_time.count),
          sync_latency_(s.sync_latency.count),
          is_static_(s.policy == "static"),
          guarded_(s.policy == "guarded"),
          threshold_(s.saturation),
          lanes_{n_, n_} {}

    replay_result run(const std::vector<trace_row>& trace) {
        for (const trace_row& row : trace) {
            if (row.launch) launch();
            for (std::uint64_t i = 0; i < row.cycles; ++i) cycle(row.arrivals);
        }
        while (queue_.ab + queue_.ba > 0) cycle({});
        result_.drained = t_;
        return result_;
    }

private:
    struct turn {
        std::uint64_t join;
        direction to;
    };

    void cycle(const by_direction<std::uint64_t>& arrivals) {
        if (decided_ && leaves_at_ == t_) {
            --lanes_[opposite(to_)];
            turning_.push_back({t_ + turnaround_, to_});
            ++result_.turns;
            decided_ = false;
        }
        for (std::size_t i = 0; i < turning_.size();) {
            if (turning_[i].join == t_) {
                ++lanes_[turning_[i].to];
                turning_.erase(turning_.begin() + static_cast<std::ptrdiff_t>(i));
            } else {
                ++i;
            }
        }
        for (const auto d : both_directions) {
            queue_[d] += arrivals[d];
            const auto served = std::min<std::uint64_t>(queue_[d], lanes_[d]);
            queue_[d] -= served;
            busy_[d] += served;
            capacity_[d] += lanes_[d];
            result_.served[d] += served;
            result_.waited[d] += static_cast<double>(queue_[d]);
        }
        if (t_ + 1 - start_ == window_) end_window();
        ++t_;
    }

    bool saturated(direction d) const { return capacity_[d] > 0 && 100 * busy_[d] >= threshold_ * capacity_[d]; }

    void end_window() {
        lane_decision decision = lane_decision::none;
        if (!is_static_ && turning_.empty() && !decided_)
            for (const auto d : both_directions) {
                const direction giver = opposite(d);
                if (!saturated(d) || saturated(giver) || lanes_[giver] <= min_) continue;
                if (guarded_ &&
                    100 * busy_[giver] * lanes_[giver] >= threshold_ * capacity_[giver] * (lanes_[giver] - 1))
                    continue;
                decision = towards(d);
                decided_ = true;
                to_ = d;
                leaves_at_ = t_ + 1 + sync_latency_;
            }
        result_.windows.push_back({{t_ + 1, busy_, capacity_, lanes_, decision}, queue_});
        busy_ = capacity_ = {};
        start_ = t_ + 1;
    }

    void launch() {
        std::vector<turn> leaving;
        for (const auto d : both_directions)
            while (lanes_[d] > n_) {
                --lanes_[d];
                leaving.push_back({t_ + turnaround_, opposite(d)});
            }
        std::stable_sort(turning_.begin(), turning_.end(), [](auto& a, auto& b) { return a.join < b.join; });
        by_direction<unsigned> kept = lanes_;
        for (turn& l : turning_) {
            if (kept[l.to] < n_)
                ++kept[l.to];
            else
                l = {t_ + turnaround_, opposite(l.to)};
        }
        turning_.insert(turning_.end(), leaving.begin(), leaving.end());
        decided_ = false;
        busy_ = capacity_ = {};
        start_ = t_;
    }

    const unsigned n_, min_;
    const std::uint64_t window_, turnaround_, sync_latency_;
    const bool is_static_, guarded_;
    const std::uint64_t threshold_;
    by_direction<unsigned> lanes_;
    std::vector<turn> turning_;
    bool decided_ = false;
    direction to_ = direction::ab;
    std::uint64_t leaves_at_ = 0, t_ = 0, start_ = 0;
    by_direction<std::uint64_t> queue_, busy_, capacity_;
    replay_result result_;
};

}  // namespace contraflow::link::testing
