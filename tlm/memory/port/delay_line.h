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
            Item& first = under_way_.pop();
            if (!under_way_.empty()) fetch(under_way_.front());
            (owner_.*Leave)(first);
            if (resets_ != resets) return;
        }
        if (!under_way_.empty() && !leave_.armed()) leave_.arm(under_way_.front().due);
    }

    // The next one was touched last when it came, too long ago for the host's cache: the head of its transaction, which
    // lies before it, and of itself.
    static void fetch(const Item& next) {
        constexpr int line = 64;
        const char* const here = reinterpret_cast<const char*>(&next);
        for (int at = -2 * line; at <= 4 * line; at += line) __builtin_prefetch(here + at, 1);
    }

    core::scheduler& events_;
    Owner& owner_;
    core::linked_fifo<Item> under_way_;
    core::timer<&delay_line::run> leave_;
    std::uint64_t resets_ = 0;
};

}  // namespace contraflow::memory
