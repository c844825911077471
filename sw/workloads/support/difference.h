// SPDX-License-Identifier: Apache-2.0
// Results against what the host computed: "c[17] is 3, not 4" for the first element that differs, or empty.
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

// Wrong is what is off by more than `tolerance` x scale; the scale of a sum is that of its largest terms, not of what
// is left when they cancel.
std::string difference(std::string_view what, const std::vector<double>& got, const std::vector<double>& wanted,
                       double tolerance, double scale);

}  // namespace contraflow::workloads
