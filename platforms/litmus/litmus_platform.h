// SPDX-License-Identifier: Apache-2.0
// The program `litmus`: reads litmus tests, plays each, and writes every outcome.
#pragma once

#include <string_view>
#include <vector>

#include "face/platform.h"
#include "litmus/litmus_report.h"
#include "litmus/litmus_spec.h"
#include "ordering/litmus_test.h"
#include "replay/case_input.h"

namespace contraflow::litmus {

class litmus_platform final : public face::platform<litmus_spec> {
public:
    std::string_view name() const override { return "litmus"; }
    std::string_view summary() const override {
        return "litmus tests of the order between GPU threads, the PCIe path and NICs: every outcome";
    }
    bool has_limit_time() const override { return false; }  // tests are played to their ends
    std::string_view why_no_waves() const override {
        return "a litmus test shows none; gpu_shmem shows the same machine";
    }
    void options(CLI::App& app) override;
    void prepare(config::loaded<litmus_spec>& loaded, config::diagnostics& diag) override;
    int run(const config::loaded<litmus_spec>& loaded, face::run_context& context) override;
    nlohmann::ordered_json results_form(const config::loaded<litmus_spec>& loaded) const override {
        return litmus::results_form(loaded.value, input_.cases());
    }

private:
    replay::case_input<ordering::litmus_test> input_;
    std::vector<ordering::litmus_test> tests_;  // that are played
    bool witness_ = false;                      // on the command line
};

}  // namespace contraflow::litmus
