// SPDX-License-Identifier: Apache-2.0
// Tries every interleaving of a test on the small machine. States are visited by their distance from the initial one,
// so the first way to an outcome is a shortest one. Nothing is left out: no order of steps is taken for another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ordering/litmus_test.h"

namespace contraflow::ordering::model {

struct exploration {
    enum class ending : std::uint8_t { complete, too_many_states, interrupted };
    ending end = ending::complete;
    std::vector<reached_outcome> outcomes;  // in the order of sort_by_text(), each with a shortest witness
    std::uint64_t states = 0;               // different ones
    std::uint64_t steps = 0;                // between them
    std::size_t bytes_a_state = 0;
};

struct exploration_limits {
    std::uint64_t states = 0;
    std::function<bool(std::uint64_t states)> keep_going;  // asked now and then; empty: always
};

exploration explore(const litmus_test& test, const exploration_limits& limits);

}  // namespace contraflow::ordering::model
