// SPDX-License-Identifier: Apache-2.0
#include "workloads/support/difference.h"

#include <cmath>

namespace contraflow::workloads {

std::string difference(std::string_view what, const std::vector<double>& got, const std::vector<double>& wanted,
                       double tolerance, double scale) {
    if (got.size() != wanted.size()) return fmt::format("{} has {} elements, not {}", what, got.size(), wanted.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
        // Written so that a NaN counts as wrong.
        if (!(std::abs(got[i] - wanted[i]) <= tolerance * scale)) {
            return fmt::format("{}[{}] is {}, not {}", what, i, got[i], wanted[i]);
        }
    }
    return {};
}

}  // namespace contraflow::workloads
