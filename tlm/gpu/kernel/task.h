// SPDX-License-Identifier: Apache-2.0
// The coroutine type of everything that runs on a modelled GPU or its host: `kernel` (a wavefront), `host_task`, and
// task<T>, a part of either that is awaited and returns a value. A task begins when it is awaited or its coroutine
// stack is resumed; its exception leaves the co_await, or the coroutine stack if nothing awaits it.
#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>
#include <optional>
#include <utility>

#include "gpu/kernel/coroutine_stack.h"
#include "gpu/kernel/frame_pool.h"

namespace contraflow::gpu {

template <class T> class task;

class task_promise_base {
public:
    static void* operator new(std::size_t bytes) { return frame_pool::of_this_thread().take(bytes); }
    static void operator delete(void* frame, std::size_t bytes) {
        frame_pool::of_this_thread().give_back(frame, bytes);
    }

    struct final_awaiter {
        bool await_ready() const noexcept { return false; }
        template <class Promise> void await_suspend(std::coroutine_handle<Promise> h) const noexcept {
            task_promise_base& p = h.promise();
            if (p.awaiting_)
                p.stack_->continue_with(p.awaiting_);
            else if (p.error_)
                p.stack_->fail(p.error_);
        }
        void await_resume() const noexcept {}
    };

    std::suspend_always initial_suspend() const noexcept { return {}; }
    final_awaiter final_suspend() const noexcept { return {}; }
    void unhandled_exception() noexcept { error_ = std::current_exception(); }

    coroutine_stack& on() const { return *stack_; }
    void run_on(coroutine_stack& s, std::coroutine_handle<> awaiting) {
        stack_ = &s;
        awaiting_ = awaiting;
    }
    void rethrow() const {
        if (error_) std::rethrow_exception(error_);
    }

private:
    coroutine_stack* stack_ = nullptr;
    std::coroutine_handle<> awaiting_;
    std::exception_ptr error_;
};

template <class T> class task_promise : public task_promise_base {
public:
    task<T> get_return_object();
    template <class U> void return_value(U&& value) { value_.emplace(std::forward<U>(value)); }
    T result() {
        rethrow();
        return std::move(*value_);
    }

private:
    std::optional<T> value_;
};

template <> class task_promise<void> : public task_promise_base {
public:
    task<void> get_return_object();
    void return_void() const noexcept {}
    void result() const { rethrow(); }
};

template <class T = void> class [[nodiscard]] task {
public:
    using promise_type = task_promise<T>;
    using handle = std::coroutine_handle<promise_type>;

    explicit task(handle h) : handle_(h) {}
    task(task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    task& operator=(task&& other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~task() {
        if (handle_) handle_.destroy();
    }

    class awaiter {
    public:
        explicit awaiter(handle h) : handle_(h) {}
        bool await_ready() const noexcept { return false; }
        template <class Promise> void await_suspend(std::coroutine_handle<Promise> awaiting) const noexcept {
            coroutine_stack& s = awaiting.promise().on();
            handle_.promise().run_on(s, awaiting);
            s.continue_with(handle_);
        }
        T await_resume() const { return handle_.promise().result(); }

    private:
        handle handle_;
    };
    awaiter operator co_await() const& { return awaiter(handle_); }

    // Passes the coroutine to a coroutine stack of its own.
    void start_on(coroutine_stack& s) && {
        handle_.promise().run_on(s, nullptr);
        s.begin(std::exchange(handle_, nullptr));
    }

private:
    handle handle_;
};

template <class T> task<T> task_promise<T>::get_return_object() {
    return task<T>(std::coroutine_handle<task_promise<T>>::from_promise(*this));
}
inline task<void> task_promise<void>::get_return_object() {
    return task<void>(std::coroutine_handle<task_promise<void>>::from_promise(*this));
}

using kernel = task<void>;
using host_task = task<void>;

}  // namespace contraflow::gpu
