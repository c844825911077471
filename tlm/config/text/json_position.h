// SPDX-License-Identifier: Apache-2.0
// Finds the position of a value in a JSON text, so that an error can point at it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace contraflow::config {

// The offset of the value at a path such as "cases[3].tree.children[0].name", or of its nearest ancestor.
// The text must be valid JSON.
std::size_t find_json_value(std::string_view text, std::string_view path);

// The offset of the name of a member of the object at that path, or of the object.
std::size_t find_json_key(std::string_view text, std::string_view path, std::string_view key);

// The first key that is in the same object before, too.
struct repeated_json_key {
    std::size_t offset;
    std::string key;
};
std::optional<repeated_json_key> find_repeated_json_key(std::string_view text);

// 1-based line and column of an offset.
std::pair<unsigned, unsigned> line_and_column(std::string_view text, std::size_t offset);

}  // namespace contraflow::config
