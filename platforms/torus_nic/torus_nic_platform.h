// SPDX-License-Identifier: Apache-2.0
// The program `torus_nic`.
#pragma once

#include "face/platform.h"
#include "firmware_report/firmware_input.h"
#include "torus_nic/experiment/experiment.h"

namespace contraflow::torus_nic {

class torus_nic_platform final : public face::platform<experiment> {
public:
    std::string_view name() const override { return "torus_nic"; }
    std::string_view summary() const override {
        return "a torus of network interfaces that read and write GPU memory, and the network alone";
    }
    void options(CLI::App& app) override;
    std::vector<std::string> wave_events() const override {
        return {"first_drop", nic_levels::level_difference::event};
    }
    void prepare(config::loaded<experiment>& loaded, config::diagnostics& diag) override;
    nlohmann::ordered_json results_form(const config::loaded<experiment>& loaded) const override;
    int run(const config::loaded<experiment>& loaded, face::run_context& context) override;

private:
    std::vector<unsigned> shown_nodes(const experiment& e) const;

    firmware_report::firmware_input firmware_;
    std::optional<std::string> nodes_text_;  // on the command line
    std::vector<unsigned> nodes_;
};

}  // namespace contraflow::torus_nic
