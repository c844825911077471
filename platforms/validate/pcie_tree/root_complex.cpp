// SPDX-License-Identifier: Apache-2.0
// P7: 4->1, alone, across the root complex.
#include <fmt/format.h>

#include "validate/pcie_tree/pcie_setup.h"
#include "validate/pcie_tree/sensitivity.h"
#include "validate/table/rows.h"

namespace contraflow::validate {
namespace {

constexpr core::bytes crossing_size = mib * 16;

double across_over_beside(const run_environment& environment, const pcie::fabric_spec& spec, core::bytes size) {
    const auto& tree = shipped_tree("t2");
    const double beside = tlm_times(tree, {send(tree, 0, 1, size)}, environment, spec).front();
    return tlm_times(tree, {send(tree, 4, 1, size)}, environment, spec).front() / beside;
}

}  // namespace

measurement root_complex_closed_form(const run_environment&) {
    const auto& tree = shipped_tree("t2");
    return {{1.0 / factors_of(tree, {send(tree, 4, 1, mib)}).front()},
            "Closed form on T2: 1 / (1 - tau).",
            "tau was taken from the published value.",
            {}};
}

measurement root_complex_tlm(const run_environment& environment) {
    const pcie::fabric_spec spec;
    const auto depends =
        sensitivity_of("P7b", "4->1 over 0->1, each alone", [&](const pcie::fabric_spec& s, core::bytes size) {
            return across_over_beside(environment, s, size);
        });
    return {{across_over_beside(environment, spec, crossing_size)},
            fmt::format("TLM on T2, {}, default parameters: time of 4->1 over that of 0->1. {}",
                        core::to_text(crossing_size), depends.text),
            "Beyond the root complex a TLP carries 64 B instead of 128, with 24 of header and framing: 2 x 88 / 152 = "
            "1.158. Longer payloads, which it cuts into more, and receive buffers that are too small for the way "
            "through it give more; no payload of 128, 256 or 512 B meets both this row and P6b.",
            {depends.section}};
}

}  // namespace contraflow::validate
