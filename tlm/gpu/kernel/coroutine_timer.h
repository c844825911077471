// SPDX-License-Identifier: Apache-2.0
// Resumes coroutine stacks later, each by a callback of its own; those of one time in the order of the calls. A reset
// cancels all of them before it destroys the stacks.
//
//   co_await timer.pause(time);            within a coroutine
//   timer.resume_after(delay, stack);      for a stack that waits in a list
#pragma once

#include <cstdint>
#include <vector>

#include "core/timer.h"
#include "gpu/kernel/coroutine_stack.h"

namespace contraflow::gpu {

class coroutine_timer {
public:
    explicit coroutine_timer(core::scheduler& events) : calls_(events, *this) {}

    void resume_after(core::sim_time delay, coroutine_stack& s) {
        if (free_.empty()) {
            free_.push_back(static_cast<std::uint32_t>(stacks_.size()));
            stacks_.push_back(nullptr);
        }
        const std::uint32_t number = free_.back();
        free_.pop_back();
        stacks_[number] = &s;
        calls_.after<&coroutine_timer::resume>(delay, number);
    }
    void cancel() {
        calls_.cancel();
        stacks_.clear();
        free_.clear();
    }

    struct pause_awaiter {
        coroutine_timer& timer;
        core::sim_time time;
        bool await_ready() const noexcept { return time.ps == 0; }
        template <class Promise> void await_suspend(std::coroutine_handle<Promise> h) const {
            coroutine_stack& s = h.promise().on();
            s.wait_in(h);
            timer.resume_after(time, s);
        }
        void await_resume() const noexcept {}
    };
    // No time: the coroutine goes on at once.
    pause_awaiter pause(core::sim_time time) { return {*this, time}; }

private:
    void resume(std::uint32_t number) {
        coroutine_stack& s = *stacks_[number];
        free_.push_back(number);
        s.resume();
    }

    core::cancellable_calls<coroutine_timer> calls_;
    std::vector<coroutine_stack*> stacks_;  // by number of a call
    std::vector<std::uint32_t> free_;
};

}  // namespace contraflow::gpu
