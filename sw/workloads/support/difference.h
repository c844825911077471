// SPDX-License-Identifier: Apache-2.0
// Compares results with the host's: "c[17] is 3, not 4" for the first element that differs, or empty.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace contraflow::workloads {

template <std::integral T>
std::string difference(std::string_view what, const std::vector<T>& got, const std::vector<T>& wanted) {
    if (got.size() != wanted.size()) return fmt::format("{} has {} elements, not {}", what, got.size(), wanted.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
        if (got[i] != wanted[i]) return fmt::format("{}[{}] is {}, not {}", what, i, got[i], wanted[i]);
    }
    return {};
}

// A value is wrong if it differs by more than `tolerance` x scale. The scale of a sum is that of its largest terms, not
// of the result after cancellation.
std::string difference(std::string_view what, const std::vector<double>& got, const std::vector<double>& wanted,
                       double tolerance, double scale);

}  // namespace contraflow::workloads
