// SPDX-License-Identifier: Apache-2.0
// The program `validate`: runs the experiments that were asked for and writes the table.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "face/platform.h"
#include "validate/table/experiment.h"
#include "validate/table/row.h"
#include "validate/table/selection.h"

namespace contraflow::validate {

class validate_platform final : public face::platform<selection> {
public:
    // Both tables outlive the platform.
    validate_platform(const std::vector<row>& table, const std::vector<experiment>& physics)
        : table_(table),
          physics_(physics) {}

    std::string_view name() const override { return "validate"; }
    std::string_view summary() const override {
        return "the published numbers against ours, and experiments with known answers";
    }
    bool has_limit_time() const override { return false; }  // rows are many runs
    std::string_view why_no_waves() const override { return "rows are many runs; a platform shows one of its own"; }
    void options(CLI::App& app) override;
    void prepare(config::loaded<selection>& wanted, config::diagnostics& diag) override;
    int run(const config::loaded<selection>& wanted, face::run_context& context) override;

private:
    template <class Row>
    void check_names(config::loaded<selection>& wanted, const std::vector<Row>& table, config::diagnostics& diag);
    int compare_published(const selection& wanted, face::run_context& context);
    int try_physics(const selection& wanted, face::run_context& context);
    // Calls measure(row) one by one; false: stopped.
    template <class Row, class Measure>
    static bool one_by_one(const std::vector<const Row*>& chosen, face::run_context& context, const Measure& measure);

    const std::vector<row>& table_;
    const std::vector<experiment>& physics_;
    std::vector<std::string> named_;  // on the command line
    bool all_ = false;
    bool asked_physics_ = false;
    bool strict_ = false;
    std::optional<std::string> page_;
};

}  // namespace contraflow::validate
