// SPDX-License-Identifier: Apache-2.0
// A configuration's JSON Schema (draft 2020-12), with which editors complete and check YAML files.
#pragma once

#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "config/description/type_description.h"

namespace contraflow::config {

nlohmann::ordered_json schema_of(const structure& members, std::string_view title);

}  // namespace contraflow::config
