// SPDX-License-Identifier: Apache-2.0
#include "observe/waves/wave_names.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

namespace contraflow::observe {
namespace {

struct scope {
    std::string_view name;
    std::vector<std::uint32_t> signals;
    std::vector<scope> inner;

    scope& enter(std::string_view wanted) {
        for (auto& s : inner)
            if (s.name == wanted) return s;
        inner.push_back({wanted, {}, {}});
        return inner.back();
    }
    void append_to(std::vector<std::uint32_t>& order) const {
        order.insert(order.end(), signals.begin(), signals.end());
        for (const auto& s : inner) s.append_to(order);
    }
};

}  // namespace

std::string checked_wave_name(std::string name) {
    if (name.empty() || name.front() == '.' || name.back() == '.' || name.find("..") != std::string::npos)
        throw std::logic_error(fmt::format("waves: '{}' is not the name of a signal", name));
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c <= ' ' || c > '~'; }, '_');
    return name;
}

std::vector<std::string_view> parts_of(std::string_view name) {
    std::vector<std::string_view> parts;
    for (std::size_t dot; (dot = name.find('.')) != std::string_view::npos; name.remove_prefix(dot + 1))
        parts.push_back(name.substr(0, dot));
    parts.push_back(name);
    return parts;
}

std::string_view scope_of(std::string_view name) {
    const auto dot = name.rfind('.');
    return dot == std::string_view::npos ? std::string_view{} : name.substr(0, dot);
}

std::vector<std::uint32_t> order_by_scope(const std::vector<std::string_view>& names) {
    scope top;
    for (std::uint32_t i = 0; i < names.size(); ++i) {
        scope* at = &top;
        const auto parts = parts_of(names[i]);
        for (std::size_t p = 0; p + 1 < parts.size(); ++p) at = &at->enter(parts[p]);
        at->signals.push_back(i);
    }
    std::vector<std::uint32_t> order;
    order.reserve(names.size());
    top.append_to(order);
    return order;
}

std::string wave_code(std::size_t number) {
    std::string code;
    for (++number; number > 0; number = (number - 1) / 94) code += static_cast<char>('!' + (number - 1) % 94);
    return code;
}

std::string bit_range(unsigned bits) { return bits == 1 ? std::string{} : fmt::format("[{}:0]", bits - 1); }

}  // namespace contraflow::observe
