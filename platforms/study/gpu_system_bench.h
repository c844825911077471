// SPDX-License-Identifier: Apache-2.0
// A bench whose machine is a NUMA GPU (gpu/system/gpu_system.h) with a host program.
#pragma once

#include <algorithm>

#include "gpu/system/gpu_system.h"
#include "study/program_bench.h"

namespace contraflow::study {

class gpu_system_bench : public program_bench<gpu::gpu_system> {
public:
    using program_bench::program_bench;

    // The host program itself counts as work.
    std::uint64_t outstanding() override {
        return machine.host().finished() ? machine.outstanding() : std::max<std::uint64_t>(1, machine.outstanding());
    }
    std::uint64_t done() override { return requests_of(machine.profile()); }
    void rethrow(bool) override { machine.host().rethrow(); }

private:
    gpu::gpu_system_if& target() override { return machine.host(); }
    void start_program(gpu::host_task program, std::function<void()> ended) override {
        machine.host().start(whole(std::move(program), std::move(ended)));
    }
    static gpu::host_task whole(gpu::host_task program, std::function<void()> ended) {
        co_await program;
        ended();
    }
};

}  // namespace contraflow::study
