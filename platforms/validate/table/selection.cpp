// SPDX-License-Identifier: Apache-2.0
#include "validate/table/selection.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "config/text/diagnostics.h"

namespace contraflow::validate {
namespace {

bool same_name(const std::string& a, const std::string& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

template <class Row> bool is_called(const Row& r, const std::string& name) {
    return same_name(r.id, name) || same_name(group_of(r), name);
}

}  // namespace

template <class Row>
std::vector<const Row*> choose(const selection& wanted, const std::vector<Row>& table,
                               std::vector<std::string>& unknown) {
    for (const auto& name : wanted.rows)
        if (std::none_of(table.begin(), table.end(), [&](const Row& r) { return is_called(r, name); }))
            unknown.push_back(name);
    std::vector<const Row*> chosen;
    for (const Row& r : table) {
        const bool named = std::any_of(wanted.rows.begin(), wanted.rows.end(),
                                       [&](const std::string& name) { return is_called(r, name); });
        if (named || (wanted.rows.empty() && (r.quick || wanted.all))) chosen.push_back(&r);
    }
    return chosen;
}

template <class Row> std::string unknown_text(const std::string& name, const std::vector<Row>& table) {
    std::vector<std::string> known;
    for (const Row& r : table)
        for (const auto& other : {group_of(r), r.id})
            if (std::find(known.begin(), known.end(), other) == known.end()) known.push_back(other);
    std::string upper = name;
    std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
    const std::string otherwise =
        config::meant_aside(name, known, fmt::format("; there are {} to {}", known.front(), known.back()));
    return fmt::format("no row {}{}", config::quoted(name), config::meant_aside(upper, known, otherwise));
}

template std::vector<const row*> choose(const selection&, const std::vector<row>&, std::vector<std::string>&);
template std::vector<const experiment*> choose(const selection&, const std::vector<experiment>&,
                                               std::vector<std::string>&);
template std::string unknown_text(const std::string&, const std::vector<row>&);
template std::string unknown_text(const std::string&, const std::vector<experiment>&);

}  // namespace contraflow::validate
