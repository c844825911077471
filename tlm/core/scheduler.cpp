// SPDX-License-Identifier: Apache-2.0
#include "core/scheduler.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace contraflow::core {
namespace {

class flag_while {
public:
    explicit flag_while(bool& flag) : flag_(flag) { flag_ = true; }
    ~flag_while() { flag_ = false; }
    flag_while(const flag_while&) = delete;
    flag_while& operator=(const flag_while&) = delete;

private:
    bool& flag_;
};

}  // namespace

scheduler::scheduler(const sc_core::sc_module_name& name, time_source asked)
    : sc_core::sc_module(name),
      asked_(asked),
      wake_("wake") {
    SC_HAS_PROCESS(scheduler);
    SC_METHOD(run);
    sensitive << wake_;
    dont_initialize();
}

event_queue::place scheduler::at(sim_time when, action what, void* object, std::uint64_t argument) {
    if (when < now()) throw std::logic_error("scheduler: a callback was scheduled in the past");
    const event_queue::place where = queue_.push(when.ps, what, object, argument);
    if (!running_ && when.ps < armed_ps_) {
        armed_ps_ = when.ps;
        wake_.notify(sc_core::sc_time::from_value((when - kernel_now()).ps));
    }
    return where;
}

void scheduler::set_heartbeat(action what, void* object, std::uint64_t interval) {
    heartbeat_ = what;
    heartbeat_object_ = object;
    heartbeat_interval_ = interval;
    heartbeat_due_ = executed_ + interval;
}

void scheduler::fail(std::exception_ptr why) {
    if (!failure_) failure_ = std::move(why);
    leaving_ = true;
    pause();
}

void scheduler::starts(sim_time end) {
    end_ = end;
    pausing_ = false;
}

void scheduler::pause() {
    pausing_ = true;
    ahead_ps_ = now_.ps;
    sc_core::sc_pause();
}

// Another process that is due at the same time waits for the kernel too, which decides their order. No callback changes
// when the next one is due, or its module has called keep_kernel_time().
std::uint64_t scheduler::last_instant() const {
    if (asked_ == time_source::kernel || pausing_) return now_.ps;
    const std::uint64_t other = sc_core::sc_time_to_pending_activity().value();  // a huge value if there is none
    const std::uint64_t due = other < event_queue::never - now_.ps ? now_.ps + other : event_queue::never;
    const std::uint64_t limit = std::min(due, end_.ps);
    return limit > now_.ps ? limit - 1 : now_.ps;
}

void scheduler::run() {
    const sim_time kernel = kernel_now();
    const flag_while guard(running_);
    leaving_ = false;
    now_ = kernel;
    ahead_ps_ = last_instant();
    try {
        event_queue::entry e;
        while (!leaving_ && queue_.pop(ahead_ps_, e)) {
            now_ = {e.time_ps};
            e.what(e.object, e.argument);
            if (++executed_ >= heartbeat_due_) {
                heartbeat_due_ = executed_ + heartbeat_interval_;
                heartbeat_(heartbeat_object_, executed_);
            }
        }
    } catch (...) { return fail(std::current_exception()); }
    armed_ps_ = queue_.next_time();
    if (armed_ps_ != event_queue::never) wake_.notify(sc_core::sc_time::from_value(armed_ps_ - kernel.ps));
}

}  // namespace contraflow::core
