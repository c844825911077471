// SPDX-License-Identifier: Apache-2.0
// Heat conduction in an insulated box with sources, in explicit steps: what the two stencil workloads share.
#pragma once

#include "workloads/physics/box.h"
#include "workloads/support/workload_if.h"

namespace contraflow::workloads {

class heat : public workload_if {
public:
    struct problem {
        box cells;
        unsigned steps;
        std::uint32_t block;
        std::uint64_t seed;
    };
    explicit heat(const problem& p) : problem_(p) {}

    void prepare(gpu::device_memory& memory) override;
    gpu::host_task run(gpu::gpu_system_if& gpu) override;
    std::string verify(gpu::device_memory& memory) override;

private:
    gpu::kernel initialise(gpu::wave w);
    gpu::kernel step(gpu::wave w);
    double conduction() const { return 0.4 / problem_.cells.dimensions(); }  // stable below 1 / (2 dimensions)
    std::vector<double> temperatures_on_host() const;

    const problem problem_;
    gpu::array<double> now_, next_, sources_;
};

}  // namespace contraflow::workloads
