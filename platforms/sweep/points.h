// SPDX-License-Identifier: Apache-2.0
// The points of a sweep from its file: the value of each key in each point. The platform is not yet consulted, so keys
// may not exist and values may not fit.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/text/diagnostics.h"
#include "sweep/sweep_spec.h"

namespace contraflow::sweep {

// In grid and list this key names the configuration that the point starts from.
inline constexpr const char* configuration_key = "configuration";
inline constexpr std::size_t most_points = 100'000;

struct assignment {
    std::string key;
    std::string label;  // the readable value: a text without its quotes
    std::string value;  // YAML on one line
    config::location key_at{}, value_at{};
};

struct expansion {
    std::vector<std::string> keys;                // the swept keys: those of the list, then those of the grid
    std::vector<assignment> common;               // the same for every point
    std::vector<std::vector<assignment>> points;  // in the order in which they are listed
};

// What of the path `key` is below `whole`: ".n" of "w.n" below "w", "" of the value itself, nothing if it is no part of
// that value. [*] stands for every index.
std::optional<std::string_view> part_below(std::string_view key, std::string_view whole);

// Do not use the result if `diag` failed.
expansion expand(const sweep_spec& spec, config::diagnostics& diag);

}  // namespace contraflow::sweep
