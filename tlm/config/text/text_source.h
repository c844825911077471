// SPDX-License-Identifier: Apache-2.0
// The text of a configuration, read whole and checked to be text.
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

// None, with an error, if the file is missing, a directory, unreadable, too large, empty or not UTF-8.
std::optional<source> read_source(const std::string& path, diagnostics& diag);

// The checks of the text alone, for texts that do not come from a file.
bool check_text(const source& from, diagnostics& diag);

}  // namespace contraflow::config
