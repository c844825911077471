// SPDX-License-Identifier: Apache-2.0
#include "pcie/fabric/topology.h"

#include <algorithm>
#include <stdexcept>

namespace contraflow::pcie {

node_id topology::add(topology_node node, node_id parent) {
    const auto id = static_cast<node_id>(nodes_.size());
    if ((parent == no_node) != nodes_.empty()) throw std::invalid_argument("topology: exactly one root, added first");
    node.parent = parent;
    node.children.clear();
    if (parent != no_node) {
        node.depth = nodes_.at(parent).depth + 1;
        nodes_[parent].children.push_back(id);
    }
    nodes_.push_back(std::move(node));
    return id;
}

std::optional<node_id> topology::find(std::string_view name) const {
    const auto it = std::find_if(nodes_.begin(), nodes_.end(), [&](const auto& n) { return n.name == name; });
    if (it == nodes_.end()) return std::nullopt;
    return static_cast<node_id>(it - nodes_.begin());
}

std::vector<node_id> topology::endpoints() const {
    std::vector<node_id> found;
    for (node_id id = 0; id < nodes_.size(); ++id)
        if (nodes_[id].kind == node_kind::endpoint) found.push_back(id);
    return found;
}

std::optional<route> topology::path(node_id from, node_id to) const {
    route r;
    std::vector<port_id> down;
    node_id a = from;
    node_id b = to;
    while (a != b) {
        if (nodes_[a].depth >= nodes_[b].depth) {
            r.ports.push_back({a, true});
            a = nodes_[a].parent;
        } else {
            down.push_back({b, false});
            b = nodes_[b].parent;
        }
    }
    r.ports.insert(r.ports.end(), down.rbegin(), down.rend());
    r.turn = a;
    r.crosses_root_complex = nodes_[a].kind == node_kind::root_complex || nodes_[a].kind == node_kind::machine;
    if (nodes_[a].kind == node_kind::machine && !socket_link) return std::nullopt;
    return r;
}

core::bandwidth topology::link_above(node_id id) const {
    if (nodes_[id].kind == node_kind::root_complex) return socket_link.value_or(core::bandwidth{});
    return nodes_[id].link.raw();
}

std::string topology::port_name(port_id port) const { return nodes_[port.node].name + (port.up ? ".up" : ".down"); }

}  // namespace contraflow::pcie
