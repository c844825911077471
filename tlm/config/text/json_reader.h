// SPDX-License-Identifier: Apache-2.0
// Reads a JSON document of a known form and collects its problems. The path of each problem's value becomes a line and
// a column of the text.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include <nlohmann/json.hpp>

namespace contraflow::config {

struct json_problem {
    std::string path;  // "[3].parameters.sample_time"; empty: the file
    std::string message;
    unsigned line = 0;  // 1-based
    unsigned column = 0;
    std::string key{};   // the member of the object at `path` whose name is the problem, and has the position
    std::string hint{};  // what is known or allowed
};

class json_reader {
public:
    using json = nlohmann::json;
    using names = std::vector<std::string>;

    explicit json_reader(std::vector<json_problem>& problems) : problems_(problems) {}

    // Keeps a hundred problems at most.
    void problem(std::string path, std::string message);
    bool is_object(const json& j, const std::string& path);
    bool is_array(const json& j, const std::string& path);
    void unknown_key(const std::string& path, const std::string& key, const names& known);
    // " (did you mean 'policy'?)", or nothing.
    // Other keys are an error if `strict`, and otherwise only if they look like a misspelt known one.
    void check_keys(const json& j, const std::string& path, const names& known, bool strict);
    // Null, with a problem reported, if it is missing.
    const json* member(const json& j, const std::string& path, const char* key);
    // If there is a problem, they return `low`, the empty text or false.
    std::uint64_t whole(const json& j, const std::string& path, std::uint64_t low, std::uint64_t high);
    std::string text(const json& j, const std::string& path);
    // A text on one line, as messages and tables show it.
    std::string one_line(const json& j, const std::string& path);
    bool truth(const json& j, const std::string& path);
    // Lower-case hexadecimal digits without prefix and leading zeros, up to `high`.
    std::uint64_t hexadecimal(const json& j, const std::string& path, std::uint64_t high);
    // Two hexadecimal digits a byte.
    std::vector<std::uint8_t> hexadecimal_bytes(const json& j, const std::string& path);
    std::size_t problems() const { return problems_.size(); }

protected:
    ~json_reader() = default;
    // A list of at least one case, each with its own name. read(element, path) makes a case. `form` describes such a
    // list, for the message about a document that is something else.
    template <class Case, class Read>
    std::vector<Case> cases(const json& document, const std::string& form, Read read) {
        std::vector<Case> all;
        if (!document.is_array())
            problem("", "a list of cases is wanted: " + form);
        else if (document.empty())
            problem("", "holds no case");
        else
            for (const json& j : document) all.push_back(read(j, path_of(all.size())));
        std::unordered_set<std::string> seen;
        for (std::size_t i = 0; i < all.size(); ++i)
            if (!all[i].name.empty() && !seen.insert(all[i].name).second) second_of_a_name(path_of(i), all[i].name);
        return all;
    }

private:
    static std::string path_of(std::size_t element);
    void second_of_a_name(const std::string& path, const std::string& name);

    std::vector<json_problem>& problems_;
};

// Returns the problems of a text, its own or those that `read` finds in it, each with its position.
std::vector<json_problem> read_json(std::string_view text,
                                    const std::function<void(const nlohmann::json&, std::vector<json_problem>&)>& read);

}  // namespace contraflow::config
