// SPDX-License-Identifier: Apache-2.0
#include "json_schema_check.h"

#include <algorithm>
#include <set>

namespace contraflow::test {
namespace {

using json = nlohmann::ordered_json;

bool has_type(const json& value, const std::string& type) {
    if (type == "integer") return value.is_number_integer();
    if (type == "number") return value.is_number();
    return (type == "string" && value.is_string()) || (type == "boolean" && value.is_boolean()) ||
           (type == "null" && value.is_null()) || (type == "object" && value.is_object()) ||
           (type == "array" && value.is_array());
}

class checker {
public:
    explicit checker(const json& root) : root_(root) {}

    void check(const json& value, const json& schema, const std::string& at, std::vector<std::string>& out) const {
        for (const auto& [keyword, argument] : schema.items()) {
            check_keyword(value, schema, keyword, argument, at, out);
        }
    }

private:
    void check_keyword(const json& value, const json& schema, const std::string& keyword, const json& argument,
                       const std::string& at, std::vector<std::string>& out) const {
        static const std::set<std::string> notes{"$schema", "$id", "$defs", "title", "description"};
        const auto wrong = [&](const std::string& what) { out.push_back((at.empty() ? "/" : at) + ": " + what); };
        if (notes.contains(keyword)) return;
        if (keyword == "$ref") {
            check(value, root_.at(json::json_pointer(argument.get<std::string>().substr(1))), at, out);
        } else if (keyword == "type") {
            const json types = argument.is_array() ? argument : json::array({argument});
            const auto fits = [&](const json& type) { return has_type(value, type); };
            if (std::none_of(types.begin(), types.end(), fits)) wrong("is not " + types.dump());
        } else if (keyword == "const") {
            if (value != argument) wrong("is not " + argument.dump());
        } else if (keyword == "enum") {
            if (std::count(argument.begin(), argument.end(), value) == 0) wrong("is not in " + argument.dump());
        } else if (keyword == "minimum") {
            if (value.is_number() && value.get<double>() < argument.get<double>()) wrong("is too small");
        } else if (keyword == "minItems" || keyword == "maxItems") {
            const auto limit = argument.get<std::size_t>();
            if (value.is_array() && (keyword == "minItems" ? value.size() < limit : value.size() > limit)) {
                wrong("has a wrong length");
            }
        } else if (keyword == "items") {
            for (std::size_t i = 0; value.is_array() && i < value.size(); ++i) {
                check(value[i], argument, at + "/" + std::to_string(i), out);
            }
        } else if (keyword == "required") {
            for (const json& name : argument) {
                if (value.is_object() && !value.contains(name.get<std::string>())) wrong("lacks " + name.dump());
            }
        } else if (keyword == "properties") {
            for (const auto& [name, inner] : argument.items()) {
                if (value.is_object() && value.contains(name)) check(value[name], inner, at + "/" + name, out);
            }
        } else if (keyword == "additionalProperties") {
            check_additional(value, schema, argument, at, out);
        } else if (keyword == "oneOf") {
            const auto fits = std::count_if(argument.begin(), argument.end(), [&](const json& one) {
                std::vector<std::string> inner;
                check(value, one, at, inner);
                return inner.empty();
            });
            if (fits != 1) wrong("fits " + std::to_string(fits) + " of the alternatives");
        } else {
            wrong("the schema uses '" + keyword + "', which this validator does not know");
        }
    }

    void check_additional(const json& value, const json& schema, const json& argument, const std::string& at,
                          std::vector<std::string>& out) const {
        if (!value.is_object()) return;
        for (const auto& [name, inner] : value.items()) {
            if (schema.contains("properties") && schema["properties"].contains(name)) continue;
            if (argument == json(false))
                out.push_back(at + "/" + name + ": is not foreseen");
            else
                check(inner, argument, at + "/" + name, out);
        }
    }

    const json& root_;
};

}  // namespace

std::vector<std::string> violations(const json& value, const json& schema) {
    std::vector<std::string> out;
    checker(schema).check(value, schema, "", out);
    return out;
}

}  // namespace contraflow::test
