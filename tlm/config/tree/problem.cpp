// SPDX-License-Identifier: Apache-2.0
#include "config/tree/problem.h"

#include <algorithm>

#include <fmt/format.h>

#include "config/tree/value_path.h"

namespace contraflow::config {

bool problem::names(std::string_view path) const {
    return std::any_of(suspects.begin(), suspects.end(), [path](const suspect& s) { return s.path == path; });
}

std::vector<problem> below(std::string_view key, std::vector<problem> problems) {
    for (problem& p : problems)
        for (problem::suspect& s : p.suspects) s.path = member_path(key, s.path);
    return problems;
}

std::string first_text(const std::vector<problem>& problems) {
    if (problems.empty()) return {};
    const problem& p = problems.front();
    return fmt::format("{}; {}: {}", p.message, p.suspects.front().path, p.suspects.front().allowed);
}

}  // namespace contraflow::config
