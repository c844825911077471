// SPDX-License-Identifier: Apache-2.0
// An error between several values of a configuration, each of which may be right alone. A struct's checks name values
// by their paths in the struct. The owner of the struct prepends its key, and the loader finds the positions.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace contraflow::config {

struct problem {
    // A value that could be changed to solve the problem.
    struct suspect {
        std::string path;     // "lanes.drain", below the struct that was checked
        std::string allowed;  // the allowed value if the others stay: "at least 4cycles"
    };
    std::string message;            // with the values: "min_lanes is 9, but there are 8 lanes a direction"
    std::vector<suspect> suspects;  // at least one; the most likely first

    bool names(std::string_view path) const;
};

// The same problems seen from the struct whose member `key` was checked.
std::vector<problem> below(std::string_view key, std::vector<problem> problems);

// "message; path: allowed" of the first problem, for exceptions; "" if there is none.
std::string first_text(const std::vector<problem>& problems);

// The struct, if its problems_of() are none; else throws std::invalid_argument with the first. For constructors.
template <class Spec> const Spec& buildable(const Spec& s) {
    if (const auto found = problems_of(s); !found.empty()) throw std::invalid_argument(first_text(found));
    return s;
}

}  // namespace contraflow::config
