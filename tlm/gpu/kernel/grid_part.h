// SPDX-License-Identifier: Apache-2.0
// What a dispatcher is given to run: a kernel, and the run of its CTAs that this dispatcher sees to. Of one kernel, a
// dispatcher has one part at a time.
#pragma once

#include <exception>
#include <utility>

#include "core/units.h"
#include "gpu/kernel/cta_run.h"

namespace contraflow::gpu {

class kernel_launch;

class grid_part {
public:
    // The kernel lives at least until end(); the run is not empty.
    grid_part(const kernel_launch& k, cta_run run) : kernel_(&k), run_(run) {}
    grid_part(const grid_part&) = delete;
    grid_part& operator=(const grid_part&) = delete;

    const kernel_launch& of() const { return *kernel_; }
    cta_run run() const { return run_; }
    void fail(std::exception_ptr why) {
        if (!error) error = std::move(why);
    }
    // Nothing of it is left, and its dispatcher has forgotten it.
    virtual void end() = 0;

    std::exception_ptr error;   // the first thing a wavefront threw
    core::sim_time begun{};     // its first CTA may start; 0 on a machine without time
    core::sim_time ended_at{};  // nothing of it is left

protected:
    ~grid_part() = default;

private:
    const kernel_launch* kernel_;
    cta_run run_;
};

}  // namespace contraflow::gpu
