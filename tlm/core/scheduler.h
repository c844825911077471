// SPDX-License-Identifier: Apache-2.0
// One SystemC process with a private queue of plain callbacks: models schedule here instead of owning an sc_event
// each. The kernel is woken once for each distinct time, so sc_time_stamp() is right inside every callback and
// other SystemC modules mix freely. Callbacks of one instant run in the order in which they were scheduled.
//
// With time_source::scheduler it runs ahead of the kernel: an instant before which no other process is due needs no
// waking. Callbacks run in the same order, and other processes at their times; only sc_time_stamp() may be earlier than
// now() inside a callback.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>

#include <systemc>

#include "core/callback.h"
#include "core/event_queue.h"
#include "core/units.h"

namespace contraflow::core {

// Whom the models ask for the time inside a callback.
enum class time_source : std::uint8_t { kernel, scheduler };

class scheduler : public sc_core::sc_module {
public:
    // A callback is a function, the object it works on and one number of the caller's choice.
    using action = event_queue::action;

    explicit scheduler(const sc_core::sc_module_name& name, time_source asked = time_source::kernel);

    sim_time now() const {
        if (running_) [[likely]]
            return now_;
        return std::max(now_, kernel_now());
    }

    // Runs the action at that time; a time in the past is an internal error. The place is for take_back().
    event_queue::place at(sim_time when, action what, void* object, std::uint64_t argument = 0);
    // A callback that has not run and is not far ahead: its place is not `nowhere`.
    void take_back(event_queue::place where) { queue_.remove(where); }
    void after(sim_time delay, action what, void* object, std::uint64_t argument = 0) {
        at(now() + delay, what, object, argument);
    }
    void at(sim_time when, const callback& c) { at(when, c.what, c.object, c.argument); }
    void after(sim_time delay, const callback& c) { at(now() + delay, c); }
    // Calls a member function: after<&port::send>(delay, this).
    template <auto Member, class T> void after(sim_time delay, T* object) {
        after(delay, callback::to<Member>(*object));
    }
    template <auto Member, class T> void at(sim_time when, T* object) { at(when, callback::to<Member>(*object)); }

    // Called after every `interval` callbacks (progress, limits, signals). There can be only one.
    void set_heartbeat(action what, void* object, std::uint64_t interval);

    // For a module that calls sc_time_stamp(), or notifies an sc_event, inside a callback.
    void keep_kernel_time() {
        asked_ = time_source::kernel;
        ahead_ps_ = now_.ps;
    }

    // Leaves the current instant after the running callback. The remaining callbacks run when the kernel returns here,
    // at the same time and in the same order. With simulation::stop() this ends even an endless instant.
    void leave_instant() { leaving_ = true; }

    std::uint64_t executed() const { return executed_; }  // number of callbacks so far
    // Ends the simulation with that exception: simulation::run() throws it once the kernel has come to a stop. Nothing
    // is thrown through the kernel, so this may be called from any process. An exception of a callback does the same.
    void fail(std::exception_ptr why);
    // The first one; null: there was none.
    std::exception_ptr failure() const { return failure_; }

private:
    friend class simulation;
    static sim_time kernel_now() { return {sc_core::sc_time_stamp().value()}; }
    // The kernel is about to start: nothing after `end` runs, and an earlier pause is over.
    void starts(sim_time end);
    // After the current instant; starts() goes on.
    void pause();
    void run();
    std::uint64_t last_instant() const;

    event_queue queue_;
    std::uint64_t executed_ = 0;
    std::uint64_t armed_ps_ = sim_time::never().ps;  // when the kernel will wake us
    bool running_ = false;
    sim_time now_{};  // the running instant, or the last one; asking the kernel is slower
    time_source asked_;
    sim_time end_ = sim_time::never();
    std::uint64_t ahead_ps_ = 0;  // the last instant that may run before the kernel is asked again
    bool leaving_ = false;
    bool pausing_ = false;
    std::exception_ptr failure_;
    action heartbeat_ = nullptr;
    void* heartbeat_object_ = nullptr;
    std::uint64_t heartbeat_interval_ = 0;
    std::uint64_t heartbeat_due_ = sim_time::never().ps;
    sc_core::sc_event wake_;
};

}  // namespace contraflow::core
