// SPDX-License-Identifier: Apache-2.0
#include "config/tree/node_tree.h"

namespace contraflow::config {

std::optional<node_tree::node_id> node_tree::find(node_id map, std::string_view wanted) const {
    for (std::size_t i = 0; i < size(map); ++i) {
        if (kind(key(map, i)) == node_kind::scalar && text(key(map, i)) == wanted) return value(map, i);
    }
    return std::nullopt;
}

}  // namespace contraflow::config
