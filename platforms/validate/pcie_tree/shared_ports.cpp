// SPDX-License-Identifier: Apache-2.0
// P5: two sends that share an upstream port (0->3 with 1->2), and two that share a downstream port (0->1 with 2->1).
#include <fmt/format.h>

#include "validate/pcie_tree/pcie_setup.h"
#include "validate/table/outcome.h"
#include "validate/table/rows.h"

namespace contraflow::validate {
namespace {

constexpr core::bytes pair_size = mib * 8;

std::vector<std::vector<pcie::model::communication>> pairs(const pcie::topology& tree) {
    return {{send(tree, 0, 3, pair_size), send(tree, 1, 2, pair_size)},
            {send(tree, 0, 1, pair_size), send(tree, 2, 1, pair_size)}};
}

// For each send: its time alone over its time in the pair.
std::vector<double> tlm_shares(const run_environment& environment, const pcie::fabric_spec& spec) {
    const auto& tree = shipped_tree("t2");
    std::vector<double> shares;
    for (const auto& pair : pairs(tree)) {
        const auto together = tlm_times(tree, pair, environment, spec);
        for (std::size_t i = 0; i < pair.size(); ++i)
            shares.push_back(tlm_times(tree, {pair[i]}, environment, spec).front() / together[i]);
    }
    return shares;
}

}  // namespace

measurement shared_ports_closed_form(const run_environment&) {
    const auto& tree = shipped_tree("t2");
    measurement m{{}, "Closed form on T2: factors of 0->3 with 1->2, then of 0->1 with 2->1.", {}, {}};
    for (const auto& pair : pairs(tree))
        for (const double f : factors_of(tree, pair)) m.values.push_back(f);
    return m;
}

measurement shared_ports_tlm(const run_environment& environment) {
    return {tlm_shares(environment, {}),
            fmt::format("TLM on T2, sends of {}: time of each alone over its time in the pair, in the order of P5a.",
                        core::to_text(pair_size)),
            "The exact half is the closed form's; in TLM shares emerge.",
            {}};
}

}  // namespace contraflow::validate
