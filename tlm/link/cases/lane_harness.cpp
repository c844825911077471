// SPDX-License-Identifier: Apache-2.0
#include "link/cases/lane_harness.h"

#include <algorithm>

namespace contraflow::link {
namespace {

class player {
public:
    player(lane_set_if& lanes, const std::function<bool()>& keep_going) : lanes_(lanes), keep_going_(keep_going) {}

    replay_result play(const std::vector<trace_row>& trace, after_trace then) {
        for (const trace_row& row : trace) {
            if (row.launch)
                lanes_.launch(now_);
            else
                pass(row.cycles, row.arrivals);
        }
        while (then == after_trace::drain && result_.complete && queue_.ab + queue_.ba > 0) pass(cycles_to_drain(), {});
        result_.drained = now_;
        lanes_.finish(now_);
        result_.turns = lanes_.state().turns;
        return std::move(result_);
    }

private:
    void pass(std::uint64_t cycles, const by_direction<std::uint64_t>& arrivals) {
        const std::uint64_t end = now_ + cycles;
        while (now_ < end && result_.complete) {
            lanes_.advance(now_);
            const std::uint64_t next = std::min({end, lanes_.state().window_end, lanes_.state().next_change});
            for (const auto d : both_directions) serve(d, next - now_, arrivals[d]);
            now_ = next;
            if (now_ == lanes_.state().window_end) close_window();
        }
    }

    // A saturated queue carries as many phits as lanes in each cycle until it is empty; after that it carries the
    // arrivals.
    void serve(direction d, std::uint64_t cycles, std::uint64_t arrivals) {
        const unsigned lanes = lanes_.state().lanes[d];
        const std::uint64_t offered = queue_[d] + cycles * arrivals;
        const std::uint64_t served = std::min(cycles * lanes, offered);
        const std::uint64_t full = lanes > arrivals ? std::min(cycles, queue_[d] / (lanes - arrivals)) : cycles;
        result_.waited[d] += left_over(queue_[d], full, arrivals, lanes);
        carry(d, now_, full, lanes, full * lanes);
        if (full < cycles) {
            const std::uint64_t rest = served - full * lanes - (cycles - full - 1) * arrivals;
            carry(d, now_ + full, 1, static_cast<unsigned>(rest), rest);
            carry(d, now_ + full + 1, cycles - full - 1, static_cast<unsigned>(arrivals),
                  (cycles - full - 1) * arrivals);
        }
        queue_[d] = offered - served;
        result_.served[d] += served;
    }

    void carry(direction d, std::uint64_t from, std::uint64_t cycles, unsigned lanes, std::uint64_t phits) {
        if (phits > 0) lanes_.carried(d, {from, from + cycles, lanes, phits});
    }

    // The sum of a queue's lengths at the ends of the cycles. It grows or shrinks by the same amount in each.
    static double left_over(std::uint64_t queue, std::uint64_t cycles, std::uint64_t arrivals, std::uint64_t lanes) {
        const auto n = static_cast<double>(cycles);
        return n * static_cast<double>(queue) +
               (static_cast<double>(arrivals) - static_cast<double>(lanes)) * n * (n + 1) / 2;
    }

    // Valid if nothing changes; lanes may still leave and join.
    std::uint64_t cycles_to_drain() {
        lanes_.advance(now_);
        std::uint64_t cycles = 1;
        for (const auto d : both_directions)
            if (const std::uint64_t n = lanes_.state().lanes[d]; n > 0)
                cycles = std::max(cycles, (queue_[d] + n - 1) / n);
        const std::uint64_t change = std::min(lanes_.state().next_change, lanes_.state().window_end);
        return std::min(cycles, change - now_);
    }

    void close_window() {
        result_.windows.push_back({lanes_.close_window(), queue_});
        if (keep_going_ && !keep_going_()) result_.complete = false;
    }

    lane_set_if& lanes_;
    const std::function<bool()>& keep_going_;
    std::uint64_t now_ = 0;
    by_direction<std::uint64_t> queue_;
    replay_result result_;
};

}  // namespace

replay_result replay(lane_set_if& lanes, const std::vector<trace_row>& trace, const std::function<bool()>& keep_going,
                     after_trace then) {
    return player(lanes, keep_going).play(trace, then);
}

}  // namespace contraflow::link
