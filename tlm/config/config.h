// SPDX-License-Identifier: Apache-2.0
// Reading, printing and documenting a configuration: the typed face of this folder.
// A struct that only describes its fields needs no more than config/fields.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "config/binding/loader.h"
#include "config/description/documentation.h"
#include "config/description/printer.h"
#include "config/description/schema.h"
#include "config/fields.h"
#include "config/text/diagnostics.h"
#include "config/text/text_source.h"
#include "config/tree/problem.h"
#include "config/tree/provenance.h"

namespace contraflow::config {

template <class S> struct loaded {
    S value;
    provenance origins;

    // The place of a value such as "communications[3].to", or of its nearest parent that has a place.
    location where(std::string_view path) const { return origins.where(path); }
    // "default", "file", "set" or "computed".
    std::string_view origin(std::string_view path) const { return origins.origin(path); }
    // Reports the problem at the value that causes it.
    void report(const problem& p, diagnostics& diag) const {
        const auto& culprit = origins.culprit(p);
        diag.error(where(culprit.path), fmt::format("{}: {}", culprit.path, p.message), "allowed: " + culprit.allowed);
    }
    // Records that the program itself changed the value, or everything below it.
    void mark_computed(std::string_view path) { origins.mark_computed(path); }
};

// Reports all errors to `diag` at once. The value may be used only if there were none.
template <described S>
loaded<S> load(const std::optional<source>& file, const std::vector<std::string>& sets, diagnostics& diag) {
    loaded<S> out;
    out.origins = load_into(structure_of<S>(), &out.value, file, sets, diag);
    return out;
}

template <described S> std::string print(const loaded<S>& of) {
    return print_yaml(structure_of<S>(), &of.value, &of.origins);
}

template <described S> std::string print(const S& of) { return print_yaml(structure_of<S>(), &of, nullptr); }

template <described S> std::string describe() { return describe_text(structure_of<S>()); }

template <described S> std::string markdown() { return describe_markdown(structure_of<S>()); }

template <described S> nlohmann::ordered_json json_schema(std::string_view title) {
    return schema_of(structure_of<S>(), title);
}

}  // namespace contraflow::config
