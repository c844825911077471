// SPDX-License-Identifier: Apache-2.0
#include "validate/pcie_tree/pcie_setup.h"

#include <map>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>

#include "config/config.h"
#include "machines/tree_config.h"
#include "pcie/model/factors.h"
#include "pcie_study/tlm_run.h"
#include "pcie_tree/experiment.h"
#include "shipped_yaml.h"
#include "transfers/patterns.h"

namespace contraflow::validate {
pcie::topology tree_of(const char* name, const char* yaml) {
    config::diagnostics diag;
    const auto loaded = config::load<pcie_tree::experiment>(config::source{name, yaml}, {}, diag);
    auto tree = machines::build_tree(
        loaded.value, [&](std::string_view path) { return loaded.where(path); }, diag);
    if (diag.failed() || !tree) {
        std::ostringstream said;
        diag.print(said);
        throw std::runtime_error(said.str());
    }
    return std::move(tree->topology);
}

const pcie::topology& shipped_tree(std::string_view name) {
    static const std::map<std::string_view, pcie::topology> trees{{"t1", tree_of("t1.yaml", t1_yaml)},
                                                                  {"t2", tree_of("t2.yaml", t2_yaml)}};
    return trees.at(name);
}

pcie::node_id gpu(const pcie::topology& tree, unsigned number) {
    return tree.find(fmt::format("gpu{}", number)).value();
}

pcie::model::communication send(const pcie::topology& tree, unsigned from, unsigned to, core::bytes size) {
    return {fmt::format("{}->{}", from, to), gpu(tree, from), gpu(tree, to), size, 0.0};
}

std::vector<double> factors_of(const pcie::topology& tree, const std::vector<pcie::model::communication>& sends,
                               double tau) {
    pcie::model::network_options options;
    options.tau = tau;
    const pcie::model::network net(tree, options);
    std::vector<double> factors;
    for (const auto& c : pcie::model::evaluate_factors(net, sends).communications) factors.push_back(c.factor);
    return factors;
}

std::vector<double> tlm_times(const pcie::topology& tree, const std::vector<pcie::model::communication>& sends,
                              const run_environment& environment, const pcie::fabric_spec& spec) {
    pcie_study::tlm_options options;
    options.limits.keep_going = environment.keep_going;
    const auto run = pcie_study::run_tlm(tree, spec, sends, options);
    environment.check();
    runner::require_verified("TLM", run);
    std::vector<double> times;
    for (const auto& s : run.streams) times.push_back((s.finished - s.start).seconds());
    return times;
}

pcie::model::order_problem halo_problem(const pcie::topology& tree, std::array<unsigned, 3> grid, core::bytes size) {
    pcie::model::order_problem problem(grid[0] * grid[1] * grid[2]);
    for (unsigned i = 0; i < problem.size(); ++i) problem[i].from = gpu(tree, i);
    for (const auto& s : transfers::halo_sends({grid, {size, size, size}, false}))
        problem[s.from].sends.push_back({gpu(tree, s.to), s.size});
    return problem;
}

}  // namespace contraflow::validate
