// SPDX-License-Identifier: Apache-2.0
// Shared by the experiments on PCIe trees: the shipped trees T1 and T2, sends between their GPUs, and their times at
// either level.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "core/units.h"
#include "pcie/fabric/fabric_spec.h"
#include "pcie/fabric/topology.h"
#include "pcie/model/communication.h"
#include "pcie/model/network.h"
#include "pcie/model/orders/order_problem.h"
#include "validate/table/row.h"

namespace contraflow::validate {

inline constexpr core::bytes mib{1u << 20};

// The tree of a configuration of pcie_tree.
pcie::topology tree_of(const char* name, const char* yaml);
// The tree of platforms/pcie_tree/t1.yaml or t2.yaml, as built in: "t1", "t2".
const pcie::topology& shipped_tree(std::string_view name);

pcie::node_id gpu(const pcie::topology& tree, unsigned number);
// "0->3", all at once.
pcie::model::communication send(const pcie::topology& tree, unsigned from, unsigned to, core::bytes size);

// Factors of sends that are issued together.
std::vector<double> factors_of(const pcie::topology& tree, const std::vector<pcie::model::communication>& sends,
                               double tau = pcie::model::default_tau);

// From start to last byte, packet by packet, in seconds. Throws if anything was lost, changed or left over.
std::vector<double> tlm_times(const pcie::topology& tree, const std::vector<pcie::model::communication>& sends,
                              const run_environment& environment, const pcie::fabric_spec& spec = {});

// A halo exchange between the tree's GPUs, all sends of one size, in ascending order of destination.
pcie::model::order_problem halo_problem(const pcie::topology& tree, std::array<unsigned, 3> grid, core::bytes size);

}  // namespace contraflow::validate
