// SPDX-License-Identifier: Apache-2.0
// The sources and tools of this binary.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace contraflow::face {

struct build_information {
    std::string version;  // the project's
    std::string git_sha;  // "unknown" when not built from a git checkout
    bool git_dirty = false;
    std::string git_date;  // of that commit: "2026-11-28"
    std::string build_type;
    std::vector<std::pair<std::string, std::string>> tools;  // {"compiler", "GNU 12.2.0"}, {"systemc", "2.3.4"}, ...
};

const build_information& build_info();

}  // namespace contraflow::face
