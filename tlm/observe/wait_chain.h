// SPDX-License-Identifier: Apache-2.0
// Who waits for whom: finds, among all waits of a moment, the chain that explains why nothing moves.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/waiting.h"

namespace contraflow::observe {

struct wait_chain {
    std::vector<core::wait_edge> edges;      // each edge's holder is the next one's waiter
    std::optional<std::size_t> cycle_begin;  // the last edge's holder is this edge's waiter

    // A line an edge; the last says whether the chain closes.
    std::vector<std::string> lines() const;
};

// The chain that starts at the longest wait. A holder's wait is one by the holder itself, else one by a part of it
// ("k80_0.in[1]" of "k80_0"), else one by what it is a part of. Where a holder waits for several things, a way into a
// cycle is preferred, then the longer wait.
wait_chain longest_chain(const std::vector<core::wait_edge>& edges);
// A chain that is a cycle and nothing else, or an empty one if there is none.
wait_chain any_cycle(const std::vector<core::wait_edge>& edges);

}  // namespace contraflow::observe
