// SPDX-License-Identifier: Apache-2.0
// A launch whose CTAs do not fit into any compute unit, even an empty one.
#pragma once

#include <stdexcept>

#include "gpu/compute_unit/compute_unit_spec.h"
#include "gpu/kernel/kernel_launch.h"

namespace contraflow::gpu {

class cta_too_large : public std::invalid_argument {
public:
    cta_too_large(const kernel_launch& k, const compute_unit_spec& unit);
    const std::string& kernel() const { return kernel_; }
    // The needs of a CTA.
    unsigned waves() const { return waves_; }
    core::bytes shared() const { return shared_; }

private:
    std::string kernel_;
    unsigned waves_;
    core::bytes shared_;
};

}  // namespace contraflow::gpu
