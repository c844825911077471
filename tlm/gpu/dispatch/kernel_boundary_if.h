// SPDX-License-Identifier: Apache-2.0
// What has to happen between kernels: copies that may be stale are invalidated, links return to their symmetric state,
// bytes newer than their home are written back. True: done; false: it takes time, and dispatcher.boundary_done(k) is
// called when it has been done.
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
