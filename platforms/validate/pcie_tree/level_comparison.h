// SPDX-License-Identifier: Apache-2.0
// The closed form against TLM over random graphs: how much slower than alone is each communication at either level,
// and which rule of the closed form explains a difference. A slowdown is the time of a communication over that of
// a transfer of the same size alone inside a K80 (gpu0 to gpu1), at the same level. All graphs are computed in closed
// form; a sample of them is simulated, too.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "face/results/report_data.h"
#include "pcie/model/solver.h"
#include "transfers/patterns.h"
#include "validate/pcie_tree/pcie_setup.h"

namespace contraflow::validate {

struct comparison_spec {
    std::vector<std::string> trees{"t1", "t2"};  // in turn
    unsigned graphs = 44'933;                    // as many as the source compares
    // One in so many is simulated: no factor in common with the number of trees times that of sizes of graphs, so that
    // the sample has each of them.
    unsigned simulated_every = 181;
    unsigned fewest = 2, most = 8;  // communications of a graph, in turn: each has a source of its own among 8 GPUs
    core::bytes least{1u << 18}, greatest{1u << 21};  // sizes of messages, uniform, assumed; all start together
};

// `./contraflow run pcie_tree TREE --set communications=[] --set pattern.kind=random ...` makes it.
struct random_graph {
    std::uint64_t seed = 0;
    std::vector<transfers::rank_send> sends;  // between GPUs
};
// Draws with the first seed, from `seed` on, that gives different sources, and moves `seed` past it.
random_graph draw_graph(const comparison_spec& spec, unsigned communications, std::uint64_t& seed);

// Time of a transfer alone from gpu0 to gpu1 in TLM: that of two sizes, and a straight line through them.
class time_alone {
public:
    time_alone(const pcie::topology& tree, core::bytes least, core::bytes greatest, const run_environment& environment);
    double seconds(core::bytes size) const {
        return least_s_ + s_per_byte_ * (static_cast<double>(size.count) - static_cast<double>(least_.count));
    }

private:
    core::bytes least_;
    double least_s_, s_per_byte_;
};

struct predicted_send {
    unsigned communications = 0;  // number in its graph
    double closed_form = 1.0;     // slowdown
    pcie::model::reason rule{};   // its largest loss of time
};
struct compared_send : predicted_send {
    std::string tree;
    std::uint64_t seed = 0;  // of its graph: one graph, one seed
    std::string name;
    double tlm = 1.0;
    double difference() const { return tlm / closed_form - 1.0; }
};

struct level_comparison {
    std::vector<predicted_send> predicted;         // of all graphs
    std::vector<compared_send> sends;              // of those that were simulated, graph by graph
    std::size_t graphs() const;                    // that were simulated
    double share_within(double difference) const;  // 0.05: at most 5 % apart
    // Half the width of the share's 95 % confidence interval. Communications of a graph are not independent, so graphs
    // are what was drawn (a ratio estimator over clusters). Where all graphs agree, 3 over their number.
    double share_error(double difference) const;
};

level_comparison compare_levels(const comparison_spec& spec, const run_environment& environment);

// Above this difference the levels count as different: the band of the published accuracy.
inline constexpr double far_apart = 0.15;

struct rule_summary {
    pcie::model::reason rule{};
    std::size_t predicted = 0;           // sends of all graphs
    std::size_t sends = 0;               // that were simulated
    std::size_t apart = 0;               // far apart
    double mean_difference = 0.0;        // signed
    double least = 0.0, greatest = 0.0;  // least and greatest difference
};
// Rules that occur in the sample, sorted by the share of their sends that is far apart, the largest first.
std::vector<rule_summary> summarise_rules(const level_comparison& comparison);
// "nothing held it back", "downstream share"
std::string rule_text(pcie::model::reason rule);

// Histogram of the differences, slowdowns by rule, share of sends by difference, a row for each rule and for each
// number of communications, and the largest differences.
face::section comparison_section(const comparison_spec& spec, const level_comparison& comparison);

}  // namespace contraflow::validate
