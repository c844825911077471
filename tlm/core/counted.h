// SPDX-License-Identifier: Apache-2.0
// Numbers of things in messages and reports.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace contraflow::core {

// "1 page", "2 pages"; `many` where it is not `one` and an s.
inline std::string counted(std::uint64_t n, std::string_view one, std::string_view many = {}) {
    if (n == 1) return fmt::format("1 {}", one);
    return many.empty() ? fmt::format("{} {}s", n, one) : fmt::format("{} {}", n, many);
}

// "once", "3 times"
inline std::string times(std::uint64_t n) { return n == 1 ? "once" : fmt::format("{} times", n); }

}  // namespace contraflow::core
