// SPDX-License-Identifier: Apache-2.0
#include "config/binding/loader.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/binding/binder.h"
#include "config/binding/set_argument.h"
#include "config/tree/node_tree.h"

namespace contraflow::config {
namespace {

// How many choices lead to the innermost one: 1 for a choice, 2 if a part that was chosen makes one. Known as far as
// the outer ones are made.
unsigned choice_depth(const structure& members, const void* object) {
    unsigned depth = 0;
    for (const auto& f : members.fields)
        if (f.type->form == shape::structure) depth = std::max(depth, choice_depth(f.type->members(), f.in(object)));
    if (members.chosen == nullptr) return depth;
    const auto part = members.part_of(object);
    return std::max(depth, 1 + (part.members != nullptr ? choice_depth(*part.members, part.object) : 0));
}

// What the arguments of --set leave of each other and of the file: a choice that one of them makes anew, with its
// parameters, takes the place of what was said about it before.
struct effective_sets {
    std::set<std::string> replaced;             // not to be read from the file
    std::map<std::string, std::string> chosen;  // the arguments that chose alone, by the path of what chooses
    std::vector<bool> counts;                   // by argument

    effective_sets(const structure& members, const std::vector<std::string>& sets) : counts(sets.size(), true) {
        const auto scratch = members.make();
        for (std::size_t i = 0; i < sets.size(); ++i) {
            if (const auto chooser = choice_made_within(members, scratch.get(), sets[i]))
                chosen.insert_or_assign(*chooser, sets[i]);
            const auto path = choice_made_anew(members, scratch.get(), sets[i]);
            if (!path) continue;
            replaced.insert(*path);
            for (std::size_t j = 0; j < i; ++j) counts[j] = counts[j] && !is_below(sets[j], *path);
        }
    }
};

// Reads everything into a copy first, so that the choices are known; again where what was chosen has choices of its
// own. The last reading, into the object, reports the errors.
void choose(const structure& members, void* object, const node_tree* file, const std::vector<std::string>& sets,
            const effective_sets& effective) {
    std::shared_ptr<void> draft;
    for (unsigned read = 1; read == 1 || read <= choice_depth(members, object); ++read) {
        const auto before = std::exchange(draft, members.make());
        if (before) members.settle_all(draft.get(), before.get());
        diagnostics unheard;
        failures failed;
        provenance origins;
        if (file != nullptr) {
            binder from(members, *file, unheard, failed);
            from.leave_out(effective.replaced);
            from.bind_structure(file->root(), members, draft.get(), {});
        }
        for (std::size_t i = 0; i < sets.size(); ++i)
            if (effective.counts[i]) apply_set(members, draft.get(), sets[i], 1, origins, failed, unheard);
        members.settle_all(object, draft.get());
    }
}

// An argument that a later one replaces was meant to count.
void tell_replaced(const structure& members, void* object, const std::vector<std::string>& sets, diagnostics& diag) {
    const auto replaced = replaced_by(members, object, sets);
    for (std::size_t i = 0; i < sets.size(); ++i)
        if (replaced[i])
            diag.warning({std::string(set_source), static_cast<unsigned>(i) + 1, 1},
                         fmt::format("{} {}: {} replaces it", quoted(sets[i].substr(0, sets[i].find('='))),
                                     without_effect, quoted(sets[*replaced[i]])),
                         "give it in that value, or after it");
}

}  // namespace

provenance load_into(const structure& members, void* object, const std::optional<source>& file,
                     const std::vector<std::string>& sets, diagnostics& diag) {
    provenance origins;
    failures failed;
    bool readable = true;
    std::optional<node_tree> tree;
    if (file) {
        origins.name_file(file->name);
        diag.add_source(file->name, file->text);
        if (check_text(*file, diag)) tree = parse_yaml(file->name, file->text, diag);
        readable = tree && tree->kind(tree->root()) == node_kind::map;
        if (tree && !readable && tree->kind(tree->root()) != node_kind::unusable) {
            diag.error(tree->where(tree->root()), "not a map of keys and values",
                       fmt::format("known keys: {}", fmt::join(members.keys(), ", ")));
        }
    }
    const auto* given = file && readable ? &*tree : nullptr;
    const effective_sets effective(members, sets);
    if (members.has_choice()) choose(members, object, given, sets, effective);
    if (given != nullptr) {
        binder from(members, *tree, diag, failed);
        from.leave_out(effective.replaced);
        from.chosen_by(effective.chosen);
        from.bind_structure(tree->root(), members, object, {});
        origins.add_file(std::move(*tree));
    }
    if (!sets.empty()) diag.add_source(std::string(set_source), fmt::format("{}", fmt::join(sets, "\n")));
    for (std::size_t i = 0; i < sets.size(); ++i)
        if (effective.counts[i])
            apply_set(members, object, sets[i], static_cast<unsigned>(i) + 1, origins, failed, diag);
    if (!diag.failed()) tell_replaced(members, object, sets, diag);
    // If the file cannot be read, nothing in it counts as missing.
    if (readable) verify(members, object, origins, failed, diag);
    return origins;
}

}  // namespace contraflow::config
