// SPDX-License-Identifier: Apache-2.0
// P10: the form of the fastest order of the 2D halo, and its gain over fixed orders of directions.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "validate/pcie_tree/halo_search.h"
#include "validate/table/rows.h"

namespace contraflow::validate {
namespace {

using pcie::model::order_problem;
using pcie::model::send_order;

// The sends of one round as rings, "gpu0 > gpu1 > gpu0"; none unless each sender receives from exactly one.
std::optional<std::string> rings_of(const pcie::topology& tree, std::map<pcie::node_id, pcie::node_id> sends) {
    std::string text;
    while (!sends.empty()) {
        const pcie::node_id first = sends.begin()->first;
        text += (text.empty() ? "" : ", ") + tree[first].name;
        for (pcie::node_id at = first;;) {
            const auto next = sends.find(at);
            if (next == sends.end()) return std::nullopt;
            at = next->second;
            sends.erase(next);
            text += " > " + tree[at].name;
            if (at == first) break;
        }
    }
    return text;
}

// All send in this order of directions, as far as there is a neighbour: x grows to the east, y to the south.
send_order by_direction(const pcie::topology& tree, const order_problem& problem, std::string_view directions) {
    const auto [nx, ny, nz] = halo_2d_grid;
    const std::map<char, std::pair<int, int>> steps{{'E', {1, 0}}, {'W', {-1, 0}}, {'N', {0, -1}}, {'S', {0, 1}}};
    send_order order(problem.size());
    for (unsigned i = 0; i < nx * ny * nz; ++i)
        for (const char d : directions) {
            const int x = static_cast<int>(i % nx) + steps.at(d).first;
            const int y = static_cast<int>(i / nx) + steps.at(d).second;
            if (x < 0 || y < 0 || x >= static_cast<int>(nx) || y >= static_cast<int>(ny)) continue;
            const auto to = gpu(tree, static_cast<unsigned>(y) * nx + static_cast<unsigned>(x));
            const auto& sends = problem[i].sends;
            const auto at = std::find_if(sends.begin(), sends.end(), [to](const auto& s) { return s.to == to; });
            order[i].push_back(static_cast<std::uint32_t>(at - sends.begin()));
        }
    return order;
}

}  // namespace

measurement rings_of_fastest_order(const run_environment& environment) {
    const auto& tree = shipped_tree("t2");
    const auto problem = halo_problem(tree, halo_2d_grid, halo_send);
    const auto found = search_halo(halo_2d_grid, environment);
    measurement m{
        {0.0},
        fmt::format("Closed form on T2; the first of the {} orders that are equally fast.", found.curve.within(1e-9)),
        "The source says that the fastest order is rings and prints no number for it.",
        {}};
    for (std::size_t round = 0;; ++round) {
        std::map<pcie::node_id, pcie::node_id> sends;
        for (std::size_t i = 0; i < problem.size(); ++i)
            if (round < found.fastest.order[i].size())
                sends[problem[i].from] = problem[i].sends[found.fastest.order[i][round]].to;
        if (sends.empty()) return m;
        const auto rings = rings_of(tree, sends);
        if (rings) ++m.values.front();
        m.how += fmt::format(" Round {}: {}.", round + 1, rings.value_or("not made of rings"));
    }
}

measurement gain_over_fixed_order(const run_environment& environment) {
    const auto& tree = shipped_tree("t2");
    const auto problem = halo_problem(tree, halo_2d_grid, halo_send);
    const pcie::model::network net(tree);
    const double fastest = search_halo(halo_2d_grid, environment).fastest.time_s;
    std::map<std::string, double> ratios;  // by directions
    std::string directions = "ENSW";       // the first permutation
    do {
        ratios[directions] = time_of_order(net, problem, by_direction(tree, problem, directions)) / fastest;
    } while (std::next_permutation(directions.begin(), directions.end()));
    const auto [least, most] = std::minmax_element(ratios.begin(), ratios.end(),
                                                   [](const auto& a, const auto& b) { return a.second < b.second; });
    return {
        {ratios.at("NWES"), ratios.at("EWNS")},
        fmt::format(
            "Closed form on T2. No source gives COSMO's order, so two are shown: ascending rank (north, west, east, "
            "south), then east, west, north, south. Over all {} orders of the four directions the ratio goes "
            "from {:.3f} to {:.3f}.",
            ratios.size(), least->second, most->second),
        "It depends on the order that is taken for COSMO's.",
        {}};
}

}  // namespace contraflow::validate
