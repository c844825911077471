// SPDX-License-Identifier: Apache-2.0
#include "config/tree/provenance.h"

#include <utility>

namespace contraflow::config {
namespace {

struct descent {
    location at;            // position of the value, or of the last parent found
    std::size_t steps = 0;  // how many were found
    bool complete = false;
    bool replaces = false;  // whatever is missing below is a default, even if other sources give it
};

// Follows the path from step `first` on. A map adds to the present value; any other value replaces it.
descent descend(const node_tree& tree, const value_path& path, std::size_t first) {
    auto node = tree.root();
    descent found{tree.where(node), first, false, false};
    for (; found.steps < path.size(); ++found.steps) {
        const auto& step = path[found.steps];
        std::optional<node_tree::node_id> next;
        if (tree.kind(node) == node_kind::map && !step.is_index) {
            next = tree.find(node, step.key);
        } else {
            found.replaces = true;
            if (tree.kind(node) == node_kind::list && step.is_index && step.index < tree.size(node)) {
                next = tree.item(node, step.index);
            }
        }
        if (!next) return found;
        node = *next;
        found.at = tree.where(node);
    }
    found.complete = true;
    return found;
}

bool begins_with(const value_path& path, const value_path& prefix) {
    if (prefix.size() > path.size()) return false;
    for (std::size_t i = 0; i < prefix.size(); ++i) {
        if (!prefix[i].matches(path[i])) return false;
    }
    return true;
}

}  // namespace

void provenance::add_set(value_path path, node_tree value, location at, bool replaces) {
    sets_.push_back({std::move(path), std::move(value), std::move(at), replaces});
}

void provenance::mark_computed(std::string_view path) { computed_.emplace(path); }

provenance::finding provenance::find(const value_path& path) const {
    finding best;
    best.at = whole_;
    std::size_t depth = 0;  // depth of the nearest parent known so far
    for (auto set = sets_.rbegin(); set != sets_.rend(); ++set) {
        if (!begins_with(path, set->path)) continue;
        const auto found = descend(set->value, path, set->path.size());
        if (found.complete) return {"set", found.at, true};
        if (found.steps > depth) {
            depth = found.steps;
            best.at = found.at;
        }
        if (found.replaces || set->replaces) return best;
    }
    if (file_) {
        const auto found = descend(*file_, path, 0);
        if (found.complete) return {"file", found.at, true};
        if (found.steps >= depth) best.at = found.steps == 0 ? whole_ : found.at;
    }
    return best;
}

location provenance::where(std::string_view path) const {
    std::size_t wrong_at = 0;
    const auto steps = parse_path(path, wrong_at);
    if (!steps) return whole_;
    const auto found = find(*steps);
    if (found.exact) return found.at;
    // A map that exists only because a --set goes into it.
    for (auto set = sets_.rbegin(); set != sets_.rend(); ++set) {
        if (begins_with(set->path, *steps)) return set->at;
    }
    return found.at;
}

std::string_view provenance::origin(std::string_view path) const {
    std::size_t wrong_at = 0;
    const auto steps = parse_path(path, wrong_at);
    if (!steps) return "default";
    if (!computed_.empty()) {
        for (std::size_t n = 1; n <= steps->size(); ++n) {
            if (computed_.contains(to_text(*steps, n))) return "computed";
        }
    }
    return find(*steps).origin;
}

const problem::suspect& provenance::culprit(const problem& p) const {
    for (const std::string_view wanted : {"set", "file"})
        for (const auto& s : p.suspects)
            if (origin(s.path) == wanted) return s;
    return p.suspects.front();
}

}  // namespace contraflow::config
