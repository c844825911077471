// SPDX-License-Identifier: Apache-2.0
// Finds, among all waits at a moment, the chain that explains why nothing moves.
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

    // A line for each edge; the last line says whether the chain closes.
    std::vector<std::string> lines() const;
};

// The chain that starts at the longest wait. It continues with a wait of the holder itself, else of a part of it
// ("k80_0.in[1]" of "k80_0"), else of the component that contains it. If a holder has several waits, one that leads
// into a cycle comes first, then the longer wait.
wait_chain longest_chain(const std::vector<core::wait_edge>& edges);
// A chain that is exactly a cycle, or an empty one if there is none.
wait_chain any_cycle(const std::vector<core::wait_edge>& edges);

}  // namespace contraflow::observe
