// SPDX-License-Identifier: Apache-2.0
// A random Boolean formula: clauses of three literals each, one of which must be true. Literal 2v says that variable v
// is true, 2v + 1 that it is false.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace contraflow::workloads {

struct formula {
    std::uint32_t variables = 0;
    std::vector<std::array<std::uint32_t, 3>> clauses;  // literals of three different variables
};

// Throws std::invalid_argument on fewer than three variables.
formula random_formula(std::uint32_t variables, std::uint32_t clauses, std::uint64_t seed);

}  // namespace contraflow::workloads
