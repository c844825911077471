// SPDX-License-Identifier: Apache-2.0
// What has to happen between kernels: invalidate copies that may be stale, make links symmetric again, write newer
// bytes back. True: done. False: it takes time, and dispatcher.boundary_done(k) is called at its end.
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
