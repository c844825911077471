// SPDX-License-Identifier: Apache-2.0
// A kernel in a queue, with one part for each member of the GPU that gets workgroups.
#pragma once

#include <deque>

#include "gpu/kernel/grid.h"
#include "gpu/kernel/kernel_launch.h"
#include "host/driver/command.h"

namespace contraflow::host {

class launch_command final : public command {
public:
    launch_command(command_queue& queue, gpu::kernel_launch kernel, gpu::cta_run run);

    class part final : public gpu::grid_part {
    public:
        part(launch_command& of, gpu::cta_run run, unsigned gpu);
        void end() override { of_.part_ended(*this); }
        unsigned gpu() const { return gpu_; }  // number of the hardware's GPU

    private:
        launch_command& of_;
        unsigned gpu_;
    };
    const gpu::kernel_launch& kernel() const { return kernel_; }
    // In the order of the GPU's members; empty until it has begun.
    const std::deque<part>& parts() const { return parts_; }
    std::exception_ptr error_so_far() const override;

private:
    void begin() override;
    std::string holder() const override;
    void part_ended(part& p);

    gpu::kernel_launch kernel_;
    const gpu::cta_run run_;
    std::deque<part> parts_;
    std::size_t running_ = 0;
};

}  // namespace contraflow::host
