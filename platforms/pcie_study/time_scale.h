// SPDX-License-Identifier: Apache-2.0
// The units in which times and sizes are shown: of all in a table the one that suits the largest.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "pcie/model/communication.h"

namespace contraflow::pcie_study {

struct time_scale {
    const char* unit = "ms";
    double per_s = 1e3;
};

// Milliseconds as far as they have two figures after the point.
inline time_scale scale_of(double longest_s) {
    if (longest_s >= 1e-5 || !(longest_s > 0)) return {"ms", 1e3};
    if (longest_s >= 1e-7) return {"us", 1e6};
    return {"ns", 1e9};
}

// "6.519 ms", "16.06 ns"
inline std::string time_text(double s) {
    const time_scale in = scale_of(s);
    return fmt::format("{:.4g} {}", s * in.per_s, in.unit);
}

struct size_scale {
    const char* unit = "MiB";
    double bytes = 1048576.0;
};

inline size_scale scale_of(const std::vector<pcie::model::communication>& sends) {
    core::bytes largest{};
    for (const auto& c : sends) largest = std::max(largest, c.size);
    return largest < core::bytes{10'000} ? size_scale{"B", 1.0} : size_scale{};
}

}  // namespace contraflow::pcie_study
