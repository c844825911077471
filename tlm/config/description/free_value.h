// SPDX-License-Identifier: Apache-2.0
// A part of a configuration that is kept as it was written, with positions. Another program defines its keys and
// values. A field has the type std::optional<free_value>; in --set, the rest of the path leads into its map.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "config/tree/node_tree.h"

namespace contraflow::config {

struct free_value {
    node_kind kind = node_kind::null;
    std::string text;        // for a scalar
    bool is_quoted = false;  // the scalar was quoted, so it is a text
    location at;
    std::vector<free_value> keys;   // for a map, one for each of `items`
    std::vector<free_value> items;  // the elements of a list, or the values of a map

    // The map's value for that key. A missing key is appended with the value null.
    free_value& member(std::string_view key, const location& where);
};

free_value copy_of(const node_tree& tree, node_tree::node_id node);

// On one line; reading it back gives the same value.
std::string to_yaml(const free_value& value);

}  // namespace contraflow::config
