// SPDX-License-Identifier: Apache-2.0
// One line of execution of coroutines that await one another: a wavefront or a host task. Control passes from one to
// the next through resume() and not by one coroutine's calling another, so that the machine's stack stays flat
// however deep or often they nest (a symmetric transfer does that in optimised builds only).
#pragma once

#include <coroutine>
#include <exception>
#include <utility>

namespace contraflow::gpu {

class coroutine_stack {
public:
    coroutine_stack() = default;
    ~coroutine_stack() { drop(); }
    coroutine_stack(const coroutine_stack&) = delete;
    coroutine_stack& operator=(const coroutine_stack&) = delete;

    // Takes over the outermost coroutine; resume() begins it.
    void begin(std::coroutine_handle<> outermost) {
        drop();
        outermost_ = next_ = outermost;
    }
    // Goes on where the coroutine stack stands, until it waits for something outside or has ended. Never from inside
    // itself.
    void resume() {
        if (waiting_) next_ = std::exchange(waiting_, nullptr);
        while (next_) std::exchange(next_, nullptr).resume();
    }
    // Destroys what is left of the coroutines, innermost first as their owners do.
    void drop() {
        waiting_ = next_ = nullptr;
        error_ = nullptr;
        if (outermost_) std::exchange(outermost_, nullptr).destroy();
    }
    bool finished() const { return outermost_ && !waiting_ && !next_ && outermost_.done(); }
    // What left the outermost coroutine by a throw.
    std::exception_ptr error() const { return error_; }

    // For awaitables: the coroutine stays suspended until somebody calls resume(); or another one goes on.
    void wait_in(std::coroutine_handle<> h) { waiting_ = h; }
    void go_on_at_once() { waiting_ = nullptr; }
    void continue_with(std::coroutine_handle<> h) { next_ = h; }
    void fail(std::exception_ptr e) { error_ = std::move(e); }

private:
    std::coroutine_handle<> outermost_;
    std::coroutine_handle<> waiting_;
    std::coroutine_handle<> next_;
    std::exception_ptr error_;
};

}  // namespace contraflow::gpu
