// SPDX-License-Identifier: Apache-2.0
// Writes the values of a YAML tree into a struct, field by field, and reports every value that does not fit.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "config/description/type_description.h"
#include "config/text/diagnostics.h"
#include "config/tree/node_tree.h"
#include "config/tree/provenance.h"
#include "config/tree/value_path.h"

namespace contraflow::config {

// The paths of values that could not be read: nothing more is said about them.
class failures {
public:
    void add(const std::string& path) {
        if (paths_.size() < diagnostics::most_kept) paths_.insert(path);
    }
    bool contain(const std::string& path) const { return paths_.contains(path); }
    // Whether the value or a part of it failed.
    bool touch(const std::string& path) const {
        const auto at = paths_.lower_bound(path);
        return at != paths_.end() && at->starts_with(path);
    }

private:
    std::set<std::string> paths_;
};

// Binds from one tree. `path` in messages is the value's, "link.lanes", below the struct at the root.
class binder {
public:
    using node_id = node_tree::node_id;
    binder(const structure& root, const node_tree& tree, diagnostics& diag, failures& failed)
        : root_(root),
          tree_(tree),
          diag_(diag),
          failed_(failed) {}

    // The keys at these paths are not read.
    void leave_out(const std::set<std::string>& paths) { left_out_ = paths.empty() ? nullptr : &paths; }

    // The arguments of --set that chose for the structs at these paths: what they do not have was meant for another.
    void chosen_by(const std::map<std::string, std::string>& arguments) { chosen_by_ = &arguments; }

    // `range` is the field whose range holds for the scalars inside; null if none does.
    void bind(node_id node, const type_description& type, const field* range, void* value, const std::string& path);
    // From a map.
    void bind_structure(node_id node, const structure& members, void* object, const std::string& path);

private:
    void bind_scalar(node_id node, const type_description& type, const field* range, void* value,
                     const std::string& path);
    void bind_list(node_id node, const type_description& type, const field* range, void* list, const std::string& path);
    void wrong_kind(node_id node, const type_description& type, const field* range, const std::string& path);
    void complain(node_id node, const std::string& path, std::string_view message, const std::string& hint);

    const structure& root_;
    const node_tree& tree_;
    diagnostics& diag_;
    failures& failed_;
    const std::set<std::string>* left_out_ = nullptr;
    const std::map<std::string, std::string>* chosen_by_ = nullptr;
};

// Reports a key that has moved from one part of the struct at the root to another; or returns false.
bool moved_key(diagnostics& diag, const location& at, std::string_view old_path, const structure& root);
// Reports a key that a struct does not have. `remedy`, if not empty, is told before the known keys.
void unknown_key(diagnostics& diag, const location& at, std::string_view key, const structure& members,
                 const void* object, std::string_view path, std::string_view remedy = {});
// "--set 'workload={name: relu}' leaves it out": the choice of `workload.name=relu` made anew.
std::string made_anew(std::string_view argument);

// Reports missing required values and checks whole fields. Call it last, when all sources have been read.
void verify(const structure& members, const void* object, const provenance& origins, const failures& failed,
            diagnostics& diag);

}  // namespace contraflow::config
