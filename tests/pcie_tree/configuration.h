// SPDX-License-Identifier: Apache-2.0
// A configuration of pcie_tree from a text, and its error messages, for tests.
#pragma once

#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "config/config.h"
#include "machines/tree_config.h"
#include "pcie_tree/experiment.h"
#include "transfers/communications.h"

namespace contraflow::pcie_tree::testing {

struct configuration {
    config::diagnostics diag;
    config::loaded<experiment> loaded;
    std::optional<machines::configured_tree> tree;
    std::optional<std::vector<pcie::model::communication>> sends;

    explicit configuration(const std::string& yaml, const std::vector<std::string>& sets = {},
                           const std::string& name = "x.yaml") {
        diag.add_source(name, yaml);
        loaded = config::load<experiment>(config::source{name, yaml}, sets, diag);
        if (diag.failed()) return;
        const machines::locator where = [this](std::string_view path) { return loaded.where(path); };
        tree = machines::build_tree(loaded.value, where, diag);
        if (tree) sends = transfers::resolve_communications(loaded.value, *tree, where, diag);
    }

    std::string said() const {
        std::ostringstream out;
        diag.print(out);
        return out.str();
    }
    // "gpu0->gpu1 gpu0->gpu4 ..."
    std::string pairs() const {
        std::string text;
        for (const auto& c : *sends)
            text += (text.empty() ? "" : " ") + tree->topology[c.from].name + "->" + tree->topology[c.to].name;
        return text;
    }
};

// Two sockets, with two GPUs each; `rest` is further YAML.
inline std::string two_sockets(const std::string& rest) {
    return "tree: {name: m, kind: machine, children: [\n"
           "  {name: rc0, kind: root_complex, children: [{name: gpu0}, {name: gpu1}]},\n"
           "  {name: rc1, kind: root_complex, children: [{name: gpu2}, {name: gpu3, device: nic}]}]}\n" +
           rest;
}

// One switch with n GPUs.
inline std::string one_switch(unsigned n, const std::string& rest) {
    std::string yaml = "tree: {name: rc, kind: root_complex, children: [{name: sw, kind: switch, children: [";
    for (unsigned i = 0; i < n; ++i) yaml += (i > 0 ? ", " : "") + ("{name: gpu" + std::to_string(i)) + "}";
    return yaml + "]}]}\n" + rest;
}

}  // namespace contraflow::pcie_tree::testing
