// SPDX-License-Identifier: Apache-2.0
#include "config/description/free_value.h"

#include <algorithm>

#include <fmt/format.h>

#include "config/description/printer.h"

namespace contraflow::config {
namespace {

// Plain text may stay plain inside brackets if it has no character that means something there.
bool is_plain(std::string_view text) {
    constexpr std::string_view never = ",[]{}#:&*!|>'\"%@`?\\\n\t";
    return !text.empty() && text.find_first_of(never) == std::string_view::npos && text.front() != ' ' &&
           text.back() != ' ' && text != "-" && !text.starts_with("- ") && !text.starts_with("---");
}

std::string scalar_text(const free_value& value) {
    return !value.is_quoted && is_plain(value.text) ? value.text : yaml_text(value.text);
}

}  // namespace

free_value& free_value::member(std::string_view key, const location& where) {
    const auto known = std::find_if(keys.begin(), keys.end(), [&](const free_value& k) { return k.text == key; });
    if (known != keys.end()) return items[static_cast<std::size_t>(known - keys.begin())];
    keys.push_back({node_kind::scalar, std::string(key), false, where, {}, {}});
    items.push_back({node_kind::null, {}, false, where, {}, {}});
    return items.back();
}

free_value copy_of(const node_tree& tree, node_tree::node_id node) {
    free_value out;
    out.kind = tree.kind(node);
    out.at = tree.where(node);
    if (out.kind == node_kind::scalar) {
        out.text = tree.text(node);
        out.is_quoted = tree.is_quoted(node);
    } else if (out.kind == node_kind::list) {
        for (std::size_t i = 0; i < tree.size(node); ++i) out.items.push_back(copy_of(tree, tree.item(node, i)));
    } else if (out.kind == node_kind::map) {
        for (std::size_t i = 0; i < tree.size(node); ++i) {
            if (tree.kind(tree.key(node, i)) != node_kind::scalar) continue;  // already reported
            out.keys.push_back(copy_of(tree, tree.key(node, i)));
            out.items.push_back(copy_of(tree, tree.value(node, i)));
        }
    }
    return out;
}

std::string to_yaml(const free_value& value) {
    std::string inside;
    switch (value.kind) {
    case node_kind::scalar: return scalar_text(value);
    case node_kind::list:
        for (const free_value& item : value.items)
            inside += fmt::format("{}{}", inside.empty() ? "" : ", ", to_yaml(item));
        return fmt::format("[{}]", inside);
    case node_kind::map:
        for (std::size_t i = 0; i < value.items.size(); ++i) {
            inside += fmt::format("{}{}: {}", inside.empty() ? "" : ", ", scalar_text(value.keys[i]),
                                  to_yaml(value.items[i]));
        }
        return fmt::format("{{{}}}", inside);
    case node_kind::null:
    case node_kind::unusable: break;
    }
    return "null";
}

}  // namespace contraflow::config
