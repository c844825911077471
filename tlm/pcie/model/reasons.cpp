// SPDX-License-Identifier: Apache-2.0
// Why a communication is slow: derived from the intermediate results of the rules in the solver.
#include <array>

#include "pcie/model/solver.h"

namespace contraflow::pcie::model {

std::string_view to_text(reason why) {
    static constexpr std::array<std::string_view, reasons> texts{
        "none", "source", "upstream share", "downstream share", "root complex", "head of line"};
    return texts[static_cast<std::size_t>(why)];
}

// The loss at the root complex lowered it, not sharing: alone in its group it would have got its share.
bool congestion_solver::lost_to_root_complex(std::size_t i, use u) const {
    const port_index p = port_[u];
    if (!paths_[active_[i]].crosses_root_complex || p < net_.first_down_port()) return false;
    double group = 0.0;
    double all = 0.0;
    for (use v = head_[p]; v != no_use; v = next_[v]) {
        const bool at_source = v == flow_of(v) * stride_;
        const double offered = at_source ? source_[flow_of(v)] : after_[v - 1];
        all += offered;
        if (before_[v] == before_[u]) group += offered;
    }
    const double share = net_.capacity(p) / groups_on_[p];
    if (groups_on_[p] == 1) return net_.of_root_complex(p) && all <= net_.capacity(p) * (1.0 + tolerance);
    return group <= share * (1.0 + tolerance);
}

hold congestion_solver::why(std::size_t i) const {
    const path_facts& facts = paths_[active_[i]];
    if (final_[i] >= facts.capacity * (1.0 - tolerance)) return {};
    const auto share = [&](port_index p) {
        return p < net_.first_down_port() ? reason::upstream_share : reason::downstream_share;
    };
    if (clipped_[i] != no_port) return {share(clipped_[i]), net_.port(clipped_[i]), nobody, {}};

    if (const blockage& b = blocked_[i]; b.at != no_port)
        return {reason::head_of_line, net_.port(b.at), b.behind.by, net_.port(b.behind.held_at)};

    // Among the ports that limit it: the one that leaves it least; among equals the one that lowered it.
    use worst = no_use;
    double least = 0.0;
    for (std::size_t u = i * stride_; u < i * stride_ + facts.length; ++u) {
        if (groups_on_[port_[u]] < 2 && !lowered_[u]) continue;
        const double rate = after_[u] + increment(port_[u]);
        const double slack = tolerance * source_[i];
        if (worst == no_use || rate < least - slack || (rate <= least + slack && lowered_[u] && !lowered_[worst])) {
            worst = static_cast<use>(u);
            least = rate;
        }
    }
    if (worst == no_use) return {};
    const port_index p = port_[worst];
    return {lost_to_root_complex(i, worst) ? reason::root_complex : share(p), net_.port(p), nobody, {}};
}

}  // namespace contraflow::pcie::model
