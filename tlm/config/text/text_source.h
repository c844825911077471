// SPDX-License-Identifier: Apache-2.0
// A configuration's text, read whole and known to be text.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "config/text/diagnostics.h"

namespace contraflow::config {

// yaml-cpp reads about 10 MB/s: a larger text would keep a user waiting for seconds. Large traffic belongs in a CSV.
inline constexpr std::size_t largest_text = std::size_t{16} << 20;

struct source {
    std::string name;
    std::string text;
};

// None, and an error, for what is missing, a directory, unreadable, too large, empty, or no UTF-8 text.
std::optional<source> read_source(const std::string& path, diagnostics& diag);

// The part of it that concerns the text, for texts that come from elsewhere.
bool check_text(const source& from, diagnostics& diag);

}  // namespace contraflow::config
