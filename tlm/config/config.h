// SPDX-License-Identifier: Apache-2.0
// Reading, printing and documenting a configuration: the typed face of this folder.
// A struct that only says what its fields are needs no more than config/fields.h.
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

    // "communications[3].to": where the value stands, or its nearest parent that stands anywhere.
    location where(std::string_view path) const { return origins.where(path); }
    // "default", "file", "set" or "computed".
    std::string_view origin(std::string_view path) const { return origins.origin(path); }
    // Complains where the value stands that makes the problem.
    void report(const problem& p, diagnostics& diag) const {
        const auto& culprit = origins.culprit(p);
        diag.error(where(culprit.path), fmt::format("{}: {}", culprit.path, p.message), "allowed: " + culprit.allowed);
    }
    // Says that the program itself changed the value, or all that is below it.
    void mark_computed(std::string_view path) { origins.mark_computed(path); }
};

// All that is wrong goes to `diag` at once; the value is fit for use only if nothing was.
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
