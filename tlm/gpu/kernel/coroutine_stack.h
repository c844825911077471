// SPDX-License-Identifier: Apache-2.0
// One line of execution of coroutines that await one another: a wavefront or a host task. Control passes between them
// through resume() and not by calls, so the machine's stack stays flat at any depth of nesting (a symmetric transfer
// does so only in optimised builds).
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

    // Takes the outermost coroutine; resume() starts it.
    void begin(std::coroutine_handle<> outermost) {
        drop();
        outermost_ = next_ = outermost;
    }
    // Continues the innermost coroutine until it waits for something outside or all have ended. Never call it from
    // inside.
    void resume() {
        if (waiting_) next_ = std::exchange(waiting_, nullptr);
        while (next_) std::exchange(next_, nullptr).resume();
    }
    // Destroys the remaining coroutines, innermost first.
    void drop() {
        waiting_ = next_ = nullptr;
        error_ = nullptr;
        if (outermost_) std::exchange(outermost_, nullptr).destroy();
    }
    bool finished() const { return outermost_ && !waiting_ && !next_ && outermost_.done(); }
    // The exception that left the outermost coroutine.
    std::exception_ptr error() const { return error_; }

    // For awaitables: the coroutine stays suspended until resume() is called, or another one continues.
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
