// SPDX-License-Identifier: Apache-2.0
// The two servers of the paper, and random trees and graphs by seed.
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "pcie/fabric/topology.h"
#include "pcie/model/communication.h"
#include "pcie/model/orders/order_problem.h"

namespace contraflow::pcie::model::test {

inline topology_node named(std::string name, node_kind kind, link_rate link = {}) {
    topology_node node;
    node.name = std::move(name);
    node.kind = kind;
    node.link = link;
    return node;
}

// A K80: a switch with two GPUs.
inline void add_k80(topology& tree, node_id parent, unsigned number) {
    const node_id k80 = tree.add(named(fmt::format("k80_{}", number), node_kind::pcie_switch), parent);
    for (unsigned gpu = 2 * number; gpu < 2 * number + 2; ++gpu)
        tree.add(named(fmt::format("gpu{}", gpu), node_kind::endpoint), k80);
}

// One switch under the root complex, four K80 below.
inline topology t1() {
    topology tree;
    const node_id rc = tree.add(named("rc", node_kind::root_complex), no_node);
    const node_id plx = tree.add(named("plx", node_kind::pcie_switch), rc);
    for (unsigned k80 = 0; k80 < 4; ++k80) add_k80(tree, plx, k80);
    return tree;
}

// `switches` switches under the root complex, two K80 below each.
inline topology t2(unsigned switches = 2) {
    topology tree;
    const node_id rc = tree.add(named("rc", node_kind::root_complex), no_node);
    for (unsigned plx = 0; plx < switches; ++plx) {
        const node_id id = tree.add(named(fmt::format("plx_{}", plx), node_kind::pcie_switch), rc);
        add_k80(tree, id, 2 * plx);
        add_k80(tree, id, 2 * plx + 1);
    }
    return tree;
}

inline node_id gpu(const topology& tree, unsigned number) { return *tree.find(fmt::format("gpu{}", number)); }

inline communication send(const topology& tree, unsigned from, unsigned to, core::bytes size = {300ULL << 20},
                          double start_s = 0.0) {
    return {fmt::format("{}->{}", from, to), gpu(tree, from), gpu(tree, to), size, start_s};
}

using generator = std::mt19937_64;
inline unsigned pick(generator& g, unsigned below) { return static_cast<unsigned>(g() % below); }

// 3 to 30 nodes, at least two endpoints; every inner node has children.
inline topology random_tree(generator& g, bool equal_links) {
    const auto link = [&]() -> link_rate {
        if (equal_links) return {};
        return {1 + pick(g, 5), 1U << pick(g, 5)};
    };
    topology tree;
    std::vector<node_id> inner{tree.add(named("root", node_kind::root_complex), no_node)};
    for (unsigned i = pick(g, 6); i > 0; --i)
        inner.push_back(tree.add(named(fmt::format("s{}", i), node_kind::pcie_switch, link()),
                                 inner[pick(g, static_cast<unsigned>(inner.size()))]));
    unsigned endpoints = 0;
    const auto add_endpoint = [&](node_id parent) {
        tree.add(named(fmt::format("gpu{}", endpoints++), node_kind::endpoint, link()), parent);
    };
    for (const node_id id : inner)
        if (tree[id].children.empty()) add_endpoint(id);
    for (unsigned i = 1 + pick(g, 12); i > 0; --i) add_endpoint(inner[pick(g, static_cast<unsigned>(inner.size()))]);
    return tree;
}

// 1 to `most` sends between different endpoints, from different sources unless `queues`.
inline std::vector<communication> random_graph(generator& g, const topology& tree, unsigned most, bool queues = false) {
    std::vector<node_id> sources = tree.endpoints();
    const std::vector<node_id> ends = sources;
    std::shuffle(sources.begin(), sources.end(), g);
    std::vector<communication> graph;
    for (unsigned i = 1 + pick(g, most); i > 0 && (queues || !sources.empty()); --i) {
        const node_id from = queues ? ends[pick(g, static_cast<unsigned>(ends.size()))] : sources.back();
        if (!queues) sources.pop_back();
        node_id to = from;
        while (to == from) to = ends[pick(g, static_cast<unsigned>(ends.size()))];
        graph.push_back({fmt::format("c{}", graph.size()), from, to, core::bytes{1 + g() % (300ULL << 20)},
                         queues ? 1e-3 * static_cast<double>(pick(g, 40)) : 0.0});
    }
    return graph;
}

// Up to four sources with one to three sends each.
inline order_problem random_problem(generator& g, const topology& tree) {
    const std::vector<node_id> ends = tree.endpoints();
    order_problem problem;
    for (std::size_t s = 0; s < std::min<std::size_t>(4, ends.size()); ++s) {
        source_sends source{ends[s], {}};
        for (unsigned i = pick(g, 3) + 1; i > 0; --i) {
            const auto step = 1 + pick(g, static_cast<unsigned>(ends.size() - 1));
            source.sends.push_back({ends[(s + step) % ends.size()], core::bytes{1000 + g() % 9000}});
        }
        problem.push_back(source);
    }
    return problem;
}

}  // namespace contraflow::pcie::model::test
