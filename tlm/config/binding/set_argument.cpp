// SPDX-License-Identifier: Apache-2.0
#include "config/binding/set_argument.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "config/description/free_value.h"
#include "config/text/text_source.h"
#include "config/tree/node_tree.h"
#include "config/tree/value_path.h"

namespace contraflow::config {
namespace {

// A value inside the struct, and the field whose range holds for it.
struct place {
    const type_description* type = nullptr;  // null: the struct at the root
    const structure* members = nullptr;      // for a struct
    const field* range = nullptr;
    void* value = nullptr;
    std::size_t steps = 0;  // how many steps of the path a description knows
};

class walker {
public:
    walker(const structure& root, const value_path& path, unsigned line, diagnostics& diag)
        : root_(root),
          path_(path),
          line_(line),
          diag_(diag) {}

    // None if the path leads nowhere; the error is then already reported.
    std::optional<place> walk(void* object) {
        place at{nullptr, &root_, nullptr, object, 0};
        for (std::size_t i = 0; i < path_.size(); ++i) {
            const auto& step = path_[i];
            enter_optional(at);
            at.steps = i;
            if (at.type != nullptr && at.type->form == shape::free) {
                return free_member(at, i) ? std::optional(at) : std::nullopt;
            }
            if (!(step.is_index ? index(at, i) : member(at, i))) return std::nullopt;
        }
        at.steps = path_.size();
        return at;
    }

    static void descend(place& at, const type_description& type, void* value) {
        at.type = &type;
        at.value = value;
        at.members = type.form == shape::structure ? &type.members() : nullptr;
    }

private:
    location where(std::size_t step) const {
        return {std::string(set_source), line_, static_cast<unsigned>(path_[step].offset) + 1};
    }

    // A value inside an optional that is absent makes it present.
    static void enter_optional(place& at) {
        if (at.type == nullptr || at.type->form != shape::optional) return;
        if (at.type->size(at.value) == 0) at.type->resize(at.value, 1);
        descend(at, *at.type->element(), const_cast<void*>(at.type->at(at.value, 0)));
    }

    bool member(place& at, std::size_t i) {
        const auto& key = path_[i].key;
        const auto parent = to_text(path_, i);
        if (at.members == nullptr) {
            const bool list = at.type->form == shape::list;
            diag_.error(where(i),
                        fmt::format("{} is {}, it has no {}", parent, list ? "a list" : "a single value", quoted(key)),
                        list ? fmt::format("choose an element, such as {}[0]", parent) : std::string());
            return false;
        }
        const auto [found, value] = at.members->find_in(at.value, key);
        if (found == nullptr) {
            if (!moved(i)) unknown_key(diag_, where(i), key, *at.members, at.value, parent);
            return false;
        }
        at.range = found;
        descend(at, *found->type, value);
        return true;
    }

    // Whether the key, or what follows it, stands elsewhere today; reported at the key.
    bool moved(std::size_t i) {
        const auto all = to_text(path_);
        if (!root_.new_paths(all).empty()) return moved_key(diag_, where(i), all, root_);
        return moved_key(diag_, where(i), to_text(path_, i + 1), root_);
    }

    bool index(place& at, std::size_t i) {
        const auto parent = to_text(path_, i);
        if (at.type == nullptr || at.type->form != shape::list) {
            diag_.error(where(i), fmt::format("{} is not a list", parent), "leave the [...] out");
            return false;
        }
        const auto size = at.type->size(at.value);
        if (path_[i].index >= size) {
            diag_.error(where(i), fmt::format("{} has no element [{}]", parent, path_[i].index),
                        size == 0 ? "it is empty" : fmt::format("allowed: [0] to [{}]", size - 1));
            return false;
        }
        descend(at, *at.type->element(), const_cast<void*>(at.type->at(at.value, path_[i].index)));
        return true;
    }

    // The rest of the path is one key of a map whose keys are free.
    bool free_member(place& at, std::size_t i) {
        auto& map = *static_cast<free_value*>(at.value);
        if (map.kind == node_kind::null) {
            map.kind = node_kind::map;
            map.at = where(i);
        }
        if (map.kind != node_kind::map || path_[i].is_index) {
            diag_.error(where(i), fmt::format("{} is no map to reach into", to_text(path_, i)), "give all of it");
            return false;
        }
        at.value = &map.member(to_text({path_.begin() + static_cast<std::ptrdiff_t>(i), path_.end()}), where(i));
        return true;
    }

