// SPDX-License-Identifier: Apache-2.0
#include "pcie/model/network.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

namespace contraflow::pcie::model {
namespace {

std::vector<double> capacities_of(const topology& tree, const network_options& options) {
    if (!options.capacities.empty()) {
        if (options.capacities.size() != tree.size())
            throw std::invalid_argument(
                fmt::format("{} capacities for a tree of {} nodes", options.capacities.size(), tree.size()));
        return options.capacities;
    }
    const double reference = link_rate{3, 16}.raw().bytes_per_s;
    std::vector<double> capacities(tree.size(), 0.0);
    for (node_id id = 0; id < tree.size(); ++id)
        if (tree[id].parent != no_node) capacities[id] = tree.link_above(id).bytes_per_s / reference;
    return capacities;
}

// Only the link between packages may be absent; no route uses it then.
bool may_be_absent(const topology& tree, node_id id) {
    return tree[id].kind == node_kind::root_complex && !tree.socket_link;
}

}  // namespace

network::network(const topology& tree, network_options options)
    : tree_(tree),
      tau_(options.tau),
      reference_(options.reference) {
    if (tree.size() == 0) throw std::invalid_argument("a tree without nodes");
    if (!(tau_ >= 0.0 && tau_ < 1.0))
        throw std::invalid_argument(fmt::format("tau is {}: allowed is 0 <= tau < 1", tau_));
    if (!(reference_.bytes_per_s > 0.0) || !std::isfinite(reference_.bytes_per_s))
        throw std::invalid_argument("the reference bandwidth must be above 0");
    const std::vector<double> capacities = capacities_of(tree, options);

    std::vector<node_id> nodes;
    for (node_id id = 0; id < tree.size(); ++id) {
        if (tree[id].parent == no_node) continue;
        nodes.push_back(id);
        if (may_be_absent(tree, id)) continue;
        if (!(capacities[id] > 0.0) || !std::isfinite(capacities[id]))
            throw std::invalid_argument(fmt::format("the link above '{}' carries nothing", tree[id].name));
    }
    index_.assign(2 * tree.size(), no_port);
    const auto append = [&](bool up) {
        for (const node_id id : nodes) {
            index_[port_id{id, up}.index()] = static_cast<port_index>(ports_.size());
            ports_.push_back({id, up});
            capacity_.push_back(capacities[id]);
            of_root_complex_.push_back(!up && tree[tree[id].parent].kind == node_kind::root_complex);
        }
    };
    std::stable_sort(nodes.begin(), nodes.end(), [&](node_id a, node_id b) { return tree[a].depth > tree[b].depth; });
    append(true);
    first_down_ = static_cast<port_index>(ports_.size());
    std::stable_sort(nodes.begin(), nodes.end(), [&](node_id a, node_id b) { return tree[a].depth < tree[b].depth; });
    append(false);

    double first = 0.0;
    for (const node_id id : nodes) {
        if (may_be_absent(tree, id)) continue;
        if (first == 0.0) first = capacities[id];
        uniform_ = uniform_ && std::abs(capacities[id] - first) <= 1e-12 * first;
    }
}

}  // namespace contraflow::pcie::model
