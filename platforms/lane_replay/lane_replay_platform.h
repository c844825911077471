// SPDX-License-Identifier: Apache-2.0
// The program `lane_replay`: reads cases, plays each, and says where a result is not the expected one.
#pragma once

#include <string>
#include <vector>

#include "cosim/controller_set.h"
#include "face/platform.h"
#include "lane_replay/replay_spec.h"
#include "link/cases/lane_case_file.h"

namespace contraflow::lane_replay {

class lane_replay_platform final : public face::platform<replay_spec> {
public:
    std::string_view name() const override { return "lane_replay"; }
    std::string_view summary() const override {
        return "traces of arrivals played against the lanes of a reversible link and their controller";
    }
    void options(CLI::App& app) override;
    std::vector<std::string> wave_events() const override { return {"first_turn"}; }
    void prepare(config::loaded<replay_spec>& loaded, config::diagnostics& diag) override;
    int run(const config::loaded<replay_spec>& loaded, face::run_context& context) override;

private:
    void choose(const std::string& name);
    void show(const link::lane_case& c, const link::replay_result& result, const cosim::controller_set& controllers,
              face::run_context& context) const;

    CLI::App* app_ = nullptr;
    std::string file_;   // on the command line
    std::string level_;  // likewise
    std::string only_;   // likewise
    std::string text_;   // of the cases
    std::vector<link::lane_case> cases_;
    std::size_t chosen_ = 0;  // with `only`: which of the file
};

}  // namespace contraflow::lane_replay
