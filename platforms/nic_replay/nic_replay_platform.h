// SPDX-License-Identifier: Apache-2.0
// The program `nic_replay`: reads cases, plays each against a NIC's receive datapath, and reports where a result
// differs from the expected one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "face/platform.h"
#include "firmware_report/firmware_input.h"
#include "nic/receive/receive_case.h"
#include "nic_replay/replay_report.h"
#include "nic_replay/replay_spec.h"
#include "replay/case_input.h"
#include "runner/run_outcome.h"

namespace contraflow::nic_replay {

class nic_replay_platform final : public face::platform<replay_spec> {
public:
    std::string_view name() const override { return "nic_replay"; }
    std::string_view summary() const override { return "packets played against the receive datapath of a NIC"; }
    void options(CLI::App& app) override;
    void prepare(config::loaded<replay_spec>& loaded, config::diagnostics& diag) override;
    std::vector<std::string> wave_events() const override {
        return {"first_drop", nic_levels::level_difference::event};
    }
    int run(const config::loaded<replay_spec>& loaded, face::run_context& context) override;
    nlohmann::ordered_json results_form(const config::loaded<replay_spec>& loaded) const override {
        return nic_replay::results_form(loaded.value, input_.cases());
    }

private:
    void check_sizes(const config::loaded<replay_spec>& loaded, config::diagnostics& diag) const;
    void check_buffers(std::size_t i, std::uint32_t buffers, config::diagnostics& diag) const;
    // None: it did not end by itself; `r` has the reason.
    std::optional<nic::replay_outcome> play(const nic::receive_case& c, const replay_spec& spec,
                                            const nic_levels::core_options& core, face::run_context& context,
                                            runner::run_outcome& r, nic_levels::level_difference& between) const;

    replay::case_input<nic::receive_case> input_;
    firmware_report::firmware_input firmware_;
};

}  // namespace contraflow::nic_replay
