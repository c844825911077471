// SPDX-License-Identifier: Apache-2.0
// Requests that leave in order, each at its time: a pipeline of fixed length, or a bus. Times must not decrease. An
// item needs the members `next` and `due` for its place in the queue and its time. At most one callback of the
// scheduler is pending, for any number of requests.
#pragma once

#include "core/timer.h"
#include "memory/transaction/memory_extension.h"

namespace contraflow::memory {

// Calls (owner.*Leave)(request) when a request is due.
template <class Owner, auto Leave, class Item = memory_extension> class delay_line {
public:
    delay_line(core::scheduler& events, Owner& owner) : events_(events), owner_(owner), leave_(events, *this) {}

    bool empty() const { return under_way_.empty(); }
    std::size_t size() const { return under_way_.size(); }
    void push(Item& request, core::sim_time due) {
        request.due = due;
        under_way_.push(request);
        if (!leave_.armed()) leave_.arm(due);
    }
    // Drops all requests.
    void reset() {
        under_way_.clear();
        leave_.cancel();
        ++resets_;
    }

private:
    void run() {
        const core::sim_time now = events_.now();
        const std::uint64_t resets = resets_;
        while (!under_way_.empty() && under_way_.front().due <= now) {
            (owner_.*Leave)(under_way_.pop());
            if (resets_ != resets) return;
        }
        if (!under_way_.empty() && !leave_.armed()) leave_.arm(under_way_.front().due);
    }

    core::scheduler& events_;
    Owner& owner_;
    core::linked_fifo<Item> under_way_;
    core::timer<&delay_line::run> leave_;
    std::uint64_t resets_ = 0;
};

}  // namespace contraflow::memory
