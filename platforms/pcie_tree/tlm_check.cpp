// SPDX-License-Identifier: Apache-2.0
#include "pcie_tree/tlm_check.h"

#include <fmt/format.h>

namespace contraflow::pcie_tree {
namespace {

std::string hint_for(const std::string& wrong, const std::vector<std::string>& known) {
    const auto near = config::nearest(wrong, known);
    return near.empty() ? std::string() : fmt::format("did you mean '{}'?", near);
}

}  // namespace

void check_tlm(const experiment& settings, const pcie::topology& tree, const locator& where,
               config::diagnostics& diagnostics) {
    const auto& tlm = settings.tlm;
    std::vector<std::string> ports;
    std::vector<std::string> nodes;  // with a link above
    std::vector<std::string> switches;
    for (pcie::node_id id = 0; id < tree.size(); ++id) {
        if (tree[id].kind != pcie::node_kind::endpoint) switches.push_back(tree[id].name);
        if (tree[id].parent == pcie::no_node) continue;
        nodes.push_back(tree[id].name);
        for (const bool up : {true, false}) ports.push_back(tree.port_name({id, up}));
    }
    const auto known = [](const std::string& name, const std::vector<std::string>& names) {
        for (const auto& n : names)
            if (n == name) return true;
        return false;
    };
    for (std::size_t i = 0; i < tlm.faults.corrupt.size(); ++i) {
        const auto& port = tlm.faults.corrupt[i].port;
        if (!known(port, ports))
            diagnostics.error(where(fmt::format("tlm.faults.corrupt[{}].port", i)),
                              fmt::format("no port '{}'; a port is NODE.up or NODE.down", port), hint_for(port, ports));
    }
    for (std::size_t i = 0; i < tlm.faults.downgrades.size(); ++i) {
        const auto& node = tlm.faults.downgrades[i].node;
        if (!known(node, nodes))
            diagnostics.error(where(fmt::format("tlm.faults.downgrades[{}].node", i)),
                              fmt::format("no link above '{}'", node), hint_for(node, nodes));
        if (tlm.faults.downgrades[i].retrain >= tlm.watchdog)
            diagnostics.warning(
                where(fmt::format("tlm.faults.downgrades[{}].retrain", i)),
                "not shorter than tlm.watchdog: a run that waits for it alone ends as one without progress");
    }
    for (std::size_t i = 0; i < tlm.arbitration.size(); ++i) {
        const auto& a = tlm.arbitration[i];
        const auto id = tree.find(a.node);
        if (!id || !known(a.node, switches)) {
            diagnostics.error(where(fmt::format("tlm.arbitration[{}].node", i)),
                              fmt::format("no switch or root complex '{}'", a.node), hint_for(a.node, switches));
            continue;
        }
        const std::size_t inputs = tree[*id].children.size() + (tree[*id].parent == pcie::no_node ? 0 : 1);
        if (a.weights.size() != inputs)
            diagnostics.error(where(fmt::format("tlm.arbitration[{}].weights", i)),
                              fmt::format("{} weights for {} ports of '{}'", a.weights.size(), inputs, a.node));
    }
    if (settings.level != evaluation_level::model)
        for (pcie::node_id id = 0; id < tree.size(); ++id)
            if (tree[id].children.size() + 1 > pcie::port_arbiter::max_inputs)
                diagnostics.error(where("tree"),
                                  fmt::format("'{}' has {} ports; the TLM model takes up to {}", tree[id].name,
                                              tree[id].children.size() + 1, pcie::port_arbiter::max_inputs));
    if (settings.window.to <= settings.window.from)
        diagnostics.error(where("window.to"), "the window ends before it begins");
}

}  // namespace contraflow::pcie_tree
