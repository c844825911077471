// SPDX-License-Identifier: Apache-2.0
// P2 and P3: Tables I and II, four sends on T2 with the example's tau of 1/5.
#include <set>

#include "pcie/model/timeline.h"
#include "validate/pcie_tree/pcie_setup.h"
#include "validate/table/rows.h"

namespace contraflow::validate {
namespace {

constexpr double tau_of_the_example = 0.2;

std::vector<pcie::model::communication> sends_of_table_1(const pcie::topology& tree) {
    std::vector<pcie::model::communication> sends;
    for (const auto& [from, to] : {std::pair{0u, 2u}, {1u, 4u}, {3u, 2u}, {6u, 4u}})
        sends.push_back(send(tree, from, to, mib * 300));
    return sends;
}

}  // namespace

measurement table_1_factors(const run_environment&) {
    const auto& tree = shipped_tree("t2");
    return {factors_of(tree, sends_of_table_1(tree), tau_of_the_example),
            "Closed form on T2, tau = 1/5, as in the paper's example.",
            {},
            {}};
}

measurement table_2_times(const run_environment&) {
    const auto& tree = shipped_tree("t2");
    pcie::model::network_options options;
    options.tau = tau_of_the_example;
    const auto run = pcie::model::run_timeline(pcie::model::network(tree, options), sends_of_table_1(tree));
    std::set<double> ends;  // pairs of sends end together
    for (const auto& c : run.communications)
        if (ends.empty() || c.time_s() > *ends.rbegin() * (1.0 + 1e-9) || c.time_s() < *ends.begin() * (1.0 - 1e-9))
            ends.insert(c.time_s());
    measurement m{{},
                  "Closed form, the same four sends of 300 MiB: the two times at which a pair of them ends.",
                  "The source prints whole milliseconds.",
                  {}};
    for (const double s : ends) m.values.push_back(s * 1e3);
    return m;
}

}  // namespace contraflow::validate
