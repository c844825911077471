// SPDX-License-Identifier: Apache-2.0
// What a command queue holds: something that begins when its turn has come, takes its time, and is done once. Commands
// live as long as their driver: what ran, and when, can be asked of them at the end.
#pragma once

#include <coroutine>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "core/units.h"
#include "gpu/kernel/coroutine_stack.h"
#include "memory/port/completion.h"

namespace contraflow::host {

class command_queue;

class command {
public:
    command(command_queue& queue, std::string name) : queue_(&queue), name_(std::move(name)) {}
    virtual ~command() = default;
    command(const command&) = delete;
    command& operator=(const command&) = delete;

    const std::string& name() const { return name_; }
    const std::string& queue_path() const;
    bool done() const { return done_; }
    // The first error.
    std::exception_ptr error() const { return error_; }
    // The same, while the command may still be under way.
    virtual std::exception_ptr error_so_far() const { return error_; }
    // Throws it; from now on it counts as reported.
    void rethrow() {
        reported_ = true;
        if (error_) std::rethrow_exception(error_);
    }
    // When its turn came, and when it was done.
    core::sim_time begun() const { return begun_; }
    core::sim_time ended() const { return ended_; }

    // Calls it when the command is done; at once if it is done already.
    void then(memory::completion c) {
        if (done_) return c();
        waiting_.push_back(c);
    }

protected:
    friend class command_queue;
    // The command's turn has come. It calls queue().finished(*this) when it is done, not from within this call.
    virtual void begin() = 0;
    // What it waits for, for a report.
    virtual std::string holder() const = 0;
    // Once its turn has come: whether it has been given to a GPU.
    virtual bool given() const { return true; }
    // Whether it runs on a GPU and so needs a round trip to it.
    virtual bool on_gpu() const { return true; }
    void fail(std::exception_ptr why) {
        if (why && !error_) error_ = std::move(why);
    }
    command_queue& queue() const { return *queue_; }

private:
    command_queue* queue_;
    std::string name_;
    bool done_ = false;
    bool reported_ = false;
    std::exception_ptr error_;
    core::sim_time begun_{}, ended_{};
    std::vector<memory::completion> waiting_;
};

// A command's end, as a host program sees it: co_await it, have another queue wait for it, or drop it.
class event {
public:
    explicit event(command& of) : of_(&of) {}

    bool done() const { return of_->done(); }
    const command& of() const { return *of_; }
    void then(memory::completion c) const { of_->then(c); }

    bool await_ready() const noexcept { return of_->done(); }
    template <class Promise> void await_suspend(std::coroutine_handle<Promise> h) const {
        gpu::coroutine_stack& s = h.promise().on();
        s.wait_in(h);
        of_->then({[](void* stack, std::uint64_t) { static_cast<gpu::coroutine_stack*>(stack)->resume(); }, &s, 0});
    }
    // Throws the first error.
    void await_resume() const { of_->rethrow(); }

private:
    command* of_;
};

}  // namespace contraflow::host
