// SPDX-License-Identifier: Apache-2.0
// A part of a configuration that is kept as it was written, with positions: for keys and values that another program
// defines. As a field's type, std::optional<free_value>; --set reaches into a map by the rest of its path.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "config/tree/node_tree.h"

namespace contraflow::config {

struct free_value {
    node_kind kind = node_kind::null;
    std::string text;        // a scalar's
    bool is_quoted = false;  // a text, whatever it looks like
    location at;
    std::vector<free_value> keys;   // a map's, one for each of `items`
    std::vector<free_value> items;  // a list's elements, a map's values

    // A map's value for that key, appended as null if it is not there.
    free_value& member(std::string_view key, const location& where);
};

free_value copy_of(const node_tree& tree, node_tree::node_id node);

// On one line; reading it back gives the same value.
std::string to_yaml(const free_value& value);

}  // namespace contraflow::config
