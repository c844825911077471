// SPDX-License-Identifier: Apache-2.0
// A PCIe tree prepared for the closed-form model: every port gets a capacity relative to a reference bandwidth,
// and an index in the order in which the rules visit ports (up ports deepest first, then down ports from the root).
// Source of the rules: M. Martinasso et al., "A PCIe Congestion-Aware Performance Model for Densely Populated
// Accelerator Servers"; the extension to links of unequal rates is described in docs/pcie_model.md.
#pragma once

#include <cstdint>
#include <vector>

#include "core/units.h"
#include "pcie/fabric/topology.h"

namespace contraflow::pcie::model {

// The loss of a transfer at the root complex: alone it gets 1 - tau (measured: 1/1.21).
inline constexpr double default_tau = 1.0 - 1.0 / 1.21;

struct network_options {
    double tau = default_tau;                                           // 0 <= tau < 1
    core::bandwidth reference = core::bandwidth::from_gib_per_s(11.6);  // the effective bandwidth of a Gen3 x16 link
    // Per node: the capacity of the link to its parent, relative to the reference. Empty: from the links' raw rates.
    std::vector<double> capacities;
};

using port_index = std::uint32_t;
inline constexpr port_index no_port = 0xffff'ffff;

class network {
public:
    // Throws std::invalid_argument for a tau, reference or capacity out of range, and for an empty tree.
    explicit network(const topology& tree, network_options options = {});

    const topology& tree() const { return tree_; }
    double tau() const { return tau_; }
    core::bandwidth reference() const { return reference_; }

    std::size_t ports() const { return ports_.size(); }
    port_index first_down_port() const { return first_down_; }
    port_index index_of(port_id port) const { return index_[port.index()]; }  // no_port at the root
    port_id port(port_index p) const { return ports_[p]; }
    double capacity(port_index p) const { return capacity_[p]; }
    // A down port of a root complex itself, where the loss tau applies.
    bool of_root_complex(port_index p) const { return of_root_complex_[p] != 0; }

    // All links have the same rate: the published rules hold exactly.
    bool uniform() const { return uniform_; }

private:
    topology tree_;
    double tau_;
    core::bandwidth reference_;
    std::vector<port_id> ports_;
    std::vector<port_index> index_;
    std::vector<double> capacity_;
    std::vector<char> of_root_complex_;
    port_index first_down_ = 0;
    bool uniform_ = true;
};

}  // namespace contraflow::pcie::model
