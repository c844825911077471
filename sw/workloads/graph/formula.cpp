// SPDX-License-Identifier: Apache-2.0
#include "workloads/graph/formula.h"

#include <stdexcept>

#include "core/random.h"

namespace contraflow::workloads {

formula random_formula(std::uint32_t variables, std::uint32_t clauses, std::uint64_t seed) {
    if (variables < 3)
        throw std::invalid_argument("a formula of clauses of three literals has three variables or more");
    core::random_source random(seed);
    formula f{variables, {}};
    f.clauses.reserve(clauses);
    while (f.clauses.size() < clauses) {
        std::array<std::uint32_t, 3> c;
        for (auto& literal : c) literal = static_cast<std::uint32_t>(random.below(2 * std::uint64_t{variables}));
        if (c[0] / 2 != c[1] / 2 && c[1] / 2 != c[2] / 2 && c[0] / 2 != c[2] / 2) f.clauses.push_back(c);
    }
    return f;
}

}  // namespace contraflow::workloads
