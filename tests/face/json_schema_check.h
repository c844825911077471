// SPDX-License-Identifier: Apache-2.0
// A validator for the part of JSON Schema (draft 2020-12) that report.schema.json uses; an unknown keyword is an error.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace contraflow::test {

// The errors of `value`, each with the JSON pointer of its place; empty if it is valid.
std::vector<std::string> violations(const nlohmann::ordered_json& value, const nlohmann::ordered_json& schema);

}  // namespace contraflow::test
