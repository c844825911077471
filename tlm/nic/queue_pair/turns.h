// SPDX-License-Identifier: Apache-2.0
// Queue pairs that take turns: each is in the list at most once, and goes to its end.
#pragma once

#include <cstdint>

#include "core/linked_fifo.h"

namespace contraflow::nic {

class turns {
public:
    struct place {  // of one queue pair
        explicit place(std::uint32_t number) : queue(number) {}
        const std::uint32_t queue;
        place* next = nullptr;
        bool listed = false;
    };
    bool empty() const { return waiting_.empty(); }
    void add(place& p) {
        if (p.listed) return;
        p.listed = true;
        waiting_.push(p);
    }
    std::uint32_t first() const { return waiting_.front().queue; }
    std::uint32_t take() {
        place& p = waiting_.pop();
        p.listed = false;
        return p.queue;
    }
    // All places of the other list follow those of this one.
    void append(turns& other) {
        while (!other.empty()) {
            place& p = other.waiting_.pop();
            waiting_.push(p);
        }
    }
    void reset() {
        while (!empty()) take();
    }

private:
    core::linked_fifo<place> waiting_;
};

}  // namespace contraflow::nic
