// SPDX-License-Identifier: Apache-2.0
#include "sweep/labels.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "core/units.h"

namespace contraflow::sweep {
namespace {

struct split_label {
    double number = 0;
    std::string_view unit;
};

std::optional<split_label> split(std::string_view label) {
    split_label out;
    const auto read = std::from_chars(label.data(), label.data() + label.size(), out.number);
    if (read.ec != std::errc()) return std::nullopt;
    out.unit = label.substr(static_cast<std::size_t>(read.ptr - label.data()));
    out.unit.remove_prefix(std::min(out.unit.find_first_not_of(' '), out.unit.size()));
    return out;
}

template <class Quantity> std::optional<double> in_base_unit(std::string_view label) {
    const auto parsed = core::parse_unit<Quantity>(label);
    if (!parsed) return std::nullopt;
    if constexpr (std::is_same_v<Quantity, core::bytes> || std::is_same_v<Quantity, core::cycles>)
        return static_cast<double>(parsed.value.count);
    else if constexpr (std::is_same_v<Quantity, core::bandwidth>)
        return parsed.value.bytes_per_s;
    else if constexpr (std::is_same_v<Quantity, core::frequency>)
        return parsed.value.hz;
    else
        return static_cast<double>(parsed.value.ps) / 1000;
}

struct base_unit {
    std::string_view name;
    std::optional<double> (*read)(std::string_view);
};
constexpr std::array base_units{
    base_unit{"B", in_base_unit<core::bytes>}, base_unit{"B/s", in_base_unit<core::bandwidth>},
    base_unit{"cycles", in_base_unit<core::cycles>}, base_unit{"Hz", in_base_unit<core::frequency>},
    base_unit{"ns", in_base_unit<core::sim_time>}};

// The numbers are in the smallest of the units in the labels.
std::optional<number_series> read_all(const std::vector<std::string>& labels, const base_unit& unit) {
    number_series out{std::string(unit.name), {}};
    double smallest = 0;
    for (const std::string& label : labels) {
        const auto number = unit.read(label);
        if (!number) return std::nullopt;
        out.numbers.push_back(*number);
        const std::string_view written = split(label)->unit;
        const auto one = written.empty() ? std::nullopt : unit.read(fmt::format("1{}", written));
        if (!one || (smallest > 0 && *one >= smallest)) continue;
        smallest = *one;
        out.unit = written;
    }
    if (smallest > 0) {
        for (double& n : out.numbers) n /= smallest;
    }
    return out;
}

}  // namespace

std::optional<number_series> as_numbers(const std::vector<std::string>& labels) {
    if (labels.empty()) return std::nullopt;
    number_series plain;
    bool same_unit = true;
    for (const std::string& label : labels) {
        const auto parts = split(label);
        if (!parts) return std::nullopt;
        plain.numbers.push_back(parts->number);
        if (plain.numbers.size() == 1)
            plain.unit = parts->unit;
        else
            same_unit = same_unit && parts->unit == plain.unit;
    }
    if (same_unit && plain.unit.empty()) return plain;
    for (const base_unit& unit : base_units) {
        auto in_base = read_all(labels, unit);
        if (in_base) return same_unit ? plain : in_base;
    }
    return std::nullopt;
}

}  // namespace contraflow::sweep
