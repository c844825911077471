// SPDX-License-Identifier: Apache-2.0
#include "pcie_tree/tlm_check.h"

#include <fmt/format.h>

namespace contraflow::pcie_tree {
namespace {

std::string hint_for(const std::string& wrong, const std::vector<std::string>& known) {
    const auto near = config::nearest(wrong, known);
    return near.empty() ? std::string() : fmt::format("did you mean '{}'?", near);
}

// A link falls to fewer lanes or a lower generation, never rises; flit mode is no fall-back of the others.
void check_downgrade(const std::vector<pcie::downgrade>& all, std::size_t i, const pcie::topology& tree,
                     const locator& where, config::diagnostics& diagnostics) {
    const auto& d = all[i];
    const auto to = pcie::parse_link_rate(d.to);
    auto before = tree[*tree.find(d.node)].link;
    for (std::size_t k = 0; k < i; ++k)
        if (all[k].node == d.node) {
            if (const auto earlier = pcie::parse_link_rate(all[k].to)) before = *earlier;
            if (all[k].at >= d.at)
                diagnostics.error(where(fmt::format("tlm.faults.downgrades[{}].at", i)),
                                  fmt::format("'{}' retrains at {} already; list a link's in order of time", d.node,
                                              to_text(all[k].at)));
        }
    if (!to) return;  // reported where it was read
    if (to->lanes > before.lanes || to->generation > before.generation)
        diagnostics.error(
            where(fmt::format("tlm.faults.downgrades[{}].to", i)),
            fmt::format("'{}' is more than the link above '{}' has by then ({})", d.to, d.node, to_text(before)));
    else if ((to->generation >= 6) != (before.generation >= 6))
        diagnostics.error(where(fmt::format("tlm.faults.downgrades[{}].to", i)),
                          "gen6 packets travel in flits: a gen6 link stays gen6, and loses lanes only");
}

}  // namespace

void check_tlm(const experiment& settings, const pcie::topology& tree, const locator& where,
               config::diagnostics& diagnostics) {
    const auto& tlm = settings.tlm;
    std::vector<std::string> ports;
    std::vector<std::string> nodes;  // with a PCIe link above
    std::vector<std::string> switches;
    for (pcie::node_id id = 0; id < tree.size(); ++id) {
        if (tree[id].kind != pcie::node_kind::endpoint) switches.push_back(tree[id].name);
        if (tree[id].parent == pcie::no_node) continue;
        if (tree[id].kind != pcie::node_kind::root_complex) nodes.push_back(tree[id].name);
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
        if (!known(node, nodes)) {
            diagnostics.error(where(fmt::format("tlm.faults.downgrades[{}].node", i)),
                              fmt::format("no PCIe link above '{}'", node), hint_for(node, nodes));
            continue;
        }
        check_downgrade(tlm.faults.downgrades, i, tree, where, diagnostics);
        if (tlm.faults.downgrades[i].retrain >= tlm.watchdog)
            diagnostics.warning(
                where(fmt::format("tlm.faults.downgrades[{}].retrain", i)),
                "not shorter than tlm.watchdog: a run that waits for it alone ends as one without progress");
    }
    for (std::size_t i = 0; i < tlm.arbitration.size(); ++i) {
        const auto& a = tlm.arbitration[i];
        for (std::size_t k = 0; k < i; ++k)
            if (tlm.arbitration[k].node == a.node)
                diagnostics.error(where(fmt::format("tlm.arbitration[{}].node", i)),
                                  fmt::format("'{}' has its weights already", a.node));
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
    const std::pair<const char*, core::sim_time> waits[] = {{"propagation", tlm.propagation},
                                                            {"switch_latency", tlm.switch_latency},
                                                            {"root_complex_latency", tlm.root_complex_latency},
                                                            {"endpoint_latency", tlm.endpoint_latency}};
    for (const auto& [key, time] : waits)
        if (time >= tlm.watchdog)
            diagnostics.error(where(fmt::format("tlm.{}", key)),
                              fmt::format("not shorter than tlm.watchdog ({}), which would take it for a standstill",
                                          core::to_text(tlm.watchdog)));
    if (settings.window.to <= settings.window.from)
        diagnostics.error(where("window.to"), "the window ends before it begins");
}

}  // namespace contraflow::pcie_tree
