// SPDX-License-Identifier: Apache-2.0
// Finds the position of a value in a JSON text, so that an error can point at it.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

namespace contraflow::config {

// The offset of the value at a path such as "cases[3].tree.children[0].name", or of its nearest ancestor.
// The text must be valid JSON.
std::size_t find_json_value(std::string_view text, std::string_view path);

// 1-based line and column of an offset.
std::pair<unsigned, unsigned> line_and_column(std::string_view text, std::size_t offset);

}  // namespace contraflow::config
