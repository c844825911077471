// SPDX-License-Identifier: Apache-2.0
// The operations of a wavefront that touch no memory: barrier, fence, time spent computing.
#pragma once

#include <coroutine>
#include <cstdint>

#include "gpu/kernel/wave_context.h"

namespace contraflow::gpu {

class [[nodiscard]] barrier_operation {
public:
    explicit barrier_operation(wave_context& w) : context_(&w) {}
    bool await_ready() const noexcept { return false; }
    template <class Promise> bool await_suspend(std::coroutine_handle<Promise> h) {
        return context_->suspend(h, [this] { return context_->executor().barrier(*context_); });
    }
    void await_resume() const noexcept {}

private:
    wave_context* context_;
};

class [[nodiscard]] fence_operation {
public:
    explicit fence_operation(wave_context& w) : context_(&w) {}
    bool await_ready() const noexcept { return false; }
    template <class Promise> bool await_suspend(std::coroutine_handle<Promise> h) {
        return context_->suspend(h, [this] { return context_->executor().fence(*context_); });
    }
    void await_resume() const noexcept {}

private:
    wave_context* context_;
};

class [[nodiscard]] compute_operation {
public:
    compute_operation(wave_context& w, std::uint64_t cycles) : context_(&w), cycles_(cycles) {}
    bool await_ready() const noexcept { return cycles_ == 0; }
    template <class Promise> bool await_suspend(std::coroutine_handle<Promise> h) {
        return context_->suspend(h, [this] { return context_->executor().compute(*context_, cycles_); });
    }
    void await_resume() const noexcept {}

private:
    wave_context* context_;
    std::uint64_t cycles_;
};

}  // namespace contraflow::gpu
