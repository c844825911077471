// SPDX-License-Identifier: Apache-2.0
#include "core/scheduler.h"

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

scheduler::scheduler(const sc_core::sc_module_name& name) : sc_core::sc_module(name), wake_("wake") {
    SC_HAS_PROCESS(scheduler);
    SC_METHOD(run);
    sensitive << wake_;
    dont_initialize();
}

void scheduler::at(sim_time when, action what, void* object, std::uint64_t argument) {
    const sim_time current = now();
    if (when < current) throw std::logic_error("scheduler: a callback was scheduled in the past");
    queue_.push(when.ps, what, object, argument);
    if (!running_ && when.ps < armed_ps_) {
        armed_ps_ = when.ps;
        wake_.notify(sc_core::sc_time::from_value((when - current).ps));
    }
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
    sc_core::sc_pause();
}

void scheduler::run_instant(std::uint64_t current) {
    event_queue::entry e;
    while (!leaving_ && queue_.pop(current, e)) {
        e.what(e.object, e.argument);
        if (++executed_ >= heartbeat_due_) {
            heartbeat_due_ = executed_ + heartbeat_interval_;
            heartbeat_(heartbeat_object_, executed_);
        }
    }
}

void scheduler::run() {
    now_ = now();
    const std::uint64_t current = now_.ps;
    const flag_while guard(running_);
    leaving_ = false;
    try {
        run_instant(current);
    } catch (...) { return fail(std::current_exception()); }
    armed_ps_ = queue_.next_time();
    if (armed_ps_ != event_queue::never) wake_.notify(sc_core::sc_time::from_value(armed_ps_ - current));
}

}  // namespace contraflow::core
