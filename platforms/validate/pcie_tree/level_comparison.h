// SPDX-License-Identifier: Apache-2.0
// The closed form against TLM over random graphs: how much slower than alone is each communication at either level,
// and which rule of the closed form explains a difference. A slowdown is the time of a communication over that of
// a transfer of the same size alone inside a K80 (gpu0 to gpu1), at the same level.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "face/results/report_data.h"
#include "pcie/model/solver.h"
#include "validate/pcie_tree/pcie_setup.h"

namespace contraflow::validate {

struct comparison_spec {
    std::vector<std::string> trees{"t1", "t2"};
    unsigned graphs = 100;          // a tree
    unsigned fewest = 2, most = 7;  // communications of a graph, in turn; each has a source of its own
    core::bytes size = mib;         // of each message; all start together
};

// `./contraflow run pcie_tree TREE --set pattern.kind=random --set pattern.count=N --set pattern.seed=S ...` makes it.
struct random_graph {
    std::uint64_t seed = 0;
    std::vector<std::pair<unsigned, unsigned>> sends;  // numbers of GPUs
};
// Draws with the first seed, from `seed` on, that gives different sources, and moves `seed` past it.
random_graph draw_graph(unsigned communications, core::bytes size, std::uint64_t& seed);

struct compared_send {
    std::string tree;
    std::uint64_t seed = 0;
    unsigned communications = 0;  // number in its graph
    std::string name;
    double closed_form = 1.0;  // slowdowns
    double tlm = 1.0;
    pcie::model::reason rule{};  // its largest loss of time in the closed form
    double difference() const { return tlm / closed_form - 1.0; }
};

struct level_comparison {
    std::vector<compared_send> sends;
    double share_within(double difference) const;  // 0.05: at most 5 % apart
};

level_comparison compare_levels(const comparison_spec& spec, const run_environment& environment);

// Above this difference the levels count as different: the band of the published accuracy.
inline constexpr double far_apart = 0.15;

struct rule_summary {
    pcie::model::reason rule{};
    std::size_t sends = 0;
    std::size_t apart = 0;               // far apart
    double mean_difference = 0.0;        // signed
    double least = 0.0, greatest = 0.0;  // least and greatest difference
};
// Rules that occur, sorted by the share of their sends that is far apart, the largest first.
std::vector<rule_summary> summarise_rules(const level_comparison& comparison);
// "nothing held it back", "downstream share"
std::string rule_text(pcie::model::reason rule);

// Scatter of the slowdowns by rule, share of sends by difference, a row for each rule, and the largest differences.
face::section comparison_section(const level_comparison& comparison);

}  // namespace contraflow::validate
