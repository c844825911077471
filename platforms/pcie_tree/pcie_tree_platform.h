// SPDX-License-Identifier: Apache-2.0
// The program `pcie_tree`: builds the tree, finds its communications, and evaluates them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "face/platform.h"
#include "machines/hwloc_import.h"
#include "machines/tree_config.h"
#include "pcie_study/case_run.h"
#include "pcie_tree/experiment.h"

namespace contraflow::pcie_tree {

class pcie_tree_platform final : public face::platform<experiment> {
public:
    std::string_view name() const override { return "pcie_tree"; }
    std::string_view summary() const override {
        return "transfers over a PCIe tree: how long, where they jam, and in which order to send instead";
    }
    std::string_view arguments_for_defaults() const override {
        return "--set 'tree={name: rc, kind: root_complex, children: [{name: gpu0}, {name: gpu1}]}' "
               "--set 'communications=[{from: gpu0, to: gpu1, size: 1MiB}]'";
    }
    void options(CLI::App& app) override;
    void prepare(config::loaded<experiment>& loaded, config::diagnostics& diagnostics) override;
    nlohmann::ordered_json results_form(const config::loaded<experiment>& loaded) const override;
    int run(const config::loaded<experiment>& loaded, face::run_context& context) override;

private:
    CLI::App* app_ = nullptr;
    std::string topology_;
    std::string cases_file_;
    std::optional<std::vector<pcie::model::case_input>> cases_;
    machines::import_options import_;
    std::vector<std::string> remarks_;
    std::optional<machines::configured_tree> tree_;
    std::optional<std::vector<pcie::model::communication>> communications_;
};

}  // namespace contraflow::pcie_tree