    const structure& root_;
    const value_path& path_;
    unsigned line_;
    diagnostics& diag_;
};

// The paths of single values: "a[*].b" is "a[0].b", "a[1].b", ... for as many elements as the list has.
std::vector<value_path> single_paths(const structure& members, void* object, const value_path& path, unsigned n,
                                     diagnostics& diag) {
    const auto star = std::find_if(path.begin(), path.end(), [](const path_step& s) { return s.every; });
    if (star == path.end()) return {path};
    const value_path list(path.begin(), star);
    const auto target = walker(members, list, n, diag).walk(object);
    if (!target) return {};
    const location at{std::string(set_source), n, static_cast<unsigned>(star->offset) + 1};
    if (target->type == nullptr || target->type->form != shape::list) {
        diag.error(at, fmt::format("{} is not a list", to_text(list)), "leave the [*] out");
        return {};
    }
    const auto size = target->type->size(target->value);
    if (size == 0) diag.error(at, fmt::format("{} is empty", to_text(list)), "[*] stands for every element of a list");
    std::vector<value_path> all;
    for (std::size_t i = 0; i < size; ++i) {
        value_path one = path;
        path_step& element = one[list.size()];
        element.every = false;
        element.index = i;
        for (auto& more : single_paths(members, object, one, n, diag)) all.push_back(std::move(more));
    }
    return all;
}

void apply_one(const structure& members, void* object, const value_path& path, std::string_view argument, unsigned n,
               provenance& origins, failures& failed, diagnostics& diag) {
    const std::string file(set_source);
    const auto equals = argument.find('=');
    const auto at = [&](std::size_t offset) { return location{file, n, static_cast<unsigned>(offset) + 1}; };
    const auto target = walker(members, path, n, diag).walk(object);
    if (!target) return;

    // Spaces in place of the path keep the columns right.
    const auto padded = std::string(equals + 1, ' ') + std::string(argument.substr(equals + 1));
    const auto value_at = std::min(padded.find_first_not_of(" \t"), padded.size());
    if (value_at == padded.size() || padded[value_at] == '#') {
        return diag.error(at(equals), fmt::format("{}: no value given", to_text(path)), "an empty text is \"\"");
    }
    auto tree = parse_yaml(file, padded, diag, n);
    if (!tree) return;
    const bool anew = choice_made_anew(members, object, argument).has_value();
    binder(members, *tree, diag, failed).bind(tree->root(), *target->type, target->range, target->value, to_text(path));
    value_path described(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(target->steps));
    origins.add_set(std::move(described), std::move(*tree), at(path.back().offset), anew);
}

// An argument without errors.
struct parsed_argument {
    value_path path;
    node_tree value;
};

std::optional<parsed_argument> parsed(std::string_view argument, bool with_every) {
    const auto equals = argument.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    const std::string file(set_source);
    std::size_t wrong_at = 0;
    auto path = parse_path(argument.substr(0, equals), wrong_at, with_every);
    diagnostics unheard;
    if (!path || !check_text({file, std::string(argument)}, unheard)) return std::nullopt;
    auto value = parse_yaml(file, std::string(argument.substr(equals + 1)), unheard);
    if (!value) return std::nullopt;
    return parsed_argument{std::move(*path), std::move(*value)};
}

// Whether the path leads into what the other stands for; [*] stands for every element.
bool leads_into(const value_path& path, const value_path& whole) {
    if (path.size() <= whole.size()) return false;
    for (std::size_t i = 0; i < whole.size(); ++i) {
        const bool same = whole[i].every ? path[i].is_index : !path[i].every && whole[i].matches(path[i]);
        if (!same) return false;
    }
    return true;
}

// Whether `later`, a value of the struct `members`, takes the place of the part of it that `earlier` gave.
class replacement {
public:
    replacement(const parsed_argument& later, const parsed_argument& earlier) : later_(later), earlier_(earlier) {}

    bool whole(const structure* members, void* object) const {
        return at_step(later_.value.root(), members, object, later_.path.size());
    }

private:
    bool at_step(node_tree::node_id value, const structure* members, void* object, std::size_t step) const {
        if (step == earlier_.path.size()) return of_value(value, members, object, earlier_.value.root());
        if (later_.value.kind(value) != node_kind::map) return true;
        return of_key(value, members, object, earlier_.path[step].key,
                      [&](node_tree::node_id given, const structure* inner, void* content) {
                          return at_step(given, inner, content, step + 1);
                      });
    }

    bool of_value(node_tree::node_id value, const structure* members, void* object, node_tree::node_id was) const {
        if (later_.value.kind(value) != node_kind::map || earlier_.value.kind(was) != node_kind::map) return true;
        for (std::size_t i = 0; i < earlier_.value.size(was); ++i) {
            const bool replaced = of_key(value, members, object, earlier_.value.text(earlier_.value.key(was, i)),
                                         [&](node_tree::node_id given, const structure* inner, void* content) {
                                             return of_value(given, inner, content, earlier_.value.value(was, i));
                                         });
            if (!replaced) return false;
        }
        return true;
    }

