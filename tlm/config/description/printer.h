// SPDX-License-Identifier: Apache-2.0
// A struct as complete YAML: every value, with its meaning, unit and origin as a comment.
// Reading it back gives exactly the same values.
#pragma once

#include <string>
#include <string_view>

#include "config/description/type_description.h"
#include "config/tree/provenance.h"

namespace contraflow::config {

// If `origins` is null, they are left out.
std::string print_yaml(const structure& members, const void* object, const provenance* origins);
// A text as a YAML scalar, in quotes if it could be taken for something else.
std::string yaml_text(std::string_view text);

}  // namespace contraflow::config
