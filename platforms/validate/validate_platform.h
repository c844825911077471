// SPDX-License-Identifier: Apache-2.0
// The program `validate`: runs the experiments that were asked for and writes the table.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "face/platform.h"
#include "validate/table/row.h"
#include "validate/table/selection.h"

namespace contraflow::validate {

class validate_platform final : public face::platform<selection> {
public:
    // The table outlives the platform.
    explicit validate_platform(const std::vector<row>& table) : table_(table) {}

    std::string_view name() const override { return "validate"; }
    std::string_view summary() const override {
        return "the published numbers against ours, each measured by an experiment";
    }
    void options(CLI::App& app) override;
    void prepare(config::loaded<selection>& wanted, config::diagnostics& diag) override;
    int run(const config::loaded<selection>& wanted, face::run_context& context) override;

private:
    const std::vector<row>& table_;
    std::vector<std::string> named_;  // on the command line
    bool all_ = false;
    bool strict_ = false;
    std::optional<std::string> page_;
};

}  // namespace contraflow::validate