    // A key of the map `value`: `within` says it of what is given; a choice made anew replaces all others.
    template <class Within>
    bool of_key(node_tree::node_id value, const structure* members, void* object, std::string_view key,
                Within within) const {
        if (const auto* const decider = members != nullptr ? members->decider() : nullptr;
            decider != nullptr && later_.value.find(value, decider->key))
            return true;
        const auto given = later_.value.find(value, key);
        if (!given) return false;
        const auto found = members != nullptr ? members->find_in(object, key) : structure::place{};
        if (found.member == nullptr) return within(*given, nullptr, nullptr);
        place part{nullptr, nullptr, nullptr, nullptr, 0};
        walker::descend(part, *found.member->type, found.value);
        if (part.type->form == shape::optional && part.type->size(part.value) == 1)
            walker::descend(part, *part.type->element(), const_cast<void*>(part.type->at(part.value, 0)));
        return within(*given, part.members, part.value);
    }

    const parsed_argument &later_, &earlier_;
};

}  // namespace

void apply_set(const structure& members, void* object, std::string_view argument, unsigned n, provenance& origins,
               failures& failed, diagnostics& diag) {
    const std::string file(set_source);
    const auto at = [&](std::size_t offset) { return location{file, n, static_cast<unsigned>(offset) + 1}; };
    constexpr auto form = "write key=value; --describe lists the keys";
    const auto equals = argument.find('=');
    if (equals == std::string_view::npos) return diag.error(at(0), "no '=' in a --set", form);
    std::size_t wrong_at = 0;
    const auto path = parse_path(argument.substr(0, equals), wrong_at, true);
    if (!path) return diag.error(at(wrong_at), "this is no path to a value", form);
    if (argument.find_first_of("\r\n") != std::string_view::npos) {
        return diag.error(at(0), "a --set is one line", "write a line break in a text as \"\\n\"");
    }
    diagnostics trouble;
    if (!check_text({file, std::string(argument)}, trouble)) return diag.error(at(0), "not UTF-8 text");
    // What is wrong for one element of [*] is wrong for the others, too.
    const auto before = diag.errors();
    for (const value_path& one : single_paths(members, object, *path, n, diag))
        if (diag.errors() == before) apply_one(members, object, one, argument, n, origins, failed, diag);
}

std::optional<std::string> choice_made_anew(const structure& members, void* object, std::string_view argument) {
    const auto given = parsed(argument, false);
    if (!given) return std::nullopt;
    diagnostics unheard;
    const auto target = walker(members, given->path, 1, unheard).walk(object);
    if (!target || target->members == nullptr) return std::nullopt;
    const auto* const decider = target->members->decider();
    if (decider == nullptr || given->value.kind(given->value.root()) != node_kind::map) return std::nullopt;
    if (!given->value.find(given->value.root(), decider->key)) return std::nullopt;
    return to_text(given->path);
}

std::optional<std::string> choice_made_within(const structure& members, void* object, std::string_view argument) {
    const auto given = parsed(argument, false);
    if (!given || given->path.back().is_index) return std::nullopt;
    const value_path chooser(given->path.begin(), given->path.end() - 1);
    diagnostics unheard;
    const auto target = walker(members, chooser, 1, unheard).walk(object);
    if (!target || target->members == nullptr || target->members->chosen == nullptr) return std::nullopt;
    if (target->members->decider()->key != given->path.back().key) return std::nullopt;
    return to_text(chooser);
}

bool is_below(std::string_view argument, std::string_view path) {
    const auto key = argument.substr(0, argument.find('='));
    return key.starts_with(path) && (key.size() == path.size() || key[path.size()] == '.');
}

std::vector<std::optional<std::size_t>> replaced_by(const structure& members, void* object,
                                                    const std::vector<std::string>& arguments) {
    std::vector<std::optional<parsed_argument>> all;
    for (const auto& argument : arguments) all.push_back(parsed(argument, true));
    const auto replaces = [&](const parsed_argument& later, const parsed_argument& earlier) {
        if (!leads_into(earlier.path, later.path)) return false;
        value_path first = later.path;  // of all elements that [*] stands for: what they are made of is the same
        for (auto& step : first) step.every = false;
        diagnostics unheard;
        const auto target = walker(members, first, 1, unheard).walk(object);
        return target && replacement(later, earlier).whole(target->members, target->value);
    };
    std::vector<std::optional<std::size_t>> found(all.size());
    for (std::size_t i = 0; i < all.size(); ++i)
        for (std::size_t later = i + 1; later < all.size() && all[i] && !found[i]; ++later)
            if (all[later] && replaces(*all[later], *all[i])) found[i] = later;
    return found;
}

}  // namespace contraflow::config
