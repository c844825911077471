// SPDX-License-Identifier: Apache-2.0
// A validator for the part of JSON Schema (draft 2020-12) that report.schema.json uses; an unknown keyword is an error.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace contraflow::test {

// What is wrong with `value`, each with the JSON pointer of the place; empty: it is valid.
std::vector<std::string> violations(const nlohmann::ordered_json& value, const nlohmann::ordered_json& schema);

}  // namespace contraflow::test
