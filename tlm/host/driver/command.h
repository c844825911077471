// SPDX-License-Identifier: Apache-2.0
// An entry of a command queue. It begins in its turn, takes time and ends once. Commands live as long as their driver,
// so after a run they have the record of what ran and when.
#pragma once

#include <coroutine>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "core/callback.h"
#include "core/units.h"
#include "gpu/kernel/coroutine_stack.h"

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
    // The same, also while the command is in progress.
    virtual std::exception_ptr error_so_far() const { return error_; }
    // Throws the error; it then counts as reported.
    void rethrow() {
        reported_ = true;
        if (error_) std::rethrow_exception(error_);
    }
    // The times when it began and when it was done.
    core::sim_time begun() const { return begun_; }
    core::sim_time ended() const { return ended_; }

    // Calls it when the command is done, or at once if it already is.
    void then(core::callback c) {
        if (done_) return c();
        waiting_.push_back(c);
    }

protected:
    friend class command_queue;
    // Begins the command in its turn. It calls queue().finished(*this) when it is done, but not within this call.
    virtual void begin() = 0;
    // Its waits, for reports.
    virtual std::string holder() const = 0;
    // Whether it has been given to a GPU, once it has begun.
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
    std::vector<core::callback> waiting_;
};

// A command's end for a host program: co_await it, have another queue wait for it, or drop it.
class event {
public:
    explicit event(command& of) : of_(&of) {}

    bool done() const { return of_->done(); }
    const command& of() const { return *of_; }
    void then(core::callback c) const { of_->then(c); }

    bool await_ready() const noexcept { return of_->done(); }
    template <class Promise> void await_suspend(std::coroutine_handle<Promise> h) const {
        gpu::coroutine_stack& s = h.promise().on();
        s.wait_in(h);
        of_->then(core::callback::to<&gpu::coroutine_stack::resume>(s));
    }
    // Throws the first error.
    void await_resume() const { of_->rethrow(); }

private:
    command* of_;
};

}  // namespace contraflow::host
