// SPDX-License-Identifier: Apache-2.0
// The program `numa_gpu`: runs each workload with each kind of links and sets the results side by side.
#pragma once

#include "face/platform.h"
#include "numa_gpu/experiment.h"
#include "numa_gpu/numa_report.h"

namespace contraflow::numa_gpu {

class numa_gpu_platform final : public face::platform<experiment> {
public:
    std::string_view name() const override { return "numa_gpu"; }
    std::string_view summary() const override {
        return "what links whose lanes change direction buy a multi-socket GPU";
    }
    std::vector<std::string> wave_events() const override { return {"first_turn", "first_fault"}; }
    void options(CLI::App& app) override;
    void prepare(config::loaded<experiment>& loaded, config::diagnostics& diag) override;
    int run(const config::loaded<experiment>& loaded, face::run_context& context) override;

private:
    std::optional<std::string> record_;  // the file that takes a trace
};

}  // namespace contraflow::numa_gpu
