// SPDX-License-Identifier: Apache-2.0
// A YAML text as a tree of values with their positions: flat arrays of about the size of the text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/text/diagnostics.h"

namespace contraflow::config {

// unusable: already reported; it causes no further error.
enum class node_kind : std::uint8_t { null, scalar, list, map, unusable };

class node_tree {
public:
    using node_id = std::uint32_t;

    explicit node_tree(std::string file) : file_(std::move(file)) {}

    node_id root() const { return root_; }
    node_kind kind(node_id n) const { return nodes_[n].kind; }
    std::string_view text(node_id n) const { return std::string_view(text_).substr(nodes_[n].first, nodes_[n].count); }
    // Written in quotes or as a block, so it is a text.
    bool is_quoted(node_id n) const { return nodes_[n].is_quoted; }
    location where(node_id n) const { return {file_, nodes_[n].line, nodes_[n].column}; }

    // Elements of a list, or pairs of a map.
    std::size_t size(node_id n) const { return kind(n) == node_kind::map ? nodes_[n].count / 2 : nodes_[n].count; }
    node_id item(node_id list, std::size_t i) const { return children_[nodes_[list].first + i]; }
    node_id key(node_id map, std::size_t i) const { return children_[nodes_[map].first + 2 * i]; }
    node_id value(node_id map, std::size_t i) const { return children_[nodes_[map].first + 2 * i + 1]; }
    std::optional<node_id> find(node_id map, std::string_view key) const;

private:
    friend class tree_builder;
    struct node {
        std::uint32_t line, column;
        std::uint32_t first, count;  // a scalar's text in text_, or a list's or map's members in children_
        node_kind kind;
        bool is_quoted;
    };
    std::string file_;
    std::string text_;
    std::vector<node> nodes_;
    std::vector<node_id> children_;
    node_id root_ = 0;
};

// Limits on the input: far above any sensible configuration, but low enough to bound time and memory.
inline constexpr unsigned deepest_nesting = 64;
inline constexpr std::uint32_t most_nodes = 1'000'000;
// Brackets, braces and commas between two complete values; yaml-cpp keeps a token for each.
inline constexpr std::uint32_t most_marks_ahead = 200'000;

// Reads one document. `first_line` is the line number of the text's first line in `file`.
// None after a fatal error; duplicate keys, aliases and tags are errors that leave the rest readable.
std::optional<node_tree> parse_yaml(const std::string& file, std::string_view text, diagnostics& diag,
                                    unsigned first_line = 1);

}  // namespace contraflow::config
