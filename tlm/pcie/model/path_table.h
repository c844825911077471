// SPDX-License-Identifier: Apache-2.0
// The paths through a network, each computed once and then identified by a small number.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "pcie/model/network.h"

namespace contraflow::pcie::model {

using path_id = std::uint32_t;

struct path_facts {
    node_id from = no_node;
    node_id to = no_node;
    std::uint32_t first = 0;  // index of its first port in the table's list
    std::uint32_t length = 0;
    bool crosses_root_complex = false;
    double source_capacity = 1.0;  // the first link's: the rate at which the source can send
    double capacity = 1.0;         // the narrowest link's
};

class path_table {
public:
    // The network must outlive the table.
    explicit path_table(const network& net) : net_(net) {}

    // No path: different packages that are not joined. Throws std::invalid_argument if from is to.
    std::optional<path_id> find(node_id from, node_id to);

    const network& net() const { return net_; }
    const path_facts& operator[](path_id id) const { return facts_[id]; }
    std::span<const port_index> ports(path_id id) const {
        return {ports_.data() + facts_[id].first, facts_[id].length};
    }
    std::size_t longest() const { return longest_; }

private:
    const network& net_;
    std::vector<path_facts> facts_;
    std::vector<port_index> ports_;
    std::unordered_map<std::uint64_t, path_id> known_;
    std::size_t longest_ = 0;
};

}  // namespace contraflow::pcie::model
