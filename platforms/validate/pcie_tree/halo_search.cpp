// SPDX-License-Identifier: Apache-2.0
#include "validate/pcie_tree/halo_search.h"

namespace contraflow::validate {

pcie::model::search_result search_halo(std::array<unsigned, 3> grid, const run_environment& environment) {
    const auto& tree = shipped_tree("t2");
    pcie::model::search_options options;
    options.jobs = environment.jobs;
    options.progress = [&](double) { return !environment.keep_going || environment.keep_going(); };
    auto found = pcie::model::search_orders(pcie::model::network(tree), halo_problem(tree, grid, halo_send), options);
    environment.check();
    if (!found.exhaustive || found.without_progress != 0) throw std::runtime_error("not every order was timed");
    return found;
}

}  // namespace contraflow::validate
