// SPDX-License-Identifier: Apache-2.0
// Requests that leave in order, each at its time: a pipeline of fixed length, or a bus. Times must not decrease. An
// item has room for its place in the queue and its time: `next` and `due`.
// One callback of the scheduler is pending at most, however many requests are under way.
#pragma once

#include "core/scheduler.h"
#include "memory/transaction/payload_fifo.h"

namespace contraflow::memory {

// Calls (owner.*Leave)(request) when a request is due.
template <class Owner, auto Leave, class Item = memory_extension> class delay_line {
public:
    delay_line(core::scheduler& events, Owner& owner) : events_(events), owner_(owner) {}

    bool empty() const { return under_way_.empty(); }
    std::size_t size() const { return under_way_.size(); }
    void push(Item& request, core::sim_time due) {
        request.due = due;
        under_way_.push(request);
        if (!armed_) arm(due);
    }
    // Forgets all that is under way.
    void reset() {
        under_way_.clear();
        armed_ = false;
        ++epoch_;
    }

private:
    void arm(core::sim_time when) {
        armed_ = true;
        events_.at(
            when,
            [](void* line, std::uint64_t epoch) {
                auto* const self = static_cast<delay_line*>(line);
                if (self->epoch_ == epoch) self->run();
            },
            this, epoch_);
    }
    void run() {
        armed_ = false;
        const core::sim_time now = events_.now();
        const std::uint64_t epoch = epoch_;
        while (!under_way_.empty() && under_way_.front().due <= now) {
            (owner_.*Leave)(under_way_.pop());
            if (epoch_ != epoch) return;
        }
        if (!under_way_.empty() && !armed_) arm(under_way_.front().due);
    }

    core::scheduler& events_;
    Owner& owner_;
    linked_fifo<Item> under_way_;
    bool armed_ = false;
    std::uint64_t epoch_ = 0;
};

}  // namespace contraflow::memory
