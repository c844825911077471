// SPDX-License-Identifier: Apache-2.0
// P6: 0->1 while 4->1 sends to the same GPU across the root complex.
#include <fmt/format.h>

#include "validate/pcie_tree/pcie_setup.h"
#include "validate/table/rows.h"

namespace contraflow::validate {
namespace {

constexpr core::bytes conflict_size = mib * 16;

struct slowdowns {
    double beside = 1.0;  // factor of 0->1
    double across = 1.0;  // factor of 4->1, over 0->1 alone
};

slowdowns in_tlm(const run_environment& environment, const pcie::fabric_spec& spec) {
    const auto& tree = shipped_tree("t2");
    const double alone = tlm_times(tree, {send(tree, 0, 1, conflict_size)}, environment, spec).front();
    const auto together =
        tlm_times(tree, {send(tree, 0, 1, conflict_size), send(tree, 4, 1, conflict_size)}, environment, spec);
    return {together.front() / alone, together.back() / alone};
}

}  // namespace

measurement downstream_conflict_closed_form(const run_environment&) {
    const auto& tree = shipped_tree("t2");
    return {{1.0 / factors_of(tree, {send(tree, 0, 1, mib), send(tree, 4, 1, mib)}).front()},
            "Closed form on T2: 1 / (1/2 + tau), tau = 1 - 1/1.21. The published value is a measurement.",
            {},
            {}};
}

measurement downstream_conflict_tlm(const run_environment& environment) {
    const auto found = in_tlm(environment, {});
    const auto ample = in_tlm(environment, ample_buffers());
    return {
        {found.beside},
        fmt::format(
            "TLM on T2, sends of {}, default parameters: time of 0->1 with 4->1 over its time alone; 4->1 takes "
            "{:.2f} times the time of 0->1 alone. It depends on the receive buffers, whose default is taken from "
            "the effective bandwidth: with buffers that never bind it is {:.3f}.",
            core::to_text(conflict_size), found.across, ample.beside),
        "The switch at the destination serves its two inputs in turn, TLP by TLP, so what each gets follows from the "
        "size of its TLPs and from what each alone could send.",
        {}};
}

}  // namespace contraflow::validate
