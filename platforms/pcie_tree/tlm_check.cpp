// SPDX-License-Identifier: Apache-2.0
#include "pcie_tree/tlm_check.h"

#include <algorithm>

#include <fmt/format.h>

#include "pcie/fabric/address_map.h"
#include "pcie/fabric/fault_check.h"

namespace contraflow::pcie_tree {
namespace {

// The position of a node in the configuration.
std::string path_of(const pcie::topology& tree, pcie::node_id id) {
    if (tree[id].parent == pcie::no_node) return "tree";
    const auto& siblings = tree[tree[id].parent].children;
    return fmt::format("{}.children[{}]", path_of(tree, tree[id].parent),
                       std::find(siblings.begin(), siblings.end(), id) - siblings.begin());
}

}  // namespace

void check_tlm(const experiment& settings, const pcie::topology& tree, const machines::locator& where,
               config::diagnostics& diagnostics) {
    const auto& tlm = settings.tlm;
    for (const auto& p : pcie::problems_of(tlm, tree)) {
        const auto& suspect = p.suspects.front();
        diagnostics.error(where("tlm." + suspect.path), fmt::format("tlm.{}: {}", suspect.path, p.message),
                          "allowed: " + suspect.allowed);
    }
    for (std::size_t i = 0; i < tlm.faults.downgrades.size(); ++i)
        if (tlm.faults.downgrades[i].retrain >= tlm.watchdog)
            diagnostics.warning(
                where(fmt::format("tlm.faults.downgrades[{}].retrain", i)),
                "not shorter than tlm.watchdog: a run that waits for it alone ends as one without progress");
    if (settings.level != pcie_study::evaluation_level::model) {
        for (pcie::node_id id = 0; id < tree.size(); ++id)
            if (tree[id].children.size() + 1 > pcie::port_arbiter::max_inputs)
                diagnostics.error(where(path_of(tree, id)),
                                  fmt::format("'{}' has {} ports; the TLM model takes up to {}", tree[id].name,
                                              tree[id].children.size() + 1, pcie::port_arbiter::max_inputs));
        if (const auto wrong = pcie::address_map::problem_of(tree))
            diagnostics.error(where(path_of(tree, wrong->node)), wrong->text);
    }
    const std::pair<const char*, core::sim_time> waits[] = {{"propagation", tlm.propagation},
                                                            {"switch_latency", tlm.switch_latency},
                                                            {"root_complex_latency", tlm.root_complex_latency},
                                                            {"endpoint_latency", tlm.endpoint_latency}};
    for (const auto& [key, time] : waits)
        if (time >= tlm.watchdog)
            diagnostics.error(where(fmt::format("tlm.{}", key)),
                              fmt::format("not shorter than tlm.watchdog ({}), which would take it for a hang",
                                          core::to_text(tlm.watchdog)));
}

}  // namespace contraflow::pcie_tree
