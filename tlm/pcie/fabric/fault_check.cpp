// SPDX-License-Identifier: Apache-2.0
#include "pcie/fabric/fault_check.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/text/diagnostics.h"
#include "core/counted.h"

namespace contraflow::pcie {
namespace {

constexpr std::size_t most_listed = 16;

using names = std::vector<std::string>;

bool known(const std::string& name, const names& all) { return std::find(all.begin(), all.end(), name) != all.end(); }

// "switch0, gpu1, gpu2"
std::string list(const names& all) {
    const auto shown = static_cast<std::ptrdiff_t>(std::min(all.size(), most_listed));
    return fmt::format("{}{}", fmt::join(all.begin(), all.begin() + shown, ", "),
                       all.size() > most_listed ? ", ..." : "");
}

// "no port 'gpu1.upp' (did you mean 'gpu1.up'?)"
std::string none(const char* what, const std::string& wrong, const names& all) {
    return fmt::format("no {} {}{}", what, config::quoted(wrong), config::meant_aside(wrong, all));
}

// A link can fall only to fewer lanes or a lower generation; flit mode is no fall-back for the other modes.
void check_rate(const fault_plan& plan, std::size_t i, const topology& tree, std::vector<config::problem>& found) {
    const downgrade& d = plan.downgrades[i];
    link_rate before = tree[*tree.find(d.node)].link;
    for (std::size_t k = 0; k < i; ++k) {
        const downgrade& other = plan.downgrades[k];
        if (other.node != d.node) continue;
        before = other.to;
        if (other.at >= d.at)
            found.push_back({fmt::format("'{}' retrains at {} already", d.node, to_text(other.at)),
                             {{fmt::format("downgrades[{}].at", i), "later; list a link's in order of time"}}});
    }
    const std::string place = fmt::format("downgrades[{}].to", i);
    if (d.to.lanes > before.lanes || d.to.generation > before.generation)
        found.push_back({fmt::format("'{}' is more than the link above '{}' has by then ({})", to_text(d.to), d.node,
                                     to_text(before)),
                         {{place, "at most " + to_text(before)}}});
    else if ((d.to.generation >= 6) != (before.generation >= 6))
        found.push_back({"gen6 packets travel in flits: a gen6 link stays gen6, and loses lanes only",
                         {{place, "gen6 with fewer lanes"}}});
}

names switches_of(const topology& tree) {
    names all;
    for (node_id id = 0; id < tree.size(); ++id)
        if (tree[id].kind != node_kind::endpoint) all.push_back(tree[id].name);
    return all;
}

}  // namespace

std::vector<config::problem> problems_of(const fault_plan& plan, const topology& tree) {
    names ports, ends;
    names links;  // the nodes with a PCIe link to their parent
    for (node_id id = 0; id < tree.size(); ++id) {
        if (tree[id].parent == no_node) continue;
        ends.push_back(tree[id].name);
        if (tree[id].kind != node_kind::root_complex) links.push_back(tree[id].name);
        for (const bool up : {true, false}) ports.push_back(tree.port_name({id, up}));
    }
    std::vector<config::problem> found;
    for (std::size_t i = 0; i < plan.corrupt.size(); ++i)
        if (const auto& port = plan.corrupt[i].port; !known(port, ports))
            found.push_back(
                {none("port", port, ports),
                 {{fmt::format("corrupt[{}].port", i), "NODE.up or NODE.down, of the nodes " + list(ends)}}});
    for (std::size_t i = 0; i < plan.downgrades.size(); ++i)
        if (const auto& node = plan.downgrades[i].node; known(node, links))
            check_rate(plan, i, tree, found);
        else
            found.push_back(
                {none("PCIe link above", node, links), {{fmt::format("downgrades[{}].node", i), list(links)}}});
    const names inner = switches_of(tree);
    for (std::size_t i = 0; i < plan.flips.size(); ++i) {
        const auto& flip = plan.flips[i];
        if (!known(flip.node, inner))
            found.push_back(
                {none("switch or root complex", flip.node, inner), {{fmt::format("flips[{}].node", i), list(inner)}}});
        for (std::size_t k = 0; k < i; ++k)
            if (plan.flips[k].node == flip.node && plan.flips[k].number == flip.number)
                found.push_back({fmt::format("a byte of TLP {} of '{}' changes already", flip.number, flip.node),
                                 {{fmt::format("flips[{}].number", i), "another TLP"}}});
    }
    return found;
}

std::vector<config::problem> problems_of(const link_tree_spec& s, const topology& tree) {
    auto found = config::below("faults", problems_of(s.faults, tree));
    const names inner = switches_of(tree);
    for (std::size_t i = 0; i < s.arbitration.size(); ++i) {
        const switch_weight& a = s.arbitration[i];
        const std::string node = fmt::format("arbitration[{}].node", i);
        for (std::size_t k = 0; k < i; ++k)
            if (s.arbitration[k].node == a.node)
                found.push_back({fmt::format("'{}' has its weights already", a.node), {{node, "another one"}}});
        if (!known(a.node, inner)) {
            found.push_back({none("switch or root complex", a.node, inner), {{node, list(inner)}}});
            continue;
        }
        const topology_node& n = tree[*tree.find(a.node)];
        const std::size_t ports = n.children.size() + (n.parent == no_node ? 0 : 1);
        if (a.weights.size() != ports)
            found.push_back(
                {fmt::format("{} for {} ports of '{}'", core::counted(a.weights.size(), "weight"), ports, a.node),
                 {{fmt::format("arbitration[{}].weights", i), fmt::format("{} weights", ports)}}});
    }
    return found;
}

}  // namespace contraflow::pcie
