// SPDX-License-Identifier: Apache-2.0
// P6: 0->1 while 4->1 sends to the same GPU across the root complex.
#include <fmt/format.h>

#include "validate/pcie_tree/pcie_setup.h"
#include "validate/pcie_tree/sensitivity.h"
#include "validate/table/rows.h"

namespace contraflow::validate {
namespace {

constexpr core::bytes conflict_size = mib * 16;

struct slowdowns {
    double beside = 1.0;  // factor of 0->1
    double across = 1.0;  // factor of 4->1, over 0->1 alone
};

slowdowns in_tlm(const run_environment& environment, const pcie::fabric_spec& spec, core::bytes size) {
    const auto& tree = shipped_tree("t2");
    const double alone = tlm_times(tree, {send(tree, 0, 1, size)}, environment, spec).front();
    const auto together = tlm_times(tree, {send(tree, 0, 1, size), send(tree, 4, 1, size)}, environment, spec);
    return {together.front() / alone, together.back() / alone};
}

}  // namespace

measurement downstream_conflict_closed_form(const run_environment&) {
    const auto& tree = shipped_tree("t2");
    return {{1.0 / factors_of(tree, {send(tree, 0, 1, mib), send(tree, 4, 1, mib)}).front()},
            "Closed form on T2: 1 / (1/2 + tau), tau = 1 - 1/1.21.",
            "The published value is a measurement; this is what the source's own formula gives.",
            {}};
}

measurement downstream_conflict_tlm(const run_environment& environment) {
    const auto found = in_tlm(environment, {}, conflict_size);
    const auto depends =
        sensitivity_of("P6b", "0->1 slowed by 4->1", [&](const pcie::fabric_spec& spec, core::bytes size) {
            return in_tlm(environment, spec, size).beside;
        });
    return {{found.beside},
            fmt::format("TLM on T2, sends of {}, default parameters: time of 0->1 with 4->1 over its time alone; 4->1 "
                        "takes {:.2f} times the time of 0->1 alone. {}",
                        core::to_text(conflict_size), found.across, depends.text),
            "The switch at the destination serves its two inputs in turn, a TLP each. From the root complex come TLPs "
            "of 64 B, 88 with header and framing, and from beside 152 for 128 B: (152 + 88) / 152 = 1.579. "
            "Longer payloads, and receive buffers that are too small for the link, give less; no payload of 128, 256 "
            "or 512 B meets both this row and P7b.",
            {depends.section}};
}

}  // namespace contraflow::validate
