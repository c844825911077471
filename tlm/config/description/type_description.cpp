// SPDX-License-Identifier: Apache-2.0
#include "config/description/type_description.h"

#include <algorithm>

#include <fmt/format.h>

namespace contraflow::config {

const field* structure::find(std::string_view key) const {
    for (const auto& f : fields) {
        if (f.key == key) return &f;
    }
    return nullptr;
}

const field* structure::decider() const {
    if (chosen != nullptr) return &fields.front();
    const auto found = std::find_if(fields.begin(), fields.end(), [](const field& f) { return f.decides; });
    return found != fields.end() ? &*found : nullptr;
}

std::vector<std::string> structure::keys() const {
    std::vector<std::string> all;
    all.reserve(fields.size());
    for (const auto& f : fields) all.push_back(f.key);
    return all;
}

chosen_part structure::part_of(const void* object) const {
    return chosen != nullptr ? chosen(const_cast<void*>(object)) : chosen_part{};
}

structure::place structure::find_in(void* object, std::string_view key) const {
    if (const auto* own = find(key)) return {own, own->in(object)};
    const auto part = part_of(object);
    const auto* member = part.members != nullptr ? part.members->find(key) : nullptr;
    return member != nullptr ? place{member, member->in(part.object)} : place{};
}

std::vector<std::string> structure::keys_of(const void* object) const {
    auto all = keys();
    if (const auto part = part_of(object); part.members != nullptr) {
        for (const auto& f : part.members->fields) all.push_back(f.key);
    }
    return all;
}

std::string_view structure::new_name(const void* object, std::string_view old_key) const {
    for (const auto& r : renamed) {
        if (r.was == old_key) return r.is;
    }
    const auto part = part_of(object);
    return part.members != nullptr ? part.members->new_name(part.object, old_key) : std::string_view{};
}

std::string_view structure::reason_of_removal(const void* object, std::string_view old_key) const {
    for (const auto& r : removed) {
        if (r.was == old_key) return r.why;
    }
    const auto part = part_of(object);
    return part.members != nullptr ? part.members->reason_of_removal(part.object, old_key) : std::string_view{};
}

std::vector<std::string> structure::new_paths(std::string_view old_path) const {
    const auto dot = old_path.find('.');
    if (dot == std::string_view::npos) return {};
    std::vector<std::string> found;
    for (const auto& r : renamed) {
        if (r.was == old_path) return {r.is};
        if (r.was.starts_with(old_path) && r.was[old_path.size()] == '.') found.push_back(r.is);
    }
    if (!found.empty()) return found;
    const auto* const part = find(old_path.substr(0, dot));
    if (part == nullptr || part->type->form != shape::structure) return found;
    for (const auto& below : part->type->members().new_paths(old_path.substr(dot + 1)))
        found.push_back(fmt::format("{}.{}", part->key, below));
    return found;
}

bool structure::has_choice() const {
    return chosen != nullptr || std::any_of(fields.begin(), fields.end(), [](const field& f) {
               return f.type->form == shape::structure && f.type->members().has_choice();
           });
}

void structure::settle_all(void* object, const void* like) const {
    if (settle != nullptr) settle(object, like);
    if (const auto part = part_of(object), model = part_of(like);
        part.members != nullptr && part.members == model.members)
        part.members->settle_all(part.object, model.object);
    for (const auto& f : fields) {
        if (f.type->form == shape::structure) f.type->members().settle_all(f.in(object), f.in(like));
    }
}

const type_description& scalar_of(const type_description& type) {
    const auto* t = &type;
    while (t->form == shape::list || t->form == shape::optional) t = t->element();
    return *t;
}

std::string allowed_text(const field& f) {
    const auto& type = scalar_of(*f.type);
    std::string out;
    if (f.low && f.high)
        out = fmt::format("{} to {}", type.write(f.low->get()), type.write(f.high->get()));
    else if (f.low)
        out = fmt::format("at least {}", type.write(f.low->get()));
    const auto also = [&out](std::string_view what) { out += fmt::format("{}{}", out.empty() ? "" : ", ", what); };
    if (f.power_of_two) also("a power of two");
    for (const auto& c : f.checks) also(c.allowed);
    return out;
}

}  // namespace contraflow::config
