// SPDX-License-Identifier: Apache-2.0
// A JSON text as a document, or its error with a position.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace contraflow::config {

struct json_mistake {
    std::string message;
    unsigned line = 1, column = 1;
};

// Nothing if the text is no JSON; `wrong` then says why.
std::optional<nlohmann::json> parse_json(std::string_view text, json_mistake& wrong);

}  // namespace contraflow::config
