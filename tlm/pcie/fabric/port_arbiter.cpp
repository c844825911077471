// SPDX-License-Identifier: Apache-2.0
#include "pcie/fabric/port_arbiter.h"

#include <bit>
#include <stdexcept>

namespace contraflow::pcie {

port_arbiter::port_arbiter(spec s) : spec_(std::move(s)) {
    if (spec_.inputs == 0 || spec_.inputs > max_inputs) throw std::invalid_argument("port_arbiter: 1 to 64 inputs");
    if (!spec_.weights.empty() && spec_.weights.size() != spec_.inputs)
        throw std::invalid_argument("port_arbiter: one weight an input");
    for (const unsigned w : spec_.weights)
        if (w == 0) throw std::invalid_argument("port_arbiter: a weight of 0 would starve its input");
}

std::optional<unsigned> port_arbiter::next(request_mask wanting) {
    if (wanting == 0) return std::nullopt;
    const unsigned turn = state_.turn;
    if ((wanting >> turn & 1) != 0 && state_.used < weight(turn)) {
        ++state_.used;
        return turn;
    }
    // The next requesting input after `turn`, cyclically; `turn` itself comes last, with a new turn.
    const request_mask after = turn + 1 < max_inputs ? wanting >> (turn + 1) << (turn + 1) : 0;
    const auto winner = static_cast<unsigned>(std::countr_zero(after != 0 ? after : wanting));
    state_ = {winner, 1};
    return winner;
}

}  // namespace contraflow::pcie
