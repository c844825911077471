// SPDX-License-Identifier: Apache-2.0
#include "config/tree/value_path.h"

#include <charconv>
#include <system_error>

#include <fmt/format.h>

namespace contraflow::config {

std::optional<value_path> parse_path(std::string_view text, std::size_t& wrong_at, bool with_every) {
    value_path path;
    std::size_t i = 0;
    while (true) {
        wrong_at = i;
        path_step step;
        step.offset = i;
        const bool after_key = !path.empty();
        if (after_key && with_every && text.substr(i).starts_with("[*]")) {
            step.is_index = step.every = true;
            i += 3;
        } else if (after_key && i < text.size() && text[i] == '[') {
            const auto* first = text.data() + i + 1;
            const auto* last = text.data() + text.size();
            const auto [end, failure] = std::from_chars(first, last, step.index);
            if (failure != std::errc{} || end == last || *end != ']') return std::nullopt;
            step.is_index = true;
            i = static_cast<std::size_t>(end - text.data()) + 1;
        } else {
            if (after_key) step.offset = wrong_at = ++i;  // after the dot
            const auto end = std::min(text.find_first_of(".[] \t=", i), text.size());
            if (end == i) return std::nullopt;
            step.key = text.substr(i, end - i);
            i = end;
        }
        path.push_back(std::move(step));
        if (i == text.size()) return path;
        wrong_at = i;
        if (text[i] != '.' && text[i] != '[') return std::nullopt;
    }
}

std::string to_text(const value_path& path, std::size_t steps) {
    std::string out;
    for (std::size_t i = 0; i < steps; ++i) {
        out = path[i].is_index ? element_path(out, path[i].index) : member_path(out, path[i].key);
    }
    return out;
}

std::string member_path(std::string_view parent, std::string_view key) {
    return parent.empty() ? std::string(key) : fmt::format("{}.{}", parent, key);
}

std::string element_path(std::string_view parent, std::size_t index) { return fmt::format("{}[{}]", parent, index); }

}  // namespace contraflow::config
