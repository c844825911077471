// SPDX-License-Identifier: Apache-2.0
// All communications of a run, and which of them are arriving. A communication's first step lasts from its first
// arrival to the next first or last arrival of any communication (events in its first hundredth do not count): in that
// step the set of communications that share its links does not change.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "pcie/dma/stream.h"

namespace contraflow::pcie {

class stream_table {
public:
    explicit stream_table(std::vector<stream> streams) : streams_(std::move(streams)) {
        active_.reserve(streams_.size());
    }

    stream& operator[](std::uint32_t number) { return streams_[number]; }
    const stream& operator[](std::uint32_t number) const { return streams_[number]; }
    const std::vector<stream>& all() const { return streams_; }
    std::uint32_t size() const { return static_cast<std::uint32_t>(streams_.size()); }

    // Bytes have arrived, the first ones included.
    void arrive(std::uint32_t number, std::uint32_t length, core::sim_time now) {
        stream& s = streams_[number];
        if (s.delivered == 0) {
            close_first_steps(now);
            s.first_arrival = now;
            s.before_first_step = length;
            active_.push_back(number);
        }
        s.delivered += length;
        if (s.delivered == s.size.count) finish(number, now);
    }
    // Forgets all that was under way.
    void abandon() { active_.clear(); }

private:
    void finish(std::uint32_t number, core::sim_time now) {
        streams_[number].finished = now;
        close_first_steps(now);
        active_.erase(std::find(active_.begin(), active_.end(), number));
    }
    // Another begin or end at the same moment does not cut a step short.
    void close_first_steps(core::sim_time now) {
        for (const auto i : active_) {
            stream& s = streams_[i];
            if (s.first_step_end != core::sim_time::never() || s.first_arrival == now) continue;
            if (100 * s.delivered < s.size.count) {
                // Communications that start together arrive at different times, because latencies differ. So the step
                // begins again.
                s.first_arrival = now;
                s.before_first_step = s.delivered;
                continue;
            }
            s.first_step_end = now;
            s.first_step_bytes = s.delivered - s.before_first_step;
        }
    }

    std::vector<stream> streams_;
    std::vector<std::uint32_t> active_;
};

}  // namespace contraflow::pcie
