// SPDX-License-Identifier: Apache-2.0
// The name of a value in a configuration: "communications[3].to".
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace contraflow::config {

struct path_step {
    std::string key;        // a member of a struct
    bool is_index = false;  // an element of a list
    std::size_t index = 0;
    bool every = false;      // "[*]", all elements of a list: only where they are asked for
    std::size_t offset = 0;  // where the step begins in the text
    bool matches(const path_step& other) const {
        return is_index == other.is_index && (is_index ? index == other.index : key == other.key);
    }
};

using value_path = std::vector<path_step>;

// None if the text is not a path; `wrong_at` is then the offset of the error.
std::optional<value_path> parse_path(std::string_view text, std::size_t& wrong_at, bool with_every = false);
// The first `steps` steps as text: "communications[3].to".
std::string to_text(const value_path& path, std::size_t steps);
inline std::string to_text(const value_path& path) { return to_text(path, path.size()); }

// The paths of a value's members.
std::string member_path(std::string_view parent, std::string_view key);
std::string element_path(std::string_view parent, std::size_t index);

}  // namespace contraflow::config
