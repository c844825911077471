// SPDX-License-Identifier: Apache-2.0
// P11: without the paper's hardware, the closed form is compared with TLM.
#include <fmt/format.h>

#include "validate/pcie_tree/level_comparison.h"
#include "validate/table/rows.h"

namespace contraflow::validate {

namespace {

// "98.4 +- 1.0 on t1, 91.5 +- 3.0 on t2"
std::string shares_by_tree(const comparison_spec& spec, const level_comparison& compared) {
    std::string text;
    for (const auto& tree : spec.trees) {
        level_comparison of_tree;
        for (const auto& s : compared.sends)
            if (s.tree == tree) of_tree.sends.push_back(s);
        text += fmt::format("{}{:.1f} +- {:.1f} on {}", text.empty() ? "" : ", ", of_tree.share_within(far_apart) * 100,
                            of_tree.share_error(far_apart) * 100, tree);
    }
    return text;
}

// "head of line 13 of 61, upstream share 9 of 195"
std::string apart_by_rule(const level_comparison& compared) {
    std::string text;
    for (const auto& r : summarise_rules(compared))
        text += fmt::format("{}{} {} of {}", text.empty() ? "" : ", ", rule_text(r.rule), r.apart, r.sends);
    return text;
}

}  // namespace

measurement both_levels(const run_environment& environment) {
    const comparison_spec spec;
    const auto compared = compare_levels(spec, environment);
    measurement m;
    std::string errors;
    for (const double d : {0.05, 0.10, far_apart}) {
        m.values.push_back(compared.share_within(d) * 100);
        errors += fmt::format("{}{:.1f}", errors.empty() ? "" : ", ", compared.share_error(d) * 100);
    }
    m.how = fmt::format(
        "{} random graphs of {} to {} communications, {} in all, on both trees in turn: different sources, any "
        "destinations, sizes uniform from {} to {}, all at once, seeds fixed. All in closed form; one graph in {} in "
        "TLM, "
        "too: {} graphs with {} communications, which are the row's. 95 % confidence: +- {} percentage points. A "
        "slowdown "
        "is the time over that of 0->1 alone with as many bytes at the same level. Within 15 %, in %: {}. Over 15 % "
        "apart, "
        "by what cost them most in the closed form: {}.",
        spec.graphs, spec.fewest, spec.most, compared.predicted.size(), core::to_text(spec.least),
        core::to_text(spec.greatest), spec.simulated_every, compared.graphs(), compared.sends.size(), errors,
        shares_by_tree(spec, compared), apart_by_rule(compared));
    m.reason = "The published share is of hardware, of which there is none here.";
    m.details.push_back(comparison_section(spec, compared));
    return m;
}

}  // namespace contraflow::validate
