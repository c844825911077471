// SPDX-License-Identifier: Apache-2.0
#include "config/text/json_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "config/text/diagnostics.h"
#include "config/text/json_document.h"
#include "config/text/json_position.h"

namespace contraflow::config {
namespace {

constexpr std::size_t most_problems = 100;

int digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
}

}  // namespace

void json_reader::problem(std::string path, std::string message) {
    if (problems_.size() < most_problems) problems_.push_back({std::move(path), std::move(message), 0, 0});
}

bool json_reader::is_object(const json& j, const std::string& path) {
    if (!j.is_object()) problem(path, fmt::format("an object is wanted, not {}", j.type_name()));
    return j.is_object();
}

bool json_reader::is_array(const json& j, const std::string& path) {
    if (!j.is_array()) problem(path, fmt::format("an array is wanted, not {}", j.type_name()));
    return j.is_array();
}

void json_reader::unknown_key(const std::string& path, const std::string& key, const names& known) {
    if (problems_.size() < most_problems)
        problems_.push_back({path, "unknown key " + quoted(key), 0, 0, key, known_keys(key, known)});
}

void json_reader::check_keys(const json& j, const std::string& path, const names& known, bool strict) {
    for (const auto& [key, value] : j.items())
        if (std::find(known.begin(), known.end(), key) == known.end() && (strict || !nearest(key, known).empty()))
            unknown_key(path, key, known);
}

const nlohmann::json* json_reader::member(const json& j, const std::string& path, const char* key) {
    if (const auto it = j.find(key); it != j.end()) return &*it;
    problem(path, fmt::format("'{}' is missing", key));
    return nullptr;
}

std::uint64_t json_reader::whole(const json& j, const std::string& path, std::uint64_t low, std::uint64_t high) {
    if (j.is_number_unsigned() && j >= low && j <= high) return j.get<std::uint64_t>();
    if (j.is_number_float()) {  // 1e6
        const auto value = j.get<double>();
        if (value >= static_cast<double>(low) && value <= static_cast<double>(high) && std::floor(value) == value)
            return static_cast<std::uint64_t>(value);
    }
    problem(path, fmt::format("a whole number from {} to {} is wanted", low, high));
    return low;
}

std::string json_reader::text(const json& j, const std::string& path) {
    if (j.is_string() && !j.get_ref<const std::string&>().empty()) return j.get<std::string>();
    problem(path, "a text is wanted");
    return "";
}

bool json_reader::truth(const json& j, const std::string& path) {
    if (j.is_boolean()) return j.get<bool>();
    problem(path, "true or false is wanted");
    return false;
}

std::uint64_t json_reader::hexadecimal(const json& j, const std::string& path, std::uint64_t high) {
    if (j.is_string()) {
        const auto& text = j.get_ref<const std::string&>();
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
        const bool lower = std::all_of(text.begin(), text.end(), [](char c) { return digit(c) >= 0; });
        const bool padded = text.size() > 1 && text.front() == '0';
        if (error == std::errc{} && end == text.data() + text.size() && lower && !padded && value <= high) return value;
    }
    problem(path, fmt::format("lower-case hexadecimal digits up to {:x} are wanted, without leading zeros", high));
    return 0;
}

std::vector<std::uint8_t> json_reader::hexadecimal_bytes(const json& j, const std::string& path) {
    std::vector<std::uint8_t> bytes;
    if (j.is_string()) {
        const auto& text = j.get_ref<const std::string&>();
        bytes.reserve(text.size() / 2);
        for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
            const int high = digit(text[i]), low = digit(text[i + 1]);
            if (high < 0 || low < 0) break;
            bytes.push_back(static_cast<std::uint8_t>(high * 16 + low));
        }
        if (bytes.size() * 2 == text.size()) return bytes;
    }
    problem(path, "two lower-case hexadecimal digits a byte are wanted");
    return {};
}

std::string json_reader::one_line(const json& j, const std::string& path) {
    std::string found = text(j, path);
    if (std::any_of(found.begin(), found.end(), [](unsigned char c) { return c < ' ' || c == 0x7f; }))
        problem(path, "a name without line breaks and other control characters is wanted");
    return found;
}

std::string json_reader::path_of(std::size_t element) { return fmt::format("[{}]", element); }

void json_reader::second_of_a_name(const std::string& path, const std::string& name) {
    problem(path + ".name", fmt::format("a second case named {}", quoted(name)));
}

std::vector<json_problem> read_json(
    std::string_view text, const std::function<void(const nlohmann::json&, std::vector<json_problem>&)>& read) {
    std::vector<json_problem> problems;
    json_mistake wrong;
    const auto document = parse_json(text, wrong);
    if (!document) return {{"", wrong.message, wrong.line, wrong.column}};
    // The parser would take the last.
    if (const auto second = find_repeated_json_key(text)) {
        const auto [line, column] = line_and_column(text, second->offset);
        return {{"", fmt::format("a second key {} in one object", quoted(second->key)), line, column}};
    }
    read(*document, problems);
    for (json_problem& p : problems) {
        const auto at = p.key.empty() ? find_json_value(text, p.path) : find_json_key(text, p.path, p.key);
        std::tie(p.line, p.column) = line_and_column(text, at);
    }
    return problems;
}

}  // namespace contraflow::config
