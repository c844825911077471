// SPDX-License-Identifier: Apache-2.0
#include "config/tree/tree_builder.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace contraflow::config {

location tree_builder::where(const YAML::Mark& mark) const {
    const auto line = mark.line < 0 ? 0u : static_cast<unsigned>(mark.line);
    const auto column = mark.column < 0 ? 0u : static_cast<unsigned>(mark.column);
    return {tree_.file_, line + first_line_, column + 1};
}

location tree_builder::innermost_open() const {
    return open_.empty() ? location{tree_.file_, 0, 0} : tree_.where(open_.back().container);
}

void tree_builder::OnDocumentStart(const YAML::Mark& mark) {
    if (has_document_) {
        diag_.error(where(mark), "a second YAML document begins here", "a file holds one configuration");
        throw reading_ends();
    }
    has_document_ = true;
}

tree_builder::node_id tree_builder::add(const YAML::Mark& mark, node_kind kind) {
    guard_.delivered();
    if (tree_.nodes_.size() >= most_nodes) {
        diag_.error(where(mark), fmt::format("more than {} values", most_nodes),
                    "put long lists of traffic into a CSV file");
        throw reading_ends();
    }
    const auto at = where(mark);
    const auto id = static_cast<node_id>(tree_.nodes_.size());
    tree_.nodes_.push_back({at.line, at.column, 0, 0, kind, false});
    if (open_.empty())
        tree_.root_ = id;
    else
        members_.push_back(id);
    return id;
}

void tree_builder::OnNull(const YAML::Mark& mark, YAML::anchor_t) {
    const auto id = add(mark, node_kind::null);
    // The mark of a missing value is that of the next token, so the key's position is used instead.
    if (open_.empty() || tree_.kind(open_.back().container) != node_kind::map) return;
    const auto members = members_.size() - open_.back().first_member;
    if (members % 2 != 0) return;
    const auto& key = tree_.nodes_[members_[members_.size() - 2]];
    tree_.nodes_[id].line = key.line;
    tree_.nodes_[id].column = key.column;
}

void tree_builder::OnAlias(const YAML::Mark& mark, YAML::anchor_t) {
    // Reported once: files with one alias have many.
    if (!has_alias_) diag_.error(where(mark), "aliases ('*name') are not accepted", "write the value out");
    has_alias_ = true;
    add(mark, node_kind::unusable);
}

void tree_builder::refuse_tag(const YAML::Mark& mark, const std::string& tag) {
    // yaml-cpp's tags for untagged values: "?" if plain, "!" if quoted.
    if (tag.empty() || tag == "?" || tag == "!") return;
    diag_.error(where(mark), fmt::format("the tag {} is not accepted", quoted(tag)), "write the value without it");
}

void tree_builder::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t, const std::string& value) {
    refuse_tag(mark, tag);
    auto& added = tree_.nodes_[add(mark, node_kind::scalar)];
    added.first = static_cast<std::uint32_t>(tree_.text_.size());
    added.count = static_cast<std::uint32_t>(value.size());
    added.is_quoted = tag == "!";
    tree_.text_ += value;
}

void tree_builder::open(const YAML::Mark& mark, const std::string& tag, node_kind kind) {
    refuse_tag(mark, tag);
    if (open_.size() >= deepest_nesting) {
        diag_.error(where(mark), fmt::format("nested deeper than {} levels", deepest_nesting));
        throw reading_ends();
    }
    const auto id = add(mark, kind);
    open_.push_back({id, members_.size()});
}

void tree_builder::close() {
    const auto [container, first] = open_.back();
    open_.pop_back();
    auto& closed = tree_.nodes_[container];
    closed.first = static_cast<std::uint32_t>(tree_.children_.size());
    closed.count = static_cast<std::uint32_t>(members_.size() - first);
    tree_.children_.insert(tree_.children_.end(), members_.begin() + static_cast<std::ptrdiff_t>(first),
                           members_.end());
    members_.resize(first);
}

void tree_builder::OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                                   YAML::EmitterStyle::value) {
    open(mark, tag, node_kind::list);
}

void tree_builder::OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                              YAML::EmitterStyle::value) {
    open(mark, tag, node_kind::map);
}

void tree_builder::OnMapEnd() {
    const auto map = open_.back().container;
    close();
    check_keys(map);
}

void tree_builder::check_keys(node_id map) {
    std::vector<node_id> keys;
    keys.reserve(tree_.size(map));
    for (std::size_t i = 0; i < tree_.size(map); ++i) {
        const auto key = tree_.key(map, i);
        if (tree_.kind(key) == node_kind::scalar)
            keys.push_back(key);
        else if (tree_.kind(key) != node_kind::unusable)
            diag_.error(tree_.where(key), "a key must be a plain word");
    }
    std::stable_sort(keys.begin(), keys.end(), [this](auto a, auto b) { return tree_.text(a) < tree_.text(b); });
    for (std::size_t i = 1, first = 0; i < keys.size(); ++i) {
        if (tree_.text(keys[i]) != tree_.text(keys[first])) {
            first = i;
            continue;
        }
        diag_.error(tree_.where(keys[i]), fmt::format("duplicate key {}", quoted(tree_.text(keys[i]))),
                    fmt::format("first given in line {}", tree_.where(keys[first]).line));
    }
}

}  // namespace contraflow::config
