// SPDX-License-Identifier: Apache-2.0
#include "pcie/model/factors.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>

#include <fmt/format.h>

namespace contraflow::pcie::model {

path_id find_path(path_table& paths, node_id from, node_id to) {
    if (const auto found = paths.find(from, to)) return *found;
    const topology& tree = paths.net().tree();
    throw std::invalid_argument(fmt::format(
        "no path from '{}' to '{}': they are on different packages, which only the rate of the link between "
        "packages (socket_link) joins",
        tree[from].name, tree[to].name));
}

factor_set evaluate_factors(const network& net, const std::vector<communication>& communications) {
    path_table paths(net);
    std::vector<std::size_t> order(communications.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return communications[a].start_s < communications[b].start_s;
    });

    factor_set set;
    set.communications.resize(communications.size());
    std::map<node_id, std::size_t> sending;  // source: its active communication
    for (const std::size_t c : order) {
        find_path(paths, communications[c].from, communications[c].to);
        const auto [first, is_first] = sending.emplace(communications[c].from, c);
        if (is_first) continue;
        set.communications[c].losses = {
            {{reason::source, {communications[c].from, true}, static_cast<std::uint32_t>(first->second), {}},
             1.0,
             1.0}};
    }
    std::vector<std::size_t> who;
    for (const auto& [source, c] : sending) who.push_back(c);
    std::sort(who.begin(), who.end());
    std::vector<path_id> active;
    for (const std::size_t c : who) active.push_back(find_path(paths, communications[c].from, communications[c].to));

    congestion_solver solver(paths);
    solver.solve(active);
    for (std::size_t i = 0; i < who.size(); ++i) {
        auto losses = solver.losses(i);
        for (loss& l : losses)
            if (l.cause.behind != nobody) l.cause.behind = static_cast<std::uint32_t>(who[l.cause.behind]);
        set.communications[who[i]] = {solver.factor(i), solver.rate(i), std::move(losses)};
    }
    solver.for_each_used_port([&](port_index p) {
        set.ports.push_back({net.port(p), solver.load(p)});
        if (set.ports.back().load > 1.0 + 1e-9) set.overloads.push_back(set.ports.back());
    });
    return set;
}

std::string overload_text(const network& net, const port_load& overload) {
    return fmt::format("the published formula grants {:.6g} of the capacity of {} (three or more inputs meet there or "
                       "before, of which one crossed the root complex): times through it are too short",
                       overload.load, net.tree().port_name(overload.port));
}

}  // namespace contraflow::pcie::model
