// SPDX-License-Identifier: Apache-2.0
#include "pcie/model/case_file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <unordered_set>

#include <fmt/format.h>

#include "pcie/model/timeline.h"

namespace contraflow::pcie::model {
namespace {

using json = nlohmann::json;

constexpr unsigned deepest_tree = 64;
constexpr double largest_exact = 9007199254740992.0;  // 2^53

std::string name_of(std::string_view name) { return std::string(name); }
std::string name_of(const std::pair<const std::string, node_id>& entry) { return entry.first; }

template <class Names> std::vector<std::string> names_of(const Names& known) {
    std::vector<std::string> names;
    for (const auto& entry : known) names.push_back(name_of(entry));
    return names;
}

class reader : private config::json_reader {
public:
    using config::json_reader::json_reader;
    using config::json_reader::problem;

    case_input read_case(const json& j, const std::string& path) {
        static constexpr std::array<std::string_view, 9> known{
            "name", "about", "source", "bandwidth_gib_per_s", "tau", "tree", "communications", "expected", "steps"};
        case_input input;
        if (!is_object(j, path, known)) return input;
        input.name = text(j, path, "name", true);
        input.about = text(j, path, "about", false);
        if (const auto b = number(j, path, "bandwidth_gib_per_s", true)) {
            if (*b > 0.0)
                input.options.reference = core::bandwidth::from_gib_per_s(*b);
            else
                problem(path + ".bandwidth_gib_per_s", fmt::format("{} is not above 0", *b));
        }
        if (const auto tau = number(j, path, "tau", false)) {
            if (*tau >= 0.0 && *tau < 1.0)
                input.options.tau = *tau;
            else
                problem(path + ".tau", fmt::format("{} is out of range: allowed is 0 <= tau < 1", *tau));
        }
        names_.clear();
        endpoints_.clear();
        if (const json* tree = member(j, path, "tree")) read_node(*tree, path + ".tree", input.tree, no_node, 0);
        if (const json* list = member(j, path, "communications")) read_list(*list, path + ".communications", input);
        return input;
    }

private:
    template <class Known> bool is_object(const json& j, const std::string& path, const Known& known) {
        if (!j.is_object()) {
            problem(path, fmt::format("is {}, not an object", with_article(j)));
            return false;
        }
        // Additional keys are allowed, unless one looks like a misspelt known key.
        for (const auto& [key, value] : j.items())
            if (std::find(known.begin(), known.end(), key) == known.end())
                if (!config::nearest(key, names_of(known)).empty()) unknown_key(path, key, names_of(known));
        return true;
    }

    static std::string with_article(const json& j) {
        const std::string_view type = j.type_name();
        if (j.is_null()) return "null";
        return fmt::format("{} {}", j.is_object() || j.is_array() ? "an" : "a", type);
    }

    const json* member(const json& j, const std::string& path, const char* key, bool required = true) {
        if (const auto it = j.find(key); it != j.end()) return &*it;
        if (required) problem(path, fmt::format("'{}' is missing", key));
        return nullptr;
    }

    std::string text(const json& j, const std::string& path, const char* key, bool required) {
        const json* value = member(j, path, key, required);
        if (value == nullptr) return {};
        if (!value->is_string()) {
            problem(path + "." + key, fmt::format("is {}, not a string", with_article(*value)));
            return {};
        }
        const auto& content = value->get_ref<const std::string&>();
        if (required && content.empty()) problem(path + "." + key, "is empty");
        return content;
    }

    std::optional<double> number(const json& j, const std::string& path, const char* key, bool required) {
        const json* value = member(j, path, key, required);
        if (value == nullptr) return std::nullopt;
        if (!value->is_number()) {
            problem(path + "." + key, fmt::format("is {}, not a number", with_article(*value)));
            return std::nullopt;
        }
        return value->get<double>();
    }

    void read_node(const json& j, const std::string& path, topology& tree, node_id parent, unsigned depth) {
        static constexpr std::array<std::string_view, 3> known{"name", "kind", "children"};
        static constexpr std::array<std::string_view, 3> kinds{"root_complex", "switch", "endpoint"};
        if (depth > deepest_tree) return problem(path, fmt::format("a tree deeper than {} levels", deepest_tree));
        if (!is_object(j, path, known)) return;
        topology_node node;
        node.name = text(j, path, "name", true);
        if (!node.name.empty() && !names_.insert(node.name).second)
            problem(path + ".name", fmt::format("a second node named '{}'", node.name));
        const std::string kind = text(j, path, "kind", true);
        const auto at = std::find(kinds.begin(), kinds.end(), kind);
        if (at == kinds.end() && !kind.empty())
            problem(path + ".kind", fmt::format("unknown kind '{}'; known are root_complex, switch, endpoint{}", kind,
                                                config::meant_aside(kind, names_of(kinds))));
        const bool is_root = kind == "root_complex";
        if (at != kinds.end() && is_root != (depth == 0))
            problem(path + ".kind", is_root ? "a root_complex below the root" : "the root must be the root_complex");
        node.kind =
            is_root ? node_kind::root_complex : (kind == "endpoint" ? node_kind::endpoint : node_kind::pcie_switch);
        const json* children = member(j, path, "children", false);
        if (kind == "endpoint") {
            if (children != nullptr && !(children->is_array() && children->empty()))
                problem(path + ".children", "an endpoint has no children");
        }
        const node_id id = tree.add(node, parent);
        if (kind == "endpoint") endpoints_.emplace(node.name, id);
        if (children == nullptr) return;
        if (!children->is_array())
            return problem(path + ".children", fmt::format("is {}, not an array", with_article(*children)));
        for (std::size_t i = 0; i < children->size(); ++i)
            read_node((*children)[i], fmt::format("{}.children[{}]", path, i), tree, id, depth + 1);
    }

