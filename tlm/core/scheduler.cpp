// SPDX-License-Identifier: Apache-2.0
#include "core/scheduler.h"

#include <stdexcept>

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
    heap_.reserve(1024);
    SC_HAS_PROCESS(scheduler);
    SC_METHOD(run);
    sensitive << wake_;
    dont_initialize();
}

void scheduler::at(sim_time when, action what, void* object, std::uint64_t argument) {
    const sim_time current = now();
    if (when < current) throw std::logic_error("scheduler: a callback was scheduled in the past");
    push({when.ps, next_sequence_++, what, object, argument});
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

void scheduler::run() {
    now_ = now();
    const std::uint64_t current = now_.ps;
    const flag_while guard(running_);  // a callback may throw
    leaving_ = false;
    while (!leaving_ && !heap_.empty() && heap_.front().time_ps <= current) {
        const entry e = pop();
        e.what(e.object, e.argument);
        if (++executed_ >= heartbeat_due_) {
            heartbeat_due_ = executed_ + heartbeat_interval_;
            heartbeat_(heartbeat_object_, executed_);
        }
    }
    armed_ps_ = sim_time::never().ps;
    if (!heap_.empty()) {
        armed_ps_ = heap_.front().time_ps;
        wake_.notify(sc_core::sc_time::from_value(armed_ps_ - current));
    }
}

void scheduler::push(const entry& e) {
    std::size_t i = heap_.size();
    heap_.push_back(e);
    while (i > 0) {
        const std::size_t parent = (i - 1) / 4;
        if (!e.before(heap_[parent])) break;
        heap_[i] = heap_[parent];
        i = parent;
    }
    heap_[i] = e;
}

scheduler::entry scheduler::pop() {
    const entry top = heap_.front();
    const entry last = heap_.back();
    heap_.pop_back();
    const std::size_t n = heap_.size();
    if (n == 0) return top;
    std::size_t i = 0;
    for (;;) {
        const std::size_t first = 4 * i + 1;
        if (first >= n) break;
        std::size_t least = first;
        const std::size_t end = first + 4 < n ? first + 4 : n;
        for (std::size_t c = first + 1; c < end; ++c)
            if (heap_[c].before(heap_[least])) least = c;
        if (!heap_[least].before(last)) break;
        heap_[i] = heap_[least];
        i = least;
    }
    heap_[i] = last;
    return top;
}

}  // namespace contraflow::core
