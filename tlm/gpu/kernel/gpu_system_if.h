// SPDX-License-Identifier: Apache-2.0
// A system that runs kernels for a host program: co_await gpu.launch({"name", grid, block, this, &mine::body}).
// Launches begin in order, each when the one before has ended. Awaiting a launch waits for its end.
#pragma once

#include <coroutine>
#include <exception>
#include <utility>

#include "gpu/kernel/device_memory.h"
#include "gpu/kernel/grid.h"
#include "gpu/kernel/kernel_launch.h"
#include "gpu/kernel/task.h"

namespace contraflow::gpu {

// A launch in progress; the system keeps it at least until it has been awaited.
struct launch_state final : grid_part {
    explicit launch_state(kernel_launch k) : grid_part(launch, {0, k.ctas()}), launch(std::move(k)) {}

    kernel_launch launch;
    bool ended = false;
    coroutine_stack* awaiting = nullptr;

    void end() override {
        ended = true;
        launch.clear_body();
        if (awaiting) std::exchange(awaiting, nullptr)->resume();
    }
};

class [[nodiscard]] launch_operation {
public:
    explicit launch_operation(launch_state& state) : state_(&state) {}
    bool await_ready() const noexcept { return state_->ended; }
    template <class Promise> void await_suspend(std::coroutine_handle<Promise> h) {
        state_->awaiting = &h.promise().on();
        state_->awaiting->wait_in(h);
    }
    // Throws the exception of a wavefront.
    void await_resume() const {
        if (state_->error) std::rethrow_exception(state_->error);
    }

private:
    launch_state* state_;
};

class gpu_system_if {
public:
    virtual ~gpu_system_if() = default;
    virtual launch_operation launch(kernel_launch kernel) = 0;
    virtual device_memory& memory() = 0;
    virtual unsigned wave_width() const = 0;  // threads of a wavefront: 32 or 64
};

}  // namespace contraflow::gpu
