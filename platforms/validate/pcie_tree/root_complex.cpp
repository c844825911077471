// SPDX-License-Identifier: Apache-2.0
// P7: 4->1, alone, across the root complex.
#include <fmt/format.h>

#include "validate/pcie_tree/pcie_setup.h"
#include "validate/table/rows.h"

namespace contraflow::validate {
namespace {

constexpr core::bytes crossing_size = mib * 16;

double across_over_beside(const run_environment& environment, const pcie::fabric_spec& spec) {
    const auto& tree = shipped_tree("t2");
    const double beside = tlm_times(tree, {send(tree, 0, 1, crossing_size)}, environment, spec).front();
    return tlm_times(tree, {send(tree, 4, 1, crossing_size)}, environment, spec).front() / beside;
}

}  // namespace

measurement root_complex_closed_form(const run_environment&) {
    const auto& tree = shipped_tree("t2");
    return {{1.0 / factors_of(tree, {send(tree, 4, 1, mib)}).front()},
            "Closed form on T2: 1 / (1 - tau); tau was taken from the published value.",
            {},
            {}};
}

measurement root_complex_tlm(const run_environment& environment) {
    const pcie::fabric_spec spec;
    return {
        {across_over_beside(environment, spec)},
        fmt::format("TLM on T2, {}, default parameters: time of 4->1 over that of 0->1. Beyond the root complex a TLP "
                    "carries {} instead of {}. It depends on the receive buffers, whose default is taken from the "
                    "effective bandwidth: with buffers that never bind it is {:.3f}.",
                    core::to_text(crossing_size), core::to_text(spec.root_complex_payload),
                    core::to_text(spec.max_payload), across_over_beside(environment, ample_buffers())),
        "The overhead of a TLP weighs more on the root complex's smaller payload.",
        {}};
}

}  // namespace contraflow::validate
