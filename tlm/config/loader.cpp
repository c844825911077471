// SPDX-License-Identifier: Apache-2.0
#include "config/loader.h"

#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/binder.h"
#include "config/node_tree.h"
#include "config/set_argument.h"

namespace contraflow::config {

provenance load_into(const structure& members, void* object, const std::optional<source>& file,
                     const std::vector<std::string>& sets, diagnostics& diag) {
    provenance origins;
    failures failed;
    bool readable = true;
    if (file) {
        origins.name_file(file->name);
        diag.add_source(file->name, file->text);
        auto tree = check_text(*file, diag) ? parse_yaml(file->name, file->text, diag) : std::nullopt;
        readable = tree && tree->kind(tree->root()) == node_kind::map;
        if (readable) {
            binder(*tree, diag, failed).bind_structure(tree->root(), members, object, {});
            origins.add_file(std::move(*tree));
        } else if (tree && tree->kind(tree->root()) != node_kind::unusable) {
            diag.error(tree->where(tree->root()), "not a map of keys and values",
                       fmt::format("known keys: {}", fmt::join(members.keys(), ", ")));
        }
    }
    if (!sets.empty()) diag.add_source(std::string(set_source), fmt::format("{}", fmt::join(sets, "\n")));
    unsigned n = 0;
    for (const auto& argument : sets) apply_set(members, object, argument, ++n, origins, failed, diag);
    // What an unreadable file leaves out is not missing.
    if (readable) verify(members, object, origins, failed, diag);
    return origins;
}

}  // namespace contraflow::config
