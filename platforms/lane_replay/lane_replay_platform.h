// SPDX-License-Identifier: Apache-2.0
// The program `lane_replay`: reads cases, plays each, and reports where a result differs from the expected one.
#pragma once

#include <string>
#include <vector>

#include "cosim/controller_set.h"
#include "face/platform.h"
#include "lane_replay/replay_report.h"
#include "lane_replay/replay_spec.h"
#include "link/cases/lane_case_file.h"
#include "replay/case_input.h"

namespace contraflow::lane_replay {

class lane_replay_platform final : public face::platform<replay_spec> {
public:
    std::string_view name() const override { return "lane_replay"; }
    std::string_view summary() const override {
        return "traces of arrivals played against the lanes of a reversible link and their controller";
    }
    bool has_limit_time() const override { return false; }  // cases are played to their ends
    std::string_view why_no_trace() const override { return "a replay has none; --wave shows its signals"; }
    void options(CLI::App& app) override;
    std::vector<std::string> wave_events() const override { return {"first_turn"}; }
    void prepare(config::loaded<replay_spec>& loaded, config::diagnostics& diag) override;
    int run(const config::loaded<replay_spec>& loaded, face::run_context& context) override;
    nlohmann::ordered_json results_form(const config::loaded<replay_spec>&) const override {
        return lane_replay::results_form(input_.cases());
    }

private:
    void show(const link::lane_case& c, const link::replay_result& result, const cosim::controller_set& controllers,
              face::run_context& context) const;

    replay::case_input<link::lane_case> input_;
};

}  // namespace contraflow::lane_replay
