// SPDX-License-Identifier: Apache-2.0
// Many GPUs as one: a program on them with pages that stay and with pages that move, side by side.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "study/study.h"
#include "unified_gpu/experiment.h"

namespace contraflow::unified_gpu {

class unified_gpu_platform final : public study::study_platform<experiment> {
public:
    std::string_view name() const override { return "unified_gpu"; }
    std::string_view summary() const override {
        return "Many GPUs offered as one: what a remote access costs, where pages go, and when moving them pays.";
    }
    void options(CLI::App& app) override;
    void prepare(config::loaded<experiment>& loaded, config::diagnostics& diag) override;

    nlohmann::ordered_json results_form(const config::loaded<experiment>& loaded) const override;

private:
    int run_study(const experiment& settings, face::run_context& context, face::growing_file* record) override;

    std::optional<std::string> gpus_, unified_;  // --gpus, --unified-gpus
    bool unified_memory_ = false;                // --unified-mem
};

}  // namespace contraflow::unified_gpu
