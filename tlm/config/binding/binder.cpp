// SPDX-License-Identifier: Apache-2.0
#include "config/binding/binder.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/description/free_value.h"

namespace contraflow::config {
namespace {

std::string wanted(const type_description& type, const field* range) {
    if (type.form == shape::choice) return fmt::format("allowed: {}", fmt::join(type.choices, ", "));
    if (type.form == shape::list) return fmt::format("wanted: a list, such as [{}]", scalar_of(type).name);
    if (type.form == shape::optional) return wanted(*type.element(), range);
    const auto limits = range != nullptr ? allowed_text(*range) : std::string();
    if (!limits.empty()) return fmt::format("wanted: {}, {}", type.accepts, limits);
    if (type.whole) return fmt::format("wanted: {}, {} to {}", type.accepts, type.lowest, type.highest);
    return fmt::format("wanted: {}", type.accepts);
}

// ", a list such as [2, 2]": the form of a renamed key's value, where that of the earlier one may have been another.
std::string form_of(const structure& members, const void* object, std::string_view key) {
    const field* const member = members.find_in(const_cast<void*>(object), key).member;
    if (member == nullptr) return {};
    const type_description& type = *member->type;
    if (type.form == shape::text) return fmt::format(", {}", type.accepts);
    if (type.form != shape::list) return {};
    const type_description& each = scalar_of(type);
    if (each.form == shape::number) return ", a list such as [2, 2]";
    return each.form == shape::choice ? fmt::format(", a list such as [{}]", each.choices.front()) : ", a list";
}

std::string_view called(node_kind kind) {
    switch (kind) {
    case node_kind::null: return "nothing";
    case node_kind::scalar: return "a single value";
    case node_kind::list: return "a list";
    case node_kind::map: return "a map";
    case node_kind::unusable: break;
    }
    return "";
}

std::string_view called(const type_description& type) {
    if (type.form == shape::list) return "a list";
    if (type.form == shape::quantity) return "a value with a unit";
    return type.accepts;
}

}  // namespace

bool moved_key(diagnostics& diag, const location& at, std::string_view old_path, const structure& root) {
    const auto today = root.new_paths(old_path);
    if (today.empty()) return false;
    diag.error(
        at, fmt::format("the key {} is called '{}' now", quoted(old_path), fmt::join(today, "', '")),
        fmt::format("write '{}', outside of '{}'", fmt::join(today, "', '"), old_path.substr(0, old_path.rfind('.'))));
    return true;
}

void unknown_key(diagnostics& diag, const location& at, std::string_view key, const structure& members,
                 const void* object, std::string_view path, std::string_view remedy) {
    // The known keys depend on the choice, which must be right first.
    if (members.chosen != nullptr && members.part_of(object).members == nullptr) return;
    const auto in = path.empty() ? std::string() : fmt::format(" in {}", path);
    if (const auto today = members.new_name(object, key); !today.empty())
        return diag.error(at, fmt::format("the key {}{} is called '{}' now", quoted(key), in, today),
                          fmt::format("write '{}'{}", today, form_of(members, object, today)));
    if (const auto why = members.reason_of_removal(object, key); !why.empty())
        return diag.error(at, fmt::format("the key {}{} is gone: {}", quoted(key), in, why), "leave it out");
    auto message = fmt::format("unknown key {}{}", quoted(key), in);
    // The search takes time, and is only worth it while its result will be shown.
    if (!diag.keeps_more()) return diag.error(at, std::move(message));
    const std::string known = known_keys(key, members.keys_of(object));
    diag.error(at, std::move(message), remedy.empty() ? known : fmt::format("{}; {}", remedy, known));
}

std::string made_anew(std::string_view argument) {
    const auto equals = std::min(argument.find('='), argument.size());
    const auto path = argument.substr(0, equals);
    const auto dot = std::min(path.rfind('.'), path.size());
    if (dot == path.size()) return {};
    return fmt::format("--set '{}={{{}: {}}}' leaves it out", path.substr(0, dot), path.substr(dot + 1),
                       argument.substr(std::min(equals + 1, argument.size())));
}

void binder::complain(node_id node, const std::string& path, std::string_view message, const std::string& hint) {
    failed_.add(path);
    diag_.error(tree_.where(node), fmt::format("{}: {}", path, message), hint);
}

void binder::wrong_kind(node_id node, const type_description& type, const field* range, const std::string& path) {
    const auto kind = tree_.kind(node);
    if (kind == node_kind::unusable) return failed_.add(path);
    const auto message = kind == node_kind::null ? std::string("no value given")
                                                 : fmt::format("{} where {} is wanted", called(kind), called(type));
    auto hint = wanted(type, range);
    if (kind == node_kind::scalar && type.form == shape::list && type.element()->form != shape::structure) {
        const auto text = tree_.text(node);
        if (text.size() <= 32 && !tree_.is_quoted(node)) hint = fmt::format("write [{}]", text);
    }
    complain(node, path, message, hint);
}

void binder::bind(node_id node, const type_description& type, const field* range, void* value,
                  const std::string& path) {
    const auto kind = tree_.kind(node);
    switch (type.form) {
    case shape::structure:
        if (kind == node_kind::map) return bind_structure(node, type.members(), value, path);
        return wrong_kind(node, type, range, path);
    case shape::list:
        if (kind == node_kind::list) return bind_list(node, type, range, value, path);
        return wrong_kind(node, type, range, path);
    case shape::optional:
        if (kind == node_kind::null) return type.resize(value, 0);
        // A map is laid over the one there, as for any other struct.
        if (type.size(value) == 0 || type.element()->form != shape::structure) type.resize(value, 1);
        return bind(node, *type.element(), range, const_cast<void*>(type.at(value, 0)), path);
    case shape::free: *static_cast<free_value*>(value) = copy_of(tree_, node); return;
    default:
        if (kind == node_kind::scalar) return bind_scalar(node, type, range, value, path);
        return wrong_kind(node, type, range, path);
    }
}

void binder::bind_scalar(node_id node, const type_description& type, const field* range, void* value,
                         const std::string& path) {
    const auto text = tree_.text(node);
    const auto wrong = type.read(text, tree_.is_quoted(node), value);
    if (!wrong.empty()) {
        const auto renamed = std::find_if(type.renamed.begin(), type.renamed.end(), [&](const renamed_key& r) {
            return r.was == text && std::find(type.choices.begin(), type.choices.end(), r.is) != type.choices.end();
        });
        if (renamed != type.renamed.end())
            return complain(node, path, fmt::format("{} is called {} now", quoted(text), quoted(renamed->is)),
                            fmt::format("write '{}'", renamed->is));
        auto hint = wanted(type, range);
        if (type.form == shape::choice && diag_.keeps_more()) hint = did_you_mean(text, type.choices, hint);
        return complain(node, path, wrong, hint);
    }
    if (range == nullptr) return;
    const bool too_low = range->low && type.less(value, range->low->get());
    const bool too_high = range->high && type.less(range->high->get(), value);
    const bool no_power = range->power_of_two && !type.power_of_two(value);
    if (!too_low && !too_high && !no_power) return;
    complain(node, path,
             fmt::format("{} is {}", quoted(text), too_low || too_high ? "out of range" : "no power of two"),
             fmt::format("allowed: {}", allowed_text(*range)));
}

void binder::bind_structure(node_id node, const structure& members, void* object, const std::string& path) {
    for (std::size_t i = 0; i < tree_.size(node); ++i) {
        const auto key = tree_.key(node, i);
        if (tree_.kind(key) != node_kind::scalar) continue;
        if (left_out_ != nullptr && left_out_->contains(member_path(path, tree_.text(key)))) continue;
        const auto [member, value] = members.find_in(object, tree_.text(key));
        if (member == nullptr) {
            if (moved_key(diag_, tree_.where(key), member_path(path, tree_.text(key)), root_)) continue;
            const auto chosen = chosen_by_ != nullptr ? chosen_by_->find(path) : decltype(chosen_by_->end()){};
            const bool of_another = chosen_by_ != nullptr && chosen != chosen_by_->end();
            unknown_key(diag_, tree_.where(key), tree_.text(key), members, object, path,
                        of_another ? made_anew(chosen->second) : std::string());
            continue;
        }
        bind(tree_.value(node, i), *member->type, member, value, member_path(path, member->key));
    }
}

void binder::bind_list(node_id node, const type_description& type, const field* range, void* list,
                       const std::string& path) {
    type.resize(list, tree_.size(node));
    for (std::size_t i = 0; i < tree_.size(node); ++i) {
        bind(tree_.item(node, i), *type.element(), range, const_cast<void*>(type.at(list, i)), element_path(path, i));
    }
}

namespace {

class verifier {
public:
    verifier(const provenance& origins, const failures& failed, diagnostics& diag)
        : origins_(origins),
          failed_(failed),
          diag_(diag) {}

