// SPDX-License-Identifier: Apache-2.0
#include "validate/pcie_tree/level_comparison.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "pcie/model/timeline.h"
#include "transfers/patterns.h"

namespace contraflow::validate {
namespace {

constexpr unsigned gpus = 8;

pcie::model::reason costliest(const pcie::model::communication_result& c) {
    const auto lost = std::max_element(c.lost_s.begin() + 1, c.lost_s.end());  // the first is `none`
    if (*lost <= 0.0) return pcie::model::reason::none;
    return static_cast<pcie::model::reason>(lost - c.lost_s.begin());
}

void compare_graph(const random_graph& graph, const std::string& tree_name, core::bytes size, double alone_s,
                   const run_environment& environment, std::vector<compared_send>& into) {
    const auto& tree = shipped_tree(tree_name);
    std::vector<pcie::model::communication> sends;
    for (const auto& [from, to] : graph.sends) sends.push_back(send(tree, from, to, size));
    const pcie::model::network net(tree);
    const auto predicted = pcie::model::run_timeline(net, sends);
    const auto simulated = tlm_times(tree, sends, environment);
    const double model_alone_s = static_cast<double>(size.count) / net.reference().bytes_per_s;
    for (std::size_t i = 0; i < sends.size(); ++i) {
        const auto& c = predicted.communications[i];
        if (!c.ended()) throw std::runtime_error("the closed form does not end: " + predicted.message);
        into.push_back({tree_name, graph.seed, static_cast<unsigned>(sends.size()), sends[i].name,
                        c.time_s() / model_alone_s, simulated[i] / alone_s, costliest(c)});
    }
}

}  // namespace

random_graph draw_graph(unsigned communications, core::bytes size, std::uint64_t& seed) {
    for (;; ++seed) {
        random_graph graph{seed, {}};
        std::set<unsigned> sources;
        for (const auto& s : transfers::random_sends(gpus, communications, size, size, seed)) {
            sources.insert(s.from);
            graph.sends.emplace_back(s.from, s.to);
        }
        if (sources.size() != communications) continue;
        ++seed;
        return graph;
    }
}

double level_comparison::share_within(double difference) const {
    const auto within = std::count_if(sends.begin(), sends.end(),
                                      [&](const compared_send& s) { return std::abs(s.difference()) <= difference; });
    return sends.empty() ? 0.0 : static_cast<double>(within) / static_cast<double>(sends.size());
}

level_comparison compare_levels(const comparison_spec& spec, const run_environment& environment) {
    level_comparison result;
    std::uint64_t seed = 1;
    for (const auto& tree_name : spec.trees) {
        const auto& tree = shipped_tree(tree_name);
        const double alone_s = tlm_times(tree, {send(tree, 0, 1, spec.size)}, environment).front();
        for (unsigned g = 0; g < spec.graphs; ++g) {
            const unsigned communications = spec.fewest + g % (spec.most - spec.fewest + 1);
            const auto graph = draw_graph(communications, spec.size, seed);
            compare_graph(graph, tree_name, spec.size, alone_s, environment, result.sends);
        }
    }
    return result;
}

std::vector<rule_summary> summarise_rules(const level_comparison& comparison) {
    std::vector<rule_summary> rules(pcie::model::reasons);
    for (std::size_t r = 0; r < rules.size(); ++r) rules[r].rule = static_cast<pcie::model::reason>(r);
    for (const auto& s : comparison.sends) {
        auto& r = rules[static_cast<std::size_t>(s.rule)];
        const double d = s.difference();
        r.least = r.sends == 0 ? d : std::min(r.least, d);
        r.greatest = r.sends == 0 ? d : std::max(r.greatest, d);
        r.mean_difference += d;
        ++r.sends;
        if (std::abs(d) > far_apart) ++r.apart;
    }
    std::erase_if(rules, [](const rule_summary& r) { return r.sends == 0; });
    for (auto& r : rules) r.mean_difference /= static_cast<double>(r.sends);
    std::stable_sort(rules.begin(), rules.end(),
                     [](const auto& a, const auto& b) { return a.apart * b.sends > b.apart * a.sends; });
    return rules;
}

std::string rule_text(pcie::model::reason rule) {
    return rule == pcie::model::reason::none ? "nothing held it back" : std::string(to_text(rule));
}

}  // namespace contraflow::validate
