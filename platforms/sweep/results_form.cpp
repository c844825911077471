// SPDX-License-Identifier: Apache-2.0
#include "sweep/results_form.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/text/diagnostics.h"
#include "config/tree/value_path.h"
#include "sweep/child_process.h"
#include "sweep/effective_configuration.h"

namespace contraflow::sweep {
namespace {

using json = nlohmann::ordered_json;

// What is at the path. Null: nothing. `anything` is set where an empty list hides what there is.
const json* found_at(const json& form, const std::string& path, bool& anything) {
    std::size_t wrong_at = 0;
    const auto steps = config::parse_path(path, wrong_at);
    if (!steps) return nullptr;
    const json* at = &form;
    for (const config::path_step& step : *steps) {
        if (at->is_array() && at->empty()) {
            anything = true;
            return nullptr;
        }
        if (step.is_index ? !at->is_array() || step.index >= at->size() : !at->is_object() || !at->contains(step.key))
            return nullptr;
        at = step.is_index ? &(*at)[step.index] : &(*at)[step.key];
    }
    return at;
}

bool has(const json& form, const std::string& path) {
    bool anything = false;
    return found_at(form, path, anything) != nullptr || anything;
}

// The rows of the table that `rows` names; `anything` if they are not known.
std::vector<json> rows_of(const sweep_spec& spec, const json& form, bool& anything) {
    if (!spec.rows) return {};
    const json* const table = found_at(form, *spec.rows, anything);
    if (table == nullptr || !table->is_array()) return {};
    anything = anything || table->empty();
    return {table->begin(), table->end()};
}

bool has_column(const sweep_spec& spec, const std::vector<json>& forms, const std::string& path) {
    return std::any_of(forms.begin(), forms.end(), [&](const json& form) {
        bool anything = false;
        const auto rows = rows_of(spec, form, anything);
        return anything || has(form, path) ||
               std::any_of(rows.begin(), rows.end(), [&](const json& row) { return has(row, path); });
    });
}

std::vector<std::string> names_in(const sweep_spec& spec, const std::vector<json>& forms) {
    std::vector<std::string> out;
    std::set<std::string> seen;
    const auto add = [&](const json& from) {
        for (std::string& name : paths_of_values(from))
            if (seen.insert(name).second) out.push_back(std::move(name));
    };
    for (const json& form : forms) {
        bool anything = false;
        for (const json& row : rows_of(spec, form, anything)) add(row);
    }
    for (const json& form : forms) {
        add(form);
        // Values of lists by their index, as columns name them.
        for (const auto& [key, list] : form.items())
            for (std::size_t i = 0; list.is_array() && i < list.size(); ++i)
                add(json{{config::element_path(key, i), list[i]}});
    }
    return out;
}

}  // namespace

std::vector<missing_value> unknown_values(const sweep_spec& spec, const std::vector<json>& forms) {
    if (forms.empty()) return {};
    std::vector<missing_value> out;
    if (spec.rows && std::none_of(forms.begin(), forms.end(), [&](const json& f) { return has(f, *spec.rows); }))
        out.push_back({"rows", fmt::format("no point will have a list {}", config::quoted(*spec.rows)),
                       config::known_keys(*spec.rows, paths_of_lists(forms))});
    const auto known = names_in(spec, forms);
    const auto check = [&](const std::string& path, const std::string& field) {
        if (path.empty() || has_column(spec, forms, path)) return;
        out.push_back({field, fmt::format("no point will have a value {}", config::quoted(path)),
                       config::known_keys(path, known)});
    };
    for (std::size_t c = 0; c < spec.columns.size(); ++c) {
        check(spec.columns[c].value, fmt::format("columns[{}].value", c));
        check(spec.columns[c].over, fmt::format("columns[{}].over", c));
    }
    return out;
}

std::optional<std::vector<missing_value>> unknown_values(const sweep_spec& spec, const plan& of) {
    if (spec.columns.empty() && !spec.rows) return std::nullopt;
    std::vector<json> forms;
    std::vector<missing_value> missing;
    for (const point& p : of.points) {
        auto words = platform_command(of.platform.binary, p.configuration, p.sets);
        words.emplace_back("--print-results");
        const child_result said = run_child(words, of.folder);
        json form = json::parse(said.out, nullptr, false);
        if (said.status != 0 || !form.is_object()) return std::nullopt;
        // Points that leave the same names add nothing.
        if (std::find(forms.begin(), forms.end(), form) != forms.end()) continue;
        forms.push_back(std::move(form));
        missing = unknown_values(spec, forms);
        if (missing.empty()) break;
    }
    return missing;
}

}  // namespace contraflow::sweep
