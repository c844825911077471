// SPDX-License-Identifier: Apache-2.0
#include "config/text/json_document.h"

#include <string>
#include <tuple>

#include "config/text/json_position.h"

namespace contraflow::config {

std::optional<nlohmann::json> parse_json(std::string_view text, json_mistake& wrong) {
    // The parser takes it for the end, whatever follows.
    if (const auto zero = text.find('\0'); zero != std::string_view::npos) {
        std::tie(wrong.line, wrong.column) = line_and_column(text, zero);
        wrong.message = "not JSON: byte 0x00";
        return std::nullopt;
    }
    try {
        return nlohmann::json::parse(text);
    } catch (const nlohmann::json::parse_error& e) {
        std::tie(wrong.line, wrong.column) = line_and_column(text, e.byte == 0 ? 0 : e.byte - 1);
        wrong.message = e.what();  // "[json.exception.parse_error.101] parse error at line 1, column 2: ..."
        if (const auto colon = wrong.message.find(": "); colon != std::string::npos)
            wrong.message = "not JSON: " + wrong.message.substr(colon + 2);
    } catch (const nlohmann::json::exception& e) {
        // A number too large for a double: "[json.exception.out_of_range.406] number overflow parsing '1e400'".
        std::string said = e.what();
        if (const auto end = said.find("] "); end != std::string::npos) said = said.substr(end + 2);
        wrong.message = "not JSON: " + said;
        const auto first = said.find('\''), last = said.rfind('\'');
        if (first == last) return std::nullopt;
        const auto at = text.find(std::string_view(said).substr(first + 1, last - first - 1));
        if (at != std::string_view::npos) std::tie(wrong.line, wrong.column) = line_and_column(text, at);
    }
    return std::nullopt;
}

}  // namespace contraflow::config
