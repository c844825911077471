// SPDX-License-Identifier: Apache-2.0
// The program `numa_gpu`: runs each workload with each kind of links and compares the results.
#pragma once

#include "numa_gpu/experiment.h"
#include "study/study.h"

namespace contraflow::numa_gpu {

class numa_gpu_platform final : public study::study_platform<experiment> {
public:
    std::string_view name() const override { return "numa_gpu"; }
    std::string_view summary() const override {
        return "what links whose lanes change direction buy a multi-socket GPU";
    }
    std::vector<std::string> wave_events() const override { return {"first_turn", "first_fault"}; }
    void prepare(config::loaded<experiment>& loaded, config::diagnostics& diag) override;

    nlohmann::ordered_json results_form(const config::loaded<experiment>& loaded) const override;

private:
    int run_study(const experiment& settings, face::run_context& context, face::growing_file* record) override;
};

}  // namespace contraflow::numa_gpu
