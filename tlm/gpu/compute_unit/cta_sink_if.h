// SPDX-License-Identifier: Apache-2.0
// Gives a compute unit its CTAs and is told when they end. The dispatcher, which is in a folder above this one,
// implements it.
#pragma once

#include <exception>

namespace contraflow::gpu {

class compute_unit;
class kernel_launch;

class cta_sink_if {
public:
    // All wavefronts of a CTA of that kernel have ended and their stores are answered. Its place in the unit is free
    // again.
    virtual void cta_finished(compute_unit& unit, const kernel_launch& k) = 0;
    // A wavefront threw, or memory answered with an error. The rest of the CTA continues.
    virtual void cta_failed(const kernel_launch& k, std::exception_ptr error) = 0;
    // The unit had been drained and accepts CTAs again.
    virtual void unit_enabled(compute_unit& unit) = 0;
    // The unit is paused, and all its line requests are answered.
    virtual void unit_quiet(compute_unit&) {}

protected:
    ~cta_sink_if() = default;
};

}  // namespace contraflow::gpu
