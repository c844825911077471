// SPDX-License-Identifier: Apache-2.0
#include "sweep/points.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace contraflow::sweep {
namespace {

using config::free_value;
using config::node_kind;

assignment make_assignment(const free_value& key, const free_value& value) {
    const bool is_text = value.kind == node_kind::scalar;
    return {key.text, is_text ? value.text : to_yaml(value), to_yaml(value), key.at, value.at};
}

class expander {
public:
    expander(const sweep_spec& spec, config::diagnostics& diag) : spec_(spec), diag_(diag) {}

    expansion run() {
        if (spec_.set) read_map(*spec_.set, "set", out_.common);
        for (const assignment& a : out_.common) {
            if (a.key == configuration_key)
                diag_.error(a.key_at, "'configuration' is no key of a configuration", "it stands beside `set`");
        }
        read_list();
        read_grid();
        check_keys();
        if (!diag_.failed()) combine();
        return std::move(out_);
    }

private:
    bool is_kind(const free_value& value, node_kind wanted, std::string_view what, std::string_view form) {
        if (value.kind == wanted) return true;
        if (value.kind != node_kind::unusable)
            diag_.error(value.at, fmt::format("{} is wanted here", what), std::string(form));
        return false;
    }

    void read_map(const free_value& map, std::string_view name, std::vector<assignment>& into) {
        if (!is_kind(map, node_kind::map, "a map of key to value", fmt::format("such as {}: {{link.lanes: 4}}", name)))
            return;
        for (std::size_t i = 0; i < map.items.size(); ++i) into.push_back(make_assignment(map.keys[i], map.items[i]));
    }

    void read_list() {
        if (!spec_.list) return;
        if (!is_kind(*spec_.list, node_kind::list, "a list of maps",
                     "such as list: [{link.lanes: 4}, {link.lanes: 8}]"))
            return;
        if (spec_.list->items.empty()) diag_.error(spec_.list->at, "the list is empty: there is nothing to run");
        for (const free_value& item : spec_.list->items) read_map(item, "list", list_.emplace_back());
    }

    void read_grid() {
        if (!spec_.grid) return;
        constexpr auto form = "such as grid: {link.lanes: [4, 8], seed: [1, 2, 3]}";
        const free_value& grid = *spec_.grid;
        if (!is_kind(grid, node_kind::map, "a map of key to list of values", form)) return;
        for (std::size_t i = 0; i < grid.items.size(); ++i) {
            const free_value& values = grid.items[i];
            if (!is_kind(values, node_kind::list, fmt::format("a list of values for '{}'", grid.keys[i].text),
                         values.kind == node_kind::scalar ? fmt::format("write [{}], or move it to `set`", values.text)
                                                          : form))
                continue;
            if (values.items.empty()) diag_.error(values.at, "the list is empty: there is nothing to run");
            auto& dimension = grid_.emplace_back();
            for (const free_value& value : values.items) {
                auto one = make_assignment(grid.keys[i], value);
                if (std::any_of(dimension.begin(), dimension.end(),
                                [&](const assignment& other) { return other.value == one.value; }))
                    diag_.error(value.at, fmt::format("{} is in the list already", one.value), "each once");
                dimension.push_back(std::move(one));
            }
        }
    }

    // Every key is given by one of set, list and grid.
    void check_keys() {
        const auto is_common = [this](const std::string& key) {
            return std::any_of(out_.common.begin(), out_.common.end(),
                               [&](const assignment& a) { return a.key == key; });
        };
        const auto twice = [this](const assignment& a, std::string_view where) {
            diag_.error(a.key_at, fmt::format("{} is given by `{}` as well", config::quoted(a.key), where));
        };
        for (const auto& entry : list_) {
            for (const assignment& a : entry) {
                if (is_common(a.key)) twice(a, "set");
                add_key(a.key);
            }
        }
        const std::vector<std::string> listed = out_.keys;
        for (const auto& dimension : grid_) {
            if (dimension.empty()) continue;
            const assignment& a = dimension.front();
            if (is_common(a.key)) twice(a, "set");
            if (std::find(listed.begin(), listed.end(), a.key) != listed.end()) twice(a, "list");
            add_key(a.key);
        }
    }

    void add_key(const std::string& key) {
        if (std::find(out_.keys.begin(), out_.keys.end(), key) == out_.keys.end()) out_.keys.push_back(key);
    }

    void combine() {
        if (list_.empty()) list_.emplace_back();
        std::size_t combinations = 1;
        for (const auto& dimension : grid_) {
            combinations *= dimension.size();
            if (combinations * list_.size() > most_points) {
                diag_.error(dimension.front().key_at, fmt::format("more than {} points", most_points));
                return;
            }
        }
        for (const auto& entry : list_) {
            for (std::size_t n = 0; n < combinations; ++n) out_.points.push_back(point(entry, n));
        }
    }

    std::vector<assignment> point(std::vector<assignment> assignments, std::size_t n) const {
        std::vector<std::size_t> digits(grid_.size());
        for (std::size_t d = grid_.size(); d-- > 0; n /= grid_[d].size()) digits[d] = n % grid_[d].size();
        for (std::size_t d = 0; d < grid_.size(); ++d) assignments.push_back(grid_[d][digits[d]]);
        return assignments;
    }

    const sweep_spec& spec_;
    config::diagnostics& diag_;
    expansion out_;
    std::vector<std::vector<assignment>> list_, grid_;
};

}  // namespace

std::optional<std::string_view> part_below(std::string_view key, std::string_view whole) {
    constexpr std::string_view every = "[*]";
    std::size_t k = 0, w = 0;
    while (w < whole.size()) {
        if (k == key.size()) return std::nullopt;
        if (whole.substr(w).starts_with(every) && key[k] == '[') {
            k = std::min(key.find(']', k), key.size() - 1) + 1;
            w += every.size();
        } else if (key[k++] != whole[w++]) {
            return std::nullopt;
        }
    }
    if (k < key.size() && key[k] != '.' && key[k] != '[') return std::nullopt;
    return key.substr(k);
}

expansion expand(const sweep_spec& spec, config::diagnostics& diag) { return expander(spec, diag).run(); }

}  // namespace contraflow::sweep
