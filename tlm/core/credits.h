// SPDX-License-Identifier: Apache-2.0
// A sender's knowledge of the room at the other end: credits that it has, and credits on their way back. Never
// allocates after construction.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/bounded_queue.h"
#include "core/units.h"

namespace contraflow::core {

class credits {
public:
    // `returns`: how many batches may be on their way back at once; 0: credits come back at once.
    credits(std::uint64_t total, std::size_t returns) : total_(total), here_(total), returning_(returns) {}

    std::uint64_t available(sim_time now) {
        while (!returning_.empty() && returning_.front().at <= now) here_ += returning_.pop().number;
        return here_;
    }
    // Takes credits: at most those available.
    void take(std::uint64_t number) { here_ -= number; }
    // Times must not decrease.
    void give_back(std::uint64_t number, sim_time at) {
        if (!returning_.try_push({at, number})) here_ += number;
    }
    // The time at which this many credits are here, if none is taken; never if too few are on their way.
    sim_time when(std::uint64_t number) const {
        std::uint64_t sum = here_;
        if (sum >= number) return {};
        for (std::size_t i = 0; i < returning_.size(); ++i)
            if ((sum += returning_[i].number) >= number) return returning_[i].at;
        return sim_time::never();
    }
    std::uint64_t here() const { return here_; }  // value at the last available()
    // Credits here and on their way: the total minus those held by the other end.
    std::uint64_t all() const {
        std::uint64_t sum = here_;
        for (std::size_t i = 0; i < returning_.size(); ++i) sum += returning_[i].number;
        return sum;
    }
    void reset() {
        returning_.clear();
        here_ = total_;
    }

private:
    struct batch {
        sim_time at{};
        std::uint64_t number = 0;
    };
    std::uint64_t total_;
    std::uint64_t here_;
    bounded_queue<batch> returning_;
};

}  // namespace contraflow::core
