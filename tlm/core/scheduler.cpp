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

scheduler::scheduler(const sc_core::sc_module_name& name, time_source asked)
    : sc_core::sc_module(name),
      asked_(asked),
      wake_("wake") {
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
        wake_.notify(sc_core::sc_time::from_value((when - kernel_now()).ps));
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
    pause();
}

void scheduler::starts(sim_time end) {
    end_ = end;
    pausing_ = false;
}

void scheduler::pause() {
    pausing_ = true;
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

// Another process that is due at the same time waits for the kernel too, which decides their order.
bool scheduler::may_run(std::uint64_t next_ps, sim_time kernel) const {
    return asked_ == time_source::scheduler && !leaving_ && !pausing_ && next_ps != event_queue::never &&
           next_ps < end_.ps && next_ps - kernel.ps < sc_core::sc_time_to_pending_activity().value();
}

void scheduler::run() {
    const sim_time kernel = kernel_now();
    const flag_while guard(running_);
    leaving_ = false;
    now_ = kernel;
    try {
        run_instant(now_.ps);
        armed_ps_ = queue_.next_time();
        while (may_run(armed_ps_, kernel)) {
            now_ = {armed_ps_};
            run_instant(now_.ps);
            armed_ps_ = queue_.next_time();
        }
    } catch (...) { return fail(std::current_exception()); }
    if (armed_ps_ != event_queue::never) wake_.notify(sc_core::sc_time::from_value(armed_ps_ - kernel.ps));
}

}  // namespace contraflow::core
