// SPDX-License-Identifier: Apache-2.0
#include "validate/pcie_tree/level_comparison.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include <fmt/format.h>

#include "pcie/model/timeline.h"

namespace contraflow::validate {
namespace {

constexpr unsigned gpus = 8;

pcie::model::reason costliest(const pcie::model::communication_result& c) {
    const auto lost = std::max_element(c.lost_s.begin() + 1, c.lost_s.end());  // the first is `none`
    if (*lost <= 0.0) return pcie::model::reason::none;
    return static_cast<pcie::model::reason>(lost - c.lost_s.begin());
}

}  // namespace

random_graph draw_graph(const comparison_spec& spec, unsigned communications, std::uint64_t& seed) {
    for (;; ++seed) {
        random_graph graph{seed, transfers::random_sends(gpus, communications, spec.least, spec.greatest, seed)};
        unsigned sources = 0;  // a bit for each
        for (const auto& s : graph.sends) sources |= 1u << s.from;
        if (std::popcount(sources) != static_cast<int>(communications)) continue;
        ++seed;
        return graph;
    }
}

time_alone::time_alone(const pcie::topology& tree, core::bytes least, core::bytes greatest,
                       const run_environment& environment)
    : least_(least),
      least_s_(tlm_times(tree, {send(tree, 0, 1, least)}, environment).front()),
      s_per_byte_((tlm_times(tree, {send(tree, 0, 1, greatest)}, environment).front() - least_s_) /
                  static_cast<double>(greatest.count - least.count)) {}

std::size_t level_comparison::graphs() const {
    std::size_t all = 0;
    for (std::size_t i = 0; i < sends.size(); ++i) all += i == 0 || sends[i].seed != sends[i - 1].seed;
    return all;
}

double level_comparison::share_within(double difference) const {
    const auto within = std::count_if(sends.begin(), sends.end(),
                                      [&](const compared_send& s) { return std::abs(s.difference()) <= difference; });
    return sends.empty() ? 0.0 : static_cast<double>(within) / static_cast<double>(sends.size());
}

double level_comparison::share_error(double difference) const {
    const double share = share_within(difference);
    const auto n = static_cast<double>(graphs());
    if (n < 2) return 1.0;  // one graph tells nothing of others
    double squares = 0.0;
    for (std::size_t i = 0; i < sends.size();) {
        double residue = 0.0;
        const std::uint64_t graph = sends[i].seed;
        for (; i < sends.size() && sends[i].seed == graph; ++i)
            residue += (std::abs(sends[i].difference()) <= difference ? 1.0 : 0.0) - share;
        squares += residue * residue;
    }
    if (squares == 0) return std::min(1.0, 3.0 / n);
    constexpr double quantile = 1.96;  // 95 % of a normal distribution lie within so many deviations
    return quantile * std::sqrt(squares * n / (n - 1)) / static_cast<double>(sends.size());
}

level_comparison compare_levels(const comparison_spec& spec, const run_environment& environment) {
    const auto kinds = static_cast<unsigned>(spec.trees.size()) * (spec.most - spec.fewest + 1);
    if (std::gcd(spec.simulated_every, kinds) != 1 || spec.least >= spec.greatest)
        throw std::invalid_argument("a comparison whose sample misses some graphs, or without sizes");
    struct server {
        const std::string& name;
        const pcie::topology& tree;
        pcie::model::network net;
        time_alone alone;
    };
    std::vector<server> servers;
    for (const auto& name : spec.trees) {
        const auto& tree = shipped_tree(name);
        servers.push_back(
            {name, tree, pcie::model::network(tree), time_alone(tree, spec.least, spec.greatest, environment)});
    }
    level_comparison result;
    std::uint64_t seed = 1;
    for (unsigned g = 0; g < spec.graphs; ++g) {
        const server& on = servers[g % servers.size()];
        const auto communications =
            spec.fewest + g / static_cast<unsigned>(servers.size()) % (spec.most - spec.fewest + 1);
        const auto graph = draw_graph(spec, communications, seed);
        std::vector<pcie::model::communication> sends;
        for (const auto& s : graph.sends) sends.push_back(send(on.tree, s.from, s.to, s.size));
        const auto predicted = pcie::model::run_timeline(on.net, sends);
        const bool simulated = g % spec.simulated_every == 0;
        const auto times = simulated ? tlm_times(on.tree, sends, environment) : std::vector<double>{};
        for (std::size_t i = 0; i < sends.size(); ++i) {
            const auto& c = predicted.communications[i];
            if (!c.ended()) throw std::runtime_error("the closed form does not end: " + predicted.message);
            const core::bytes size = graph.sends[i].size;
            const double alone_s = static_cast<double>(size.count) / on.net.reference().bytes_per_s;
            const predicted_send p{communications, c.time_s() / alone_s, costliest(c)};
            result.predicted.push_back(p);
            if (simulated)
                result.sends.push_back({p, on.name, graph.seed, sends[i].name, times[i] / on.alone.seconds(size)});
        }
        if (g % 1000 == 0) environment.check();
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
    for (const auto& p : comparison.predicted) ++rules[static_cast<std::size_t>(p.rule)].predicted;
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
