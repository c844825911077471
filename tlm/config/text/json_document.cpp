// SPDX-License-Identifier: Apache-2.0
#include "config/text/json_document.h"

#include <tuple>

#include <fmt/format.h>

#include "config/text/json_position.h"

namespace contraflow::config {

std::optional<nlohmann::json> parse_json(std::string_view text, json_mistake& wrong) {
    try {
        return nlohmann::json::parse(text);
    } catch (const nlohmann::json::parse_error& e) {
        std::tie(wrong.line, wrong.column) = line_and_column(text, e.byte == 0 ? 0 : e.byte - 1);
        wrong.message = e.what();  // "[json.exception.parse_error.101] parse error at line 1, column 2: ..."
        if (const auto colon = wrong.message.find(": "); colon != std::string::npos)
            wrong.message = "not JSON: " + wrong.message.substr(colon + 2);
    } catch (const nlohmann::json::exception& e) {  // a number too large for a double
        wrong = {fmt::format("not JSON: {}", e.what())};
    }
    return std::nullopt;
}

}  // namespace contraflow::config
