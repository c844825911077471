// SPDX-License-Identifier: Apache-2.0
#include "config/description/schema.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace contraflow::config {
namespace {

using json = nlohmann::ordered_json;

// Whether a struct can contain one of its own kind at any depth.
bool reaches(const structure& from, const structure& wanted, std::set<const structure*>& seen) {
    for (const auto& f : from.fields) {
        const auto& inner = scalar_of(*f.type);
        if (inner.form != shape::structure) continue;
        const auto& members = inner.members();
        if (&members == &wanted) return true;
        if (seen.insert(&members).second && reaches(members, wanted, seen)) return true;
    }
    return false;
}

bool is_recursive(const structure& members) {
    std::set<const structure*> seen;
    return reaches(members, members, seen);
}

json value_of(const type_description& type, const void* value);

json value_of(const structure& members, const void* object) {
    auto out = json::object();
    for (const auto& f : members.fields) out[f.key] = value_of(*f.type, f.in(object));
    return out;
}

json value_of(const type_description& type, const void* value) {
    switch (type.form) {
    case shape::structure: return value_of(type.members(), value);
    case shape::optional: return type.size(value) == 0 ? json(nullptr) : value_of(*type.element(), type.at(value, 0));
    case shape::list: {
        auto out = json::array();
        for (std::size_t i = 0; i < type.size(value); ++i) out.push_back(value_of(*type.element(), type.at(value, i)));
        return out;
    }
    case shape::boolean:
    case shape::number: return json::parse(type.write(value));
    default: return type.write(value);
    }
}

class schema_writer {
public:
    json root(const structure& members, std::string_view title) {
        json out;
        out["$schema"] = "https://json-schema.org/draft/2020-12/schema";
        out["title"] = title;
        if (is_recursive(members))
            out["$ref"] = reference(members, "configuration");
        else
            out.update(object(members, members.defaults.get()));
        if (!definitions_.empty()) out["$defs"] = definitions_;
        return out;
    }

private:
    // `object` supplies the defaults.
    json object(const structure& members, const void* object) {
        json out;
        out["type"] = "object";
        if (members.chosen == nullptr) out["additionalProperties"] = false;
        auto required = json::array();
        out["properties"] = json::object();
        for (const auto& f : members.fields) {
            out["properties"][f.key] = property(f, f.in(object));
            if (f.required) required.push_back(f.key);
        }
        if (!required.empty()) out["required"] = required;
        return out;
    }

    json property(const field& f, const void* value) {
        json out;
        auto text = f.text;
        const auto also = [&text](const std::string& more) {
            text += fmt::format("{}({})", text.empty() ? "" : " ", more);
        };
        if (!f.unit.empty()) also(f.unit);
        if (const auto allowed = allowed_text(f); !allowed.empty()) also(allowed);
        if (!text.empty()) out["description"] = text;
        out.update(value_schema(*f.type, f, value));
        const bool absent = f.type->form == shape::optional && f.type->size(value) == 0;
        if (!f.required && !absent && f.type->form != shape::structure) out["default"] = value_of(*f.type, value);
        return out;
    }

    // `value` supplies the defaults of a nested struct; it is null inside lists.
    json value_schema(const type_description& type, const field& f, const void* value) {
        json out;
        switch (type.form) {
        case shape::structure: {
            const auto& members = type.members();
            if (is_recursive(members))
                out["$ref"] = reference(members, f.key);
            else
                out = object(members, value != nullptr ? value : members.defaults.get());
            return out;
        }
        case shape::list:
            out["type"] = "array";
            out["items"] = value_schema(*type.element(), f, nullptr);
            return out;
        case shape::optional: {
            const auto* inner = value != nullptr && type.size(value) == 1 ? type.at(value, 0) : nullptr;
            out["anyOf"] = json::array({value_schema(*type.element(), f, inner), {{"type", "null"}}});
            return out;
        }
        case shape::boolean: out["type"] = "boolean"; return out;
        case shape::number: return number(type, f);
        case shape::text: out["type"] = "string"; return out;
        case shape::free: return json::object();
        case shape::choice: out["enum"] = type.choices; return out;
        case shape::quantity:
            // A bare zero needs no unit.
            out["anyOf"] = json::array({{{"type", "string"}, {"pattern", type.pattern}}, {{"const", 0}}});
            return out;
        }
        return out;
    }

    static json number(const type_description& type, const field& f) {
        json out;
        out["type"] = type.whole ? "integer" : "number";
        if (f.low)
            out["minimum"] = json::parse(type.write(f.low->get()));
        else if (!type.lowest.empty())
            out["minimum"] = json::parse(type.lowest);
        if (f.high)
            out["maximum"] = json::parse(type.write(f.high->get()));
        else if (!type.highest.empty())
            out["maximum"] = json::parse(type.highest);
        return out;
    }

    std::string reference(const structure& members, const std::string& wanted_name) {
        auto known = names_.find(&members);
        if (known == names_.end()) {
            auto name = wanted_name;
            for (int n = 2; definitions_.contains(name); ++n) name = fmt::format("{}_{}", wanted_name, n);
            known = names_.emplace(&members, name).first;
            definitions_[name] = json::object();  // entered first, because a struct may contain its own kind
            definitions_[name] = object(members, members.defaults.get());
        }
        return "#/$defs/" + known->second;
    }

    json definitions_ = json::object();
    std::map<const structure*, std::string> names_;  // only looked up, never iterated
};

}  // namespace

json schema_of(const structure& members, std::string_view title) { return schema_writer().root(members, title); }

}  // namespace contraflow::config
