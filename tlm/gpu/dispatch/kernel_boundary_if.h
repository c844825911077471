// SPDX-License-Identifier: Apache-2.0
// Work between kernels: invalidate copies that may be stale, make links symmetric again, write dirty bytes back.
// Returns true if it is done. If false, it takes time and calls dispatcher.boundary_done(k) at its end.
#pragma once

namespace contraflow::gpu {

class kernel_launch;

class kernel_boundary_if {
public:
    virtual ~kernel_boundary_if() = default;
    // Before its first CTA.
    virtual bool kernel_begins(const kernel_launch& k) = 0;
    // After its last.
    virtual bool kernel_ends(const kernel_launch& k) = 0;
};

}  // namespace contraflow::gpu
