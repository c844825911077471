// SPDX-License-Identifier: Apache-2.0
// P4: Examples 1 and 2 of the paper, one port with given inputs. The inputs are tenths: each comes from an endpoint
// whose link has that rate, and each group from a switch.
#include <string>

#include "pcie/model/factors.h"
#include "validate/pcie_tree/pcie_setup.h"
#include "validate/table/rows.h"

namespace contraflow::validate {
namespace {

class port_setup {
public:
    explicit port_setup(double tau) {
        options_.tau = tau;
        root_complex_ = add("rc", pcie::node_kind::root_complex, pcie::no_node);
        near_ = add("near", pcie::node_kind::pcie_switch, root_complex_);
        far_ = add("far", pcie::node_kind::pcie_switch, root_complex_);
    }
    pcie::node_id near() const { return near_; }
    pcie::node_id far() const { return far_; }

    // A group of communications that enter the port by the same input.
    void add_group(pcie::node_id below, const std::vector<double>& offered) {
        const pcie::node_id entry = add("in", pcie::node_kind::pcie_switch, below);
        for (const double rho : offered)
            sends_.push_back({{}, add("from", pcie::node_kind::endpoint, entry, rho), pcie::no_node, mib, 0.0});
    }
    // All go to one endpoint. Returns their rates.
    std::vector<double> rates_to(pcie::node_id below) {
        const pcie::node_id target = add("to", pcie::node_kind::endpoint, below);
        for (auto& s : sends_) s.to = target;
        std::vector<double> rates;
        const auto set = pcie::model::evaluate_factors(pcie::model::network(tree_, options_), sends_);
        for (const auto& c : set.communications) rates.push_back(c.rate);
        return rates;
    }

private:
    pcie::node_id add(const char* name, pcie::node_kind kind, pcie::node_id parent, double capacity = 1.0) {
        pcie::topology_node node;
        node.name = name + std::to_string(tree_.size());
        node.kind = kind;
        options_.capacities.push_back(capacity);
        return tree_.add(std::move(node), parent);
    }

    pcie::topology tree_;
    pcie::model::network_options options_;
    pcie::node_id root_complex_, near_, far_;
    std::vector<pcie::model::communication> sends_;
};

}  // namespace

measurement upstream_port_example(const run_environment&) {
    port_setup setup(0.0);  // the root complex beyond the port takes nothing, so the port's shares arrive
    setup.add_group(setup.near(), {0.6, 0.4});
    setup.add_group(setup.near(), {0.3, 0.5});
    return {setup.rates_to(setup.far()),
            "Closed form, eq. 6 at one upstream port: inputs 0.6 and 0.4 by one port, 0.3 and 0.5 by another.",
            "The source prints two digits.",
            {}};
}

measurement downstream_port_example(const run_environment&) {
    port_setup setup(0.2);
    setup.add_group(setup.far(), {0.7});
    setup.add_group(setup.near(), {0.9});
    return {setup.rates_to(setup.near()),
            "Closed form, eq. 7 at one downstream port, tau = 1/5: 0.7 from the root complex meets 0.9 from beside. "
            "(The paper's Example 3 prints no numbers.)",
            {},
            {}};
}

}  // namespace contraflow::validate
