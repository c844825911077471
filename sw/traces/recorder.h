// SPDX-License-Identifier: Apache-2.0
// A machine that passes everything on to another machine and records the instructions of wavefronts. It does not affect
// simulated time. recorder r(machine, file); w.prepare(r.memory()); machine runs w.run(r); r.finish().
#pragma once

#include <deque>
#include <memory>
#include <ostream>
#include <vector>

#include "gpu/kernel/coroutine_stack.h"
#include "gpu/kernel/gpu_system_if.h"
#include "traces/trace_writer.h"

namespace contraflow::traces {

class recorder final : public gpu::gpu_system_if {
public:
    // Both outlive it; it outlives the program and its kernels.
    recorder(gpu::gpu_system_if& machine, std::ostream& out);
    recorder(gpu::gpu_system_if& machine, gpu::device_memory& memory, std::ostream& out);
    ~recorder() override;

    gpu::launch_operation launch(gpu::kernel_launch kernel) override;
    gpu::device_memory& memory() override;
    unsigned wave_width() const override { return machine_.wave_width(); }

    // Call it after the program's end. The stream's state tells whether all could be written.
    void finish();

private:
    class listener;
    class noted_memory;
    // A launch as the program sees it, and the listener for the end of the machine's launch.
    struct noted_launch {
        explicit noted_launch(gpu::kernel_launch k) : state(std::move(k)) {}
        gpu::launch_state state;
        gpu::coroutine_stack watcher;
    };

    gpu::kernel listen(gpu::wave w, const gpu::kernel_launch* original, std::uint64_t launch);
    gpu::host_task watch(gpu::launch_operation machines, gpu::launch_state* programs);
    listener& free_listener();

    gpu::gpu_system_if& machine_;
    trace_writer writer_;
    std::unique_ptr<noted_memory> memory_;
    std::deque<noted_launch> launches_;
    std::uint64_t ended_ = 0;
    std::vector<std::unique_ptr<listener>> listeners_;  // one for each wavefront of the largest number that ran at once
    std::vector<listener*> free_;
};

}  // namespace contraflow::traces