    void visit(const structure& members, const void* object, const std::string& path) {
        for (const auto& f : members.fields) {
            const auto here = member_path(path, f.key);
            if (f.required && !given(here)) {
                diag_.error(origins_.where(here),
                            fmt::format("'{}' is missing{}{}", f.key, path.empty() ? "" : " in ", path),
                            wanted(*f.type, &f));
            }
            if (!f.checks.empty() && !failed_.touch(here)) check(f, f.in(object), here);
            visit_value(*f.type, f.in(object), here);
        }
        if (const auto part = members.part_of(object); part.members != nullptr) {
            visit(*part.members, part.object, path);
        }
    }

private:
    bool given(const std::string& path) const { return origins_.origin(path) != "default"; }

    void visit_value(const type_description& type, const void* value, const std::string& path) {
        if (scalar_of(type).form != shape::structure || failed_.contain(path)) return;
        if (type.form == shape::structure) return visit(type.members(), value, path);
        for (std::size_t i = 0; i < type.size(value); ++i) {
            const auto here = type.form == shape::list ? element_path(path, i) : path;
            // Checks apply to given values, not to values that the program puts into a list by itself.
            if (given(here)) visit_value(*type.element(), type.at(value, i), here);
        }
    }

    void check(const field& f, const void* value, const std::string& path) {
        if (f.type->form == shape::optional) {
            if (f.type->size(value) == 0) return;
            value = f.type->at(value, 0);
        }
        for (const auto& c : f.checks) {
            if (c.holds(value)) continue;
            diag_.error(origins_.where(path), fmt::format("{}: this value is not allowed", path),
                        fmt::format("allowed: {}", c.allowed));
        }
    }

    const provenance& origins_;
    const failures& failed_;
    diagnostics& diag_;
};

}  // namespace

void verify(const structure& members, const void* object, const provenance& origins, const failures& failed,
            diagnostics& diag) {
    verifier(origins, failed, diag).visit(members, object, {});
}

}  // namespace contraflow::config
