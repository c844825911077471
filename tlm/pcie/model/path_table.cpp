// SPDX-License-Identifier: Apache-2.0
#include "pcie/model/path_table.h"

#include <algorithm>
#include <stdexcept>

namespace contraflow::pcie::model {

std::optional<path_id> path_table::find(node_id from, node_id to) {
    const std::uint64_t key = (static_cast<std::uint64_t>(from) << 32) | to;
    if (const auto it = known_.find(key); it != known_.end()) return it->second;
    if (from >= net_.tree().size() || to >= net_.tree().size())
        throw std::invalid_argument("an end that is not a node");
    if (from == to) throw std::invalid_argument("a communication from '" + net_.tree()[from].name + "' to itself");
    const auto found = net_.tree().path(from, to);
    if (!found) return std::nullopt;

    path_facts facts;
    facts.from = from;
    facts.to = to;
    facts.first = static_cast<std::uint32_t>(ports_.size());
    facts.length = static_cast<std::uint32_t>(found->ports.size());
    facts.crosses_root_complex = found->crosses_root_complex;
    for (const port_id port : found->ports) {
        const port_index p = net_.index_of(port);
        facts.capacity = ports_.size() == facts.first ? net_.capacity(p) : std::min(facts.capacity, net_.capacity(p));
        ports_.push_back(p);
    }
    facts.source_capacity = net_.capacity(ports_[facts.first]);
    longest_ = std::max(longest_, found->ports.size());

    const auto id = static_cast<path_id>(facts_.size());
    facts_.push_back(facts);
    known_.emplace(key, id);
    return id;
}

}  // namespace contraflow::pcie::model
