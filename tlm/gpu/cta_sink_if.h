// SPDX-License-Identifier: Apache-2.0
// Who gives a compute unit its CTAs, and hears what becomes of them.
#pragma once

#include <exception>

namespace contraflow::gpu {

class compute_unit;

class cta_sink_if {
public:
    // All wavefronts have ended and their stores are answered; the CTA's place in the unit is free again.
    virtual void cta_finished(compute_unit& unit) = 0;
    // A wavefront threw, or memory answered with an error; the rest of the CTA goes on.
    virtual void cta_failed(std::exception_ptr error) = 0;
    // It had been drained, and takes CTAs again.
    virtual void unit_enabled(compute_unit& unit) = 0;

protected:
    ~cta_sink_if() = default;
};

}  // namespace contraflow::gpu
