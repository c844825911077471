// SPDX-License-Identifier: Apache-2.0
// Callbacks that can be cancelled. They allocate nothing, and each costs one callback of the scheduler at most. What is
// cancelled may stay in the queue and do nothing when its time comes.
//
//   timer<&unit::send> send_{events, *this};        one at a time: send_.arm(when), send_.cancel()
//   cancellable_calls<unit> calls_{events, *this};  any number: calls_.at<&unit::done>(when, slot), calls_.cancel()
//
// Cancel at a reset, so that nothing armed before it runs after it. Do not move either while it is armed.
#pragma once

#include <cstdint>

#include "core/scheduler.h"

namespace contraflow::core {

template <auto Member> class timer;

template <class Owner, void (Owner::*Member)()> class timer<Member> {
public:
    timer(scheduler& events, Owner& owner) : events_(events), owner_(owner) {}
    timer(const timer&) = delete;
    timer& operator=(const timer&) = delete;

    // Arms for this time instead of any earlier arming.
    void arm(sim_time when) {
        if (armed_ && place_ != event_queue::nowhere) events_.take_back(place_);
        armed_ = true;
        due_ = when;
        place_ = events_.at(when, fire, this, ++generation_);
    }
    void arm_after(sim_time delay) { arm(events_.now() + delay); }
    // Arms for this time at the latest: an earlier time stays.
    void arm_by(sim_time when) {
        if (!armed_ || when < due_) arm(when);
    }
    void cancel() { armed_ = false; }
    // Whether the callback will run. False within its own callback, unless that has armed it again.
    bool armed() const { return armed_; }

private:
    static void fire(void* object, std::uint64_t generation) {
        auto* const self = static_cast<timer*>(object);
        if (!self->armed_ || self->generation_ != generation) return;
        self->armed_ = false;
        (self->owner_.*Member)();
    }

    scheduler& events_;
    Owner& owner_;
    std::uint64_t generation_ = 0;
    sim_time due_{};
    event_queue::place place_ = event_queue::nowhere;
    bool armed_ = false;
};

// Each call is of a member function without arguments, or with one 32-bit number.
template <class Owner> class cancellable_calls {
public:
    cancellable_calls(scheduler& events, Owner& owner) : events_(events), owner_(owner) {}
    cancellable_calls(const cancellable_calls&) = delete;
    cancellable_calls& operator=(const cancellable_calls&) = delete;

    template <auto Member> void at(sim_time when, std::uint32_t number = 0) { events_.at(when, make<Member>(number)); }
    template <auto Member> void after(sim_time delay, std::uint32_t number = 0) {
        at<Member>(events_.now() + delay, number);
    }
    // For a component that calls back.
    template <auto Member> callback make(std::uint32_t number = 0) {
        return {[](void* object, std::uint64_t argument) {
                    auto* const self = static_cast<cancellable_calls*>(object);
                    if (self->generation_ != argument >> 32) return;
                    callback::call<Member>(self->owner_, static_cast<std::uint32_t>(argument));
                },
                this, std::uint64_t{generation_} << 32 | number};
    }
    // Cancels all pending calls.
    void cancel() { ++generation_; }
    // Changes at every cancel(): a member function can see that something it called has caused a reset.
    std::uint32_t generation() const { return generation_; }

private:
    scheduler& events_;
    Owner& owner_;
    std::uint32_t generation_ = 0;
};

}  // namespace contraflow::core
