// SPDX-License-Identifier: Apache-2.0
// Runs a host program with a timed machine: passes its launches to the dispatcher and resumes it when they have ended.
// The host's own work takes no simulated time.
#pragma once

#include <deque>

#include "gpu/dispatch/cta_dispatcher.h"
#include "gpu/kernel/gpu_system_if.h"

namespace contraflow::gpu {

class host_program final : public gpu_system_if {
public:
    host_program(cta_dispatcher& dispatcher, device_memory& memory) : dispatcher_(dispatcher), memory_(memory) {}

    launch_operation launch(kernel_launch kernel) override;
    device_memory& memory() override { return memory_; }
    unsigned wave_width() const override { return dispatcher_.wave_width(); }

    // Runs the program at once up to its first launch; the simulation continues it.
    void start(host_task program);
    bool finished() const { return host_.finished() && dispatcher_.idle(); }
    // Rethrows the program's exception.
    void rethrow() const;

    // All launches so far, with their names and times.
    const std::deque<launch_state>& launches() const { return launches_; }

private:
    cta_dispatcher& dispatcher_;
    device_memory& memory_;
    std::deque<launch_state> launches_;
    coroutine_stack host_;
};

}  // namespace contraflow::gpu
