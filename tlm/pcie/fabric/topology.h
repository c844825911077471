// SPDX-License-Identifier: Apache-2.0
// A PCIe tree: root complexes, switches and endpoints, and the link above each node.
// Several root complexes (packages) stand side by side under one node of kind `machine`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.h"
#include "pcie/link/link_rate.h"

namespace contraflow::pcie {

enum class node_kind { machine, root_complex, pcie_switch, endpoint };

using node_id = std::uint32_t;
inline constexpr node_id no_node = 0xffff'ffff;

struct topology_node {
    std::string name;
    node_kind kind = node_kind::endpoint;
    node_id parent = no_node;
    std::vector<node_id> children;
    unsigned depth = 0;    // 0 at the root
    link_rate link{};      // to the parent; meaningless at the root
    std::string about;     // a readable name: "Tesla K80", bus id; may be empty
    unsigned sped_up = 1;  // its lanes are so many times those of the link that its given buffers are meant for
};

// A unidirectional port: the link between a node and its parent, in the direction up or down.
struct port_id {
    node_id node = no_node;
    bool up = false;
    friend bool operator==(port_id, port_id) = default;
    // Dense index: 2 * node + (up ? 1 : 0).
    std::size_t index() const { return 2 * static_cast<std::size_t>(node) + (up ? 1 : 0); }
};

struct route {
    std::vector<port_id> ports;  // from the source's up port to the destination's down port
    node_id turn = no_node;      // lowest common ancestor
    bool crosses_root_complex = false;
};

class topology {
public:
    // The first node added is the root; every other names a parent added before.
    node_id add(topology_node node, node_id parent);

    const topology_node& operator[](node_id id) const { return nodes_[id]; }
    std::size_t size() const { return nodes_.size(); }
    std::optional<node_id> find(std::string_view name) const;
    std::vector<node_id> endpoints() const;  // in order of addition

    // The rate of the link between packages; without one, root complexes under a machine are not joined.
    std::optional<core::bandwidth> socket_link;

    // The path from one endpoint to the other, if there is one. No route: different packages that are not joined.
    std::optional<route> path(node_id from, node_id to) const;

    // Raw rate of the link above a node (socket_link above a root complex).
    core::bandwidth link_above(node_id id) const;
    // "k80_0.up", "gpu1.down"
    std::string port_name(port_id port) const;

private:
    std::vector<topology_node> nodes_;
};

}  // namespace contraflow::pcie
