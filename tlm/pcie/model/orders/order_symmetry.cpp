// SPDX-License-Identifier: Apache-2.0
#include "pcie/model/orders/order_symmetry.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace contraflow::pcie::model {
namespace {

constexpr std::size_t most_trials = 200'000;

// Maps the nodes that carry traffic one by one, parents first, with backtracking.
class symmetry_finder {
public:
    symmetry_finder(const network& net, const order_problem& problem, std::size_t most)
        : net_(net),
          tree_(net.tree()),
          problem_(problem),
          most_(most) {
        in_use_.assign(tree_.size(), 0);
        for (const source_sends& source : problem)
            for (const send_to& send : source.sends) {
                sizes_[{source.from, send.to}].push_back(send.size.count);
                use(source.from);
                use(send.to);
            }
        for (auto& [ends, sizes] : sizes_) std::sort(sizes.begin(), sizes.end());
        for (node_id id = 0; id < tree_.size(); ++id)
            if (in_use_[id] != 0) nodes_.push_back(id);
        image_.assign(tree_.size(), no_node);
        taken_.assign(tree_.size(), 0);
    }

    // Empty if there are too many.
    std::vector<order_symmetry> run() {
        if (nodes_.empty() || !map_node(0)) return {};
        return std::move(found_);
    }

private:
    void use(node_id id) {
        for (; id != no_node && in_use_[id] == 0; id = tree_[id].parent) in_use_[id] = 1;
    }

    double capacity(node_id id) const {
        return tree_[id].parent == no_node ? 0.0 : net_.capacity(net_.index_of({id, true}));
    }

    bool map_node(std::size_t place) {
        if (place == nodes_.size()) {
            found_.push_back(as_symmetry());
            return found_.size() <= most_;
        }
        const node_id id = nodes_[place];
        if (tree_[id].parent == no_node) return try_image(place, id);
        for (const node_id other : tree_[image_[tree_[id].parent]].children)
            if (!try_image(place, other)) return false;
        return true;
    }

    // False: the whole search gives up.
    bool try_image(std::size_t place, node_id other) {
        const node_id id = nodes_[place];
        if (in_use_[other] == 0 || taken_[other] != 0) return true;
        if (++trials_ > most_trials) return false;
        if (tree_[id].kind != tree_[other].kind || capacity(id) != capacity(other)) return true;
        image_[id] = other;
        bool go_on = true;
        if (fits(place)) {
            taken_[other] = 1;
            go_on = map_node(place + 1);
            taken_[other] = 0;
        }
        image_[id] = no_node;
        return go_on;
    }

    bool fits(std::size_t place) const {
        const node_id id = nodes_[place];
        for (std::size_t i = 0; i < place; ++i)
            if (!same(id, nodes_[i]) || !same(nodes_[i], id)) return false;
        return true;
    }

    bool same(node_id from, node_id to) const {
        const auto here = sizes_.find({from, to});
        const auto there = sizes_.find({image_[from], image_[to]});
        if (here == sizes_.end() || there == sizes_.end()) return here == sizes_.end() && there == sizes_.end();
        return here->second == there->second;
    }

    order_symmetry as_symmetry() const {
        order_symmetry s;
        for (const source_sends& source : problem_) {
            const node_id to = source.sends.empty() ? source.from : image_[source.from];
            const auto at = std::find_if(problem_.begin(), problem_.end(), [&](const auto& p) { return p.from == to; });
            s.source.push_back(static_cast<std::uint32_t>(at - problem_.begin()));
            std::vector<std::uint32_t> sends;
            std::vector<char> used(at->sends.size(), 0);
            for (const send_to& send : source.sends)
                for (std::uint32_t i = 0; i < at->sends.size(); ++i)
                    if (used[i] == 0 && at->sends[i].to == image_[send.to] && at->sends[i].size == send.size) {
                        used[i] = 1;
                        sends.push_back(i);
                        break;
                    }
            s.send.push_back(std::move(sends));
        }
        return s;
    }

    const network& net_;
    const topology& tree_;
    const order_problem& problem_;
    std::size_t most_;
    std::map<std::pair<node_id, node_id>, std::vector<std::uint64_t>> sizes_;
    std::vector<char> in_use_;
    std::vector<node_id> nodes_;
    std::vector<node_id> image_;
    std::vector<char> taken_;
    std::size_t trials_ = 0;
    std::vector<order_symmetry> found_;
};

order_symmetry identity(const order_problem& problem) {
    order_symmetry s;
    for (std::uint32_t i = 0; i < problem.size(); ++i) {
        s.source.push_back(i);
        std::vector<std::uint32_t> sends(problem[i].sends.size());
        std::iota(sends.begin(), sends.end(), 0U);
        s.send.push_back(std::move(sends));
    }
    return s;
}

}  // namespace

send_order image(const order_symmetry& symmetry, const send_order& order) {
    send_order result(order.size());
    for (std::size_t s = 0; s < order.size(); ++s)
        for (const std::uint32_t send : order[s]) result[symmetry.source[s]].push_back(symmetry.send[s][send]);
    return result;
}

std::vector<order_symmetry> find_symmetries(const network& net, const order_problem& problem, std::size_t most) {
    std::vector<order_symmetry> all = symmetry_finder(net, problem, most).run();
    if (all.empty()) return {identity(problem)};
    const order_symmetry same = identity(problem);
    const auto at = std::find_if(all.begin(), all.end(),
                                 [&](const auto& s) { return s.source == same.source && s.send == same.send; });
    std::iter_swap(all.begin(), at);
    return all;
}

}  // namespace contraflow::pcie::model
