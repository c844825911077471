// SPDX-License-Identifier: Apache-2.0
// The program `sweep`: checks every point, runs the unfinished ones, and reports on all.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "face/platform.h"
#include "sweep/execution.h"
#include "sweep/plan.h"
#include "sweep/result_frame.h"
#include "sweep/sweep_spec.h"

namespace contraflow::sweep {

class sweep_platform final : public face::platform<sweep_spec> {
public:
    std::string_view name() const override { return "sweep"; }
    std::string_view file_name() const override { return "contraflow-sweep"; }
    std::string_view summary() const override {
        return "many runs of a platform over values of its configuration: one table, one page";
    }
    bool has_limit_time() const override { return false; }  // its runs have one each
    std::string_view arguments_for_defaults() const override {
        return "--set platform=pcie_tree --set configuration=t2";
    }
    std::string_view why_no_waves() const override {
        return "a sweep is many runs; give it to a point's platform, with DIR.points/POINT/config.yaml";
    }
    void options(CLI::App& app) override;
    void prepare(config::loaded<sweep_spec>& spec, config::diagnostics& diag) override;
    int run(const config::loaded<sweep_spec>& spec, face::run_context& context) override;

private:
    bool is_given(const char* option) const { return face::is_given(*app_, option); }
    std::filesystem::path result_directory() const;
    void fill(const config::loaded<sweep_spec>& spec, const std::vector<point_result>& results,
              face::run_context& context);

    CLI::App* app_ = nullptr;
    std::string engine_ = "local";
    engine on_ = engine::local;
    std::optional<plan> plan_;
    bool names_are_known_ = false;  // the platform told the names of its results
};

}  // namespace contraflow::sweep
