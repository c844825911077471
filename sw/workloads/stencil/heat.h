// SPDX-License-Identifier: Apache-2.0
// Heat conduction in an insulated box with sources, in explicit steps: shared by the two stencil workloads.
#pragma once

#include "config/fields.h"
#include "gpu/kernel/wave.h"
#include "workloads/physics/box.h"
#include "workloads/support/workload_if.h"

namespace contraflow::workloads {

// The parameters in addition to the size of the box.
struct heat_spec {
    unsigned steps = 2;
    std::uint32_t block = 256;
    std::uint64_t seed = 1;

    template <class S> static void describe_heat(config::fields<S>& f) {
        f("steps", &heat_spec::steps).in(1, 100).text("steps in time, a launch each");
        f("block", &heat_spec::block)
            .in(32, 1024)
            .check([](std::uint32_t b) { return b % 32 == 0; }, "of whole wavefronts")
            .unit("threads")
            .text("threads of a CTA; more where the machine's wavefronts do not divide it");
        f("seed", &heat_spec::seed).text("seed of temperatures and sources");
    }
};

class heat : public workload_if {
public:
    heat(const box& cells, const heat_spec& s) : problem_{s, cells} {}

    void prepare(gpu::device_memory& memory) override;
    gpu::host_task run(gpu::gpu_system_if& gpu) override;
    std::string verify(gpu::device_memory& memory) override;

private:
    gpu::kernel initialise(gpu::wave w);
    gpu::kernel step(gpu::wave w);
    double conduction() const { return 0.4 / problem_.cells.dimensions(); }  // stable below 1 / (2 dimensions)
    std::vector<double> temperatures_on_host() const;

    struct problem : heat_spec {
        box cells;
    };
    const problem problem_;
    gpu::array<double> now_, next_, sources_;
};

}  // namespace contraflow::workloads