    node_id read_end(const json& j, const std::string& path, const char* key) {
        const std::string name = text(j, path, key, true);
        if (name.empty()) return no_node;
        if (const auto found = endpoints_.find(name); found != endpoints_.end()) return found->second;
        problem(path + "." + key, names_.contains(name) ? fmt::format("'{}' is not an endpoint", name)
                                                        : fmt::format("unknown endpoint '{}'{}", name,
                                                                      config::meant_aside(name, names_of(endpoints_))));
        return no_node;
    }

    void read_list(const json& list, const std::string& path, case_input& input) {
        static constexpr std::array<std::string_view, 5> known{"name", "from", "to", "bytes", "start_ms"};
        if (!list.is_array()) return problem(path, fmt::format("is {}, not an array", with_article(list)));
        if (list.empty()) problem(path, "is empty");
        std::unordered_set<std::string> seen;
        for (std::size_t i = 0; i < list.size(); ++i) {
            const std::string here = fmt::format("{}[{}]", path, i);
            const json& j = list[i];
            if (!is_object(j, here, known)) continue;
            communication c;
            c.name = text(j, here, "name", true);
            if (!c.name.empty() && !seen.insert(c.name).second)
                problem(here + ".name", fmt::format("a second communication named '{}'", c.name));
            c.from = read_end(j, here, "from");
            c.to = read_end(j, here, "to");
            if (c.from != no_node && c.from == c.to)
                problem(here + ".to", fmt::format("from and to are both '{}'", input.tree[c.to].name));
            if (const auto bytes = number(j, here, "bytes", true)) {
                if (*bytes >= 1.0 && *bytes <= largest_exact && std::floor(*bytes) == *bytes)
                    c.size.count = static_cast<std::uint64_t>(*bytes);
                else
                    problem(here + ".bytes", fmt::format("{} is not a whole number from 1 to 2^53", *bytes));
            }
            if (const auto start = number(j, here, "start_ms", true)) {
                if (*start >= 0.0)
                    c.start_s = *start * 1e-3;
                else
                    problem(here + ".start_ms", fmt::format("{} is below 0", *start));
            }
            input.communications.push_back(std::move(c));
        }
    }

    std::unordered_set<std::string> names_;
    std::map<std::string, node_id> endpoints_;  // the current case's
};

}  // namespace

case_file parse_cases(std::string_view text) {
    case_file file;
    file.problems = config::read_json(text, [&](const json& document, std::vector<config::json_problem>& problems) {
        reader r(problems);
        if (!document.is_object() || !document.contains("cases") || !document["cases"].is_array())
            return r.problem("", "expected an object with an array 'cases'");
        const json& list = document["cases"];
        for (std::size_t i = 0; i < list.size(); ++i)
            file.cases.push_back(r.read_case(list[i], fmt::format("cases[{}]", i)));
        std::unordered_set<std::string> seen;
        for (std::size_t i = 0; i < file.cases.size(); ++i)
            if (!file.cases[i].name.empty() && !seen.insert(file.cases[i].name).second)
                r.problem(fmt::format("cases[{}].name", i),
                          fmt::format("a second case named '{}'", file.cases[i].name));
    });
    return file;
}

std::string to_text(const config::json_problem& p, std::string_view file) {
    return fmt::format("{}:{}:{}: error: {}{}{}", file, p.line, p.column, p.path, p.path.empty() ? "" : ": ",
                       p.message);
}

case_result evaluate(const case_input& input) {
    const network net(input.tree, input.options);
    const timeline_result run = run_timeline(net, input.communications);
    case_result result{input.name, {}, run.message};
    if (run.status != timeline_result::outcome::finished) return result;
    for (std::size_t c = 0; c < run.communications.size(); ++c)
        result.communications.push_back(
            {input.communications[c].name, run.communications[c].first_factor, run.communications[c].time_s() * 1e3});
    return result;
}

nlohmann::ordered_json to_json(const std::vector<case_result>& results) {
    auto list = nlohmann::ordered_json::array();
    for (const case_result& result : results) {
        nlohmann::ordered_json entry{{"name", result.name}};
        if (!result.error.empty()) {
            entry["error"] = result.error;
        } else {
            entry["communications"] = nlohmann::ordered_json::array();
            for (const auto& row : result.communications)
                entry["communications"].push_back(
                    {{"name", row.name}, {"factor", row.factor}, {"time_ms", row.time_ms}});
        }
        list.push_back(std::move(entry));
    }
    return list;
}

}  // namespace contraflow::pcie::model
