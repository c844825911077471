// SPDX-License-Identifier: Apache-2.0
// Fills a struct, known by its description, from a file and from --set texts.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/description/type_description.h"
#include "config/text/diagnostics.h"
#include "config/text/text_source.h"
#include "config/tree/provenance.h"

namespace contraflow::config {

// What the warning of an argument of --set says that a later one replaces: "'a.b' has no effect: 'a=[1]' replaces it".
inline constexpr std::string_view without_effect = "has no effect";

// Returns the origin of every value. Errors go to `diag`.
provenance load_into(const structure& members, void* object, const std::optional<source>& file,
                     const std::vector<std::string>& sets, diagnostics& diag);

}  // namespace contraflow::config
