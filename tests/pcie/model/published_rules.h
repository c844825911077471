// SPDX-License-Identifier: Apache-2.0
// Rules B to D for equal links as docs/pcie_model.md states them, written as plainly as possible and without regard to
// speed: the reference for the solver.
#pragma once

#include <algorithm>
#include <map>
#include <stdexcept>
#include <vector>

#include "pcie/fabric/topology.h"
#include "pcie/model/communication.h"

namespace contraflow::pcie::model::test {

// One communication a source. Throws std::logic_error if a factor rises along a path in B and C.
inline std::vector<double> published_factors(const topology& tree, const std::vector<communication>& graph,
                                             double tau) {
    constexpr double tolerance = 1e-9;
    const std::size_t n = graph.size();
    std::vector<route> way;
    std::vector<std::size_t> all_ports;
    std::map<std::size_t, port_id> port_of;
    for (const communication& c : graph) {
        way.push_back(*tree.path(c.from, c.to));
        for (const port_id p : way.back().ports) port_of[p.index()] = p;
    }
    all_ports.reserve(port_of.size());
    for (const auto& [index, p] : port_of) all_ports.push_back(index);
    const auto depth = [&](std::size_t p) { return tree[port_of[p].node].depth; };
    std::stable_sort(all_ports.begin(), all_ports.end(), [&](std::size_t a, std::size_t b) {
        if (port_of[a].up != port_of[b].up) return port_of[a].up;
        return port_of[a].up ? depth(a) > depth(b) : depth(a) < depth(b);
    });
    const auto place_on = [&](std::size_t c, std::size_t p) {
        for (std::size_t k = 0; k < way[c].ports.size(); ++k)
            if (way[c].ports[k].index() == p) return static_cast<int>(k);
        return -1;
    };

    std::vector<double> rho(n, 1.0);
    std::vector<std::map<std::size_t, double>> after(n);
    std::vector<std::map<std::size_t, bool>> lowered(n);
    std::map<std::size_t, std::size_t> groups_on;
    for (const std::size_t p : all_ports) {
        std::map<std::size_t, std::vector<std::size_t>> groups;
        double sum = 0.0;
        for (std::size_t c = 0; c < n; ++c) {
            const int k = place_on(c, p);
            if (k < 0) continue;
            groups[k == 0 ? SIZE_MAX : way[c].ports[static_cast<std::size_t>(k) - 1].index()].push_back(c);
            sum += rho[c];
        }
        const double inputs = static_cast<double>(groups.size());
        groups_on[p] = groups.size();
        const auto crosses = [&](const std::vector<std::size_t>& members) {
            return std::any_of(members.begin(), members.end(), [&](auto c) { return way[c].crosses_root_complex; });
        };
        const bool any = std::any_of(groups.begin(), groups.end(), [&](const auto& g) { return crosses(g.second); });
        const bool at_root_complex =
            !port_of[p].up && tree[tree[port_of[p].node].parent].kind == node_kind::root_complex;
        for (const auto& [before, members] : groups) {
            double group_sum = 0.0;
            for (const std::size_t c : members) group_sum += rho[c];
            double by = 1.0;
            if (port_of[p].up) {
                if (sum > 1.0 + tolerance) by = 1.0 / sum;
            } else if (groups.size() == 1) {
                if (at_root_complex && sum > 1.0 - tau + tolerance) by = (1.0 - tau) / sum;
            } else if (sum > 1.0 + tolerance) {
                double granted = 1.0 / inputs;
                if (any) granted = crosses(members) ? std::max(1.0 / inputs - tau, 0.0) : 1.0 / inputs + tau;
                by = group_sum > 0.0 ? std::min(granted, group_sum) / group_sum : 1.0;
            }
            if (by > 1.0) throw std::logic_error("a factor rises along its path");
            for (const std::size_t c : members) {
                const double was = rho[c];
                rho[c] *= by;
                after[c][p] = rho[c];
                lowered[c][p] = was - rho[c] > tolerance;
            }
        }
    }

    std::vector<double> result = rho;
    std::vector<bool> blocked(n, false);
    for (std::size_t c = 0; c < n; ++c)
        for (const port_id l : way[c].ports)
            for (std::size_t b = 0; b < n; ++b) {
                const int from = place_on(b, l.index());
                if (from < 0) continue;
                for (std::size_t k = static_cast<std::size_t>(from) + 1; k < way[b].ports.size(); ++k) {
                    const std::size_t m = way[b].ports[k].index();
                    if (groups_on[m] >= 2 && after[b][m] < rho[c] - tolerance) {
                        blocked[c] = true;
                        result[c] = std::min(result[c], after[b][m]);
                    }
                }
            }
    for (std::size_t c = 0; c < n; ++c) {
        if (blocked[c]) continue;
        double least = 1.0;
        for (const port_id port : way[c].ports) {
            const std::size_t p = port.index();
            if (groups_on[p] < 2 && !lowered[c][p]) continue;
            double left = 0.0;
            double takers = 0.0;
            for (std::size_t b = 0; b < n; ++b) {
                if (place_on(b, p) < 0) continue;
                if (blocked[b])
                    left += after[b][p] - std::min(after[b][p], result[b]);
                else
                    takers += 1.0;
            }
            least = std::min(least, after[c][p] + left / takers);
        }
        result[c] = least;
    }
    return result;
}

}  // namespace contraflow::pcie::model::test
