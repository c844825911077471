// SPDX-License-Identifier: Apache-2.0
// P8 and P9: every order of the sends of COSMO's halo exchanges on T2.
#include <algorithm>

#include <fmt/format.h>

#include "validate/pcie_tree/halo_search.h"
#include "validate/table/rows.h"

namespace contraflow::validate {
namespace {

double tlm_exchange_s(const pcie::topology& tree, const pcie::model::order_problem& problem,
                      const pcie::model::send_order& order, const run_environment& environment) {
    const auto times = tlm_times(tree, pcie::model::in_order(tree, problem, order), environment);
    return *std::max_element(times.begin(), times.end());
}

std::string every_order(const pcie::model::search_result& found) {
    return fmt::format("Closed form on T2, all {:.0f} orders, equal sends.", found.orders);
}

}  // namespace

measurement halo_2d_orders(const run_environment& environment) {
    const auto found = search_halo(halo_2d_grid, environment);
    return {{found.curve.slowest() / found.curve.fastest()}, every_order(found), "The source prints two digits.", {}};
}

measurement halo_2d_orders_tlm(const run_environment& environment) {
    const auto& tree = shipped_tree("t2");
    const auto found = search_halo(halo_2d_grid, environment);
    constexpr core::bytes size = mib * 4;
    const auto problem = halo_problem(tree, halo_2d_grid, size);
    const double fastest = tlm_exchange_s(tree, problem, found.fastest.order, environment);
    const double slowest = tlm_exchange_s(tree, problem, found.slowest.order, environment);
    return {{slowest / fastest},
            fmt::format("TLM on T2, sends of {}: the fastest and the slowest order of P8a.", core::to_text(size)),
            "The two orders are the extremes of the closed form, not of TLM.",
            {}};
}

measurement halo_3d_spread(const run_environment& environment) {
    const auto found = search_halo(halo_3d_grid, environment);
    return {{found.curve.slowest() / found.curve.fastest()},
            every_order(found),
            "The source's rules, as we read them, give this.",
            {}};
}

measurement halo_3d_median(const run_environment& environment) {
    const auto found = search_halo(halo_3d_grid, environment);
    return {{found.curve.slowest() / found.curve.median()},
            every_order(found),
            "The source's rules, as we read them, give this; a reading of its equation 9 that gives 1.436 lets ports "
            "carry up to 1.22 of their capacity.",
            {}};
}

}  // namespace contraflow::validate
