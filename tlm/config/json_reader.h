// SPDX-License-Identifier: Apache-2.0
// Reads a JSON document of a known form and collects what is wrong with it: each problem with the path of its value,
// which becomes a line and a column of the text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace contraflow::config {

struct json_problem {
    std::string path;  // "[3].parameters.sample_time"; empty: the file
    std::string message;
    unsigned line = 0;  // 1-based
    unsigned column = 0;
};

class json_reader {
public:
    using json = nlohmann::json;
    using names = std::vector<std::string>;

    explicit json_reader(std::vector<json_problem>& problems) : problems_(problems) {}

    // A hundred at most.
    void problem(std::string path, std::string message);
    bool is_object(const json& j, const std::string& path);
    bool is_array(const json& j, const std::string& path);
    void unknown_key(const std::string& path, const std::string& key, const names& known);
    // Other keys are an error if `strict`, and otherwise only if they look like a misspelt known one.
    void check_keys(const json& j, const std::string& path, const names& known, bool strict);
    // Null, and a problem, if it is missing.
    const json* member(const json& j, const std::string& path, const char* key);
    // On a problem: `low`; the empty text; false.
    std::uint64_t whole(const json& j, const std::string& path, std::uint64_t low, std::uint64_t high);
    std::string text(const json& j, const std::string& path);
    bool truth(const json& j, const std::string& path);
    // Lower-case hexadecimal digits without prefix, up to `high`.
    std::uint64_t hexadecimal(const json& j, const std::string& path, std::uint64_t high);
    // Two hexadecimal digits a byte.
    std::vector<std::uint8_t> hexadecimal_bytes(const json& j, const std::string& path);
    std::size_t problems() const { return problems_.size(); }

private:
    std::vector<json_problem>& problems_;
};

// Where each of them stands in the text.
void locate(std::vector<json_problem>& problems, std::string_view text);

}  // namespace contraflow::config
