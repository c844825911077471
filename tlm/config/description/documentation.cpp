// SPDX-License-Identifier: Apache-2.0
#include "config/description/documentation.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/description/printer.h"
#include "config/tree/value_path.h"

namespace contraflow::config {
namespace {

std::string type_text(const type_description& type) {
    switch (type.form) {
    case shape::list: return fmt::format("list of {}", type_text(*type.element()));
    case shape::optional: return type_text(*type.element());
    case shape::choice: return fmt::format("{}", fmt::join(type.choices, " | "));
    default: return std::string(type.name);
    }
}

std::string default_text(const type_description& type, const void* value) {
    switch (type.form) {
    case shape::structure: return {};
    case shape::optional: return type.size(value) == 0 ? "absent" : default_text(*type.element(), type.at(value, 0));
    case shape::list: {
        if (scalar_of(type).form == shape::structure || type.element()->form == shape::list) {
            return type.size(value) == 0 ? "[]" : fmt::format("{} elements", type.size(value));
        }
        std::vector<std::string> elements;
        for (std::size_t i = 0; i < type.size(value); ++i)
            elements.push_back(default_text(*type.element(), type.at(value, i)));
        return fmt::format("[{}]", fmt::join(elements, ", "));
    }
    case shape::text: return yaml_text(type.write(value));
    default: return type.write(value);
    }
}

// The struct below lists and optionals: as its parent's default has it, or else with its own defaults.
const void* default_object(const type_description& type, const void* value) {
    if (type.form == shape::structure) return value;
    if (type.form == shape::optional && type.size(value) == 1)
        return default_object(*type.element(), type.at(value, 0));
    return scalar_of(type).members().defaults.get();
}

class documenter {
public:
    std::vector<documentation_row> take() { return std::move(rows_); }

    void visit(const structure& members, const void* object, const std::string& path) {
        above_.push_back(&members);
        for (const auto& f : members.fields) visit_field(f, f.in(object), member_path(path, f.key));
        above_.pop_back();
        // What the default choice has chosen. Without a default choice there is nothing to list.
        if (const auto part = members.part_of(object); part.members != nullptr) visit(*part.members, part.object, path);
    }

private:
    void visit_field(const field& f, const void* value, std::string key) {
        documentation_row row{key, type_text(*f.type), f.required ? "required" : default_text(*f.type, value), f.text};
        if (const auto allowed = allowed_text(f); !allowed.empty()) row.type += fmt::format(", {}", allowed);
        if (!f.unit.empty()) row.text += fmt::format("{}({})", row.text.empty() ? "" : " ", f.unit);
        const auto& inner = scalar_of(*f.type);
        if (inner.form != shape::structure) return rows_.push_back(std::move(row));
        const auto& members = inner.members();
        const bool recursive = std::find(above_.begin(), above_.end(), &members) != above_.end();
        if (recursive) row.text += row.text.empty() ? "(as above)" : " (as above)";
        rows_.push_back(std::move(row));
        if (recursive) return;
        for (const auto* t = f.type; t->form == shape::list || t->form == shape::optional; t = t->element()) {
            if (t->form == shape::list) key += "[]";
        }
        visit(members, default_object(*f.type, value), key);
    }

    std::vector<documentation_row> rows_;
    std::vector<const structure*> above_;
};

std::string cell(std::string text) {
    for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.replace(at, 1, "\\|");
    return text;
}

std::string code(const std::string& text) { return text.empty() ? std::string() : fmt::format("`{}`", text); }

}  // namespace

std::vector<documentation_row> document(const structure& members) {
    documenter d;
    d.visit(members, members.defaults.get(), {});
    return d.take();
}

std::string describe_text(const structure& members) {
    auto rows = document(members);
    rows.insert(rows.begin(), {"KEY", "TYPE", "DEFAULT", "WHAT"});
    std::size_t key = 0, type = 0, value = 0;
    for (const auto& r : rows) {
        key = std::max(key, std::min<std::size_t>(r.key.size(), 36));
        type = std::max(type, std::min<std::size_t>(r.type.size(), 44));
        value = std::max(value, std::min<std::size_t>(r.default_value.size(), 16));
    }
    std::string out;
    for (const auto& r : rows) {
        auto line = fmt::format("{:<{}}  {:<{}}  {:<{}}  {}", r.key, key, r.type, type, r.default_value, value, r.text);
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + '\n';
    }
    return out;
}

std::string describe_markdown(const structure& members) {
    std::string out = "| key | type | default | meaning |\n|---|---|---|---|\n";
    for (const auto& r : document(members)) {
        out += fmt::format("| {} | {} | {} | {} |\n", code(r.key), cell(r.type), code(cell(r.default_value)),
                           cell(r.text));
    }
    return out;
}

}  // namespace contraflow::config
