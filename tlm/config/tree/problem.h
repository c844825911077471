// SPDX-License-Identifier: Apache-2.0
// An error between several values of a configuration, each of which may be right by itself. A struct's checks
// name it by paths within the struct; the holder of the struct adds its key, and the loader finds where the values are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace contraflow::config {

struct problem {
    // A value that could be another one.
    struct suspect {
        std::string path;     // "lanes.drain", below the struct that was checked
        std::string allowed;  // what would do, with all others as they are: "at least 4cycles"
    };
    std::string message;            // with the values: "min_lanes is 9, but there are 8 lanes a direction"
    std::vector<suspect> suspects;  // one at least; the most likely first

    bool names(std::string_view path) const;
};

// As they are seen from the struct that holds the checked one as its member `key`.
std::vector<problem> below(std::string_view key, std::vector<problem> problems);

// "message; path: allowed" of the first one, for exceptions; "" if there is none.
std::string first_text(const std::vector<problem>& problems);

}  // namespace contraflow::config
