// SPDX-License-Identifier: Apache-2.0
// Pages that moved: what each step took, how often a page was used after it, and the GPU of every page over time.
#pragma once

#include <algorithm>
#include <optional>

#include "remote_memory/comparison.h"

namespace contraflow::remote_memory {

// The number of uses of a page by the GPU it moved to, and the results of these moves.
struct move_uses {
    std::vector<std::uint64_t> uses;  // requests per stay, ascending
    std::uint64_t went_back = 0;      // moves back to an earlier GPU of the page
    std::uint64_t median() const { return uses.empty() ? 0 : uses[uses.size() / 2]; }
};
move_uses uses_of(const run_result& r);
// The number of accesses after which a move pays, by the extra time of a remote access over a local one, and by the
// bytes that go over the network. No time if neither run had local loads beyond the first level.
struct break_even {
    std::optional<double> by_time;
    double by_bytes = 0;
    double more() const { return std::max(by_time.value_or(0), by_bytes); }
};
break_even break_even_of(const run_result& dca, const run_result& moving);

face::table migration_table(const comparison& c);
face::table stayed_table(const comparison& c);
void add_pages(const comparison& c, face::section& to);
void add_moves(const comparison& c, face::section& to);

}  // namespace contraflow::remote_memory
