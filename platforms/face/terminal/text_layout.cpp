// SPDX-License-Identifier: Apache-2.0
#include "face/terminal/text_layout.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include <fmt/format.h>

namespace contraflow::face {
namespace {

struct code_point {
    char32_t value = 0;
    std::size_t length = 0;  // bytes; 0: not UTF-8
};

code_point decode(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    if (first < 0x80) return {first, 1};
    const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || text.size() < length) return {};
    char32_t value = first & (0xFFU >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xC0U) != 0x80) return {};
        value = (value << 6U) | (byte(i) & 0x3FU);
    }
    const bool overlong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
    if (overlong || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return {};
    return {value, length};
}

using range = std::pair<char32_t, char32_t>;
bool in_any(char32_t c, const range* begin, const range* end) {
    return std::any_of(begin, end, [c](const range& r) { return c >= r.first && c <= r.second; });
}

// Unicode 15, reduced to the blocks that names and notes may hold.
constexpr std::array zero_width{range{0x300, 0x36F},   range{0x1AB0, 0x1AFF}, range{0x1DC0, 0x1DFF},
                                range{0x200B, 0x200F}, range{0x20D0, 0x20FF}, range{0xFE00, 0xFE0F},
                                range{0xFE20, 0xFE2F}, range{0xFEFF, 0xFEFF}};
constexpr std::array double_width{range{0x1100, 0x115F},   range{0x2E80, 0x303E},   range{0x3041, 0x4DBF},
                                  range{0x4E00, 0xA4CF},   range{0xAC00, 0xD7A3},   range{0xF900, 0xFAFF},
                                  range{0xFE30, 0xFE6F},   range{0xFF00, 0xFF60},   range{0xFFE0, 0xFFE6},
                                  range{0x1F300, 0x1F64F}, range{0x1F900, 0x1F9FF}, range{0x20000, 0x3FFFD}};

std::size_t width_of(char32_t c) {
    if (in_any(c, zero_width.data(), zero_width.data() + zero_width.size())) return 0;
    return in_any(c, double_width.data(), double_width.data() + double_width.size()) ? 2 : 1;
}

// The bytes of `text` that fit into `width` columns, at least one character.
std::size_t prefix_that_fits(std::string_view text, std::size_t width) {
    std::size_t used = 0;
    std::size_t at = 0;
    while (at < text.size()) {
        const code_point c = decode(text.substr(at));
        const std::size_t length = std::max<std::size_t>(c.length, 1);
        used += width_of(c.value);
        if (used > width && at > 0) break;
        at += length;
    }
    return at;
}

void wrap_line(std::string_view line, std::size_t width, std::vector<std::string>& out) {
    std::string current;
    std::size_t current_width = 0;
    const auto flush = [&] {
        out.push_back(std::move(current));
        current.clear();
        current_width = 0;
    };
    while (!line.empty()) {
        const std::size_t space = std::min(line.find(' '), line.size());
        std::string_view word = line.substr(0, space);
        line.remove_prefix(std::min(space + 1, line.size()));
        if (word.empty()) continue;
        if (current_width > 0 && current_width + 1 + display_width(word) > width) flush();
        while (display_width(word) > width) {
            const std::size_t fits = prefix_that_fits(word, width);
            out.emplace_back(word.substr(0, fits));
            word.remove_prefix(fits);
        }
        if (word.empty()) continue;
        if (current_width > 0) {
            current += ' ';
            ++current_width;
        }
        current += word;
        current_width += display_width(word);
    }
    if (current_width > 0) flush();
}

constexpr double most_in_digits = 1e15;  // larger numbers are shown with an exponent
constexpr int significant = 3;           // digits of a number that its column shows at least

// The power of ten of a number's first digit.
int magnitude(double value) { return static_cast<int>(std::floor(std::log10(std::abs(value)))); }

std::string with_decimals(double value, int decimals) {
    std::string text = fmt::format("{:.{}f}", std::abs(value), decimals);
    const std::size_t point = std::min(text.find('.'), text.size());
    for (std::size_t at = point; at > 3; at -= 3) text.insert(at - 3, ",");
    return (value < 0 ? "-" : "") + text;
}

// Whether so many decimals show a number exactly, or with enough of its digits.
bool shown_well(double value, int decimals) {
    if (value == 0 || decimals >= significant - 1 - magnitude(value)) return true;
    const double scaled = std::abs(value) * std::pow(10.0, decimals);
    return std::abs(scaled - std::round(scaled)) < 1e-9 * scaled;
}

// The decimals of a column: enough for four digits of its largest number and three of each other, unless that is more
// than its readers want.
int shared_decimals(const std::vector<double>& values) {
    constexpr int most_for_a_small_number = 3;
    int decimals = 0;
    double largest = 0;
    bool whole = true;
    for (const double v : values) {
        if (!std::isfinite(v)) continue;
        largest = std::max(largest, std::abs(v));
        whole = whole && v == std::floor(v);
        for (int d = 0; d <= most_for_a_small_number; ++d) {
            if (!shown_well(v, d)) continue;
            decimals = std::max(decimals, d);
            break;
        }
    }
    if (whole) return 0;
    return std::max(decimals, std::clamp(significant - magnitude(largest), 0, 6));
}

}  // namespace

std::string printable(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const code_point c = decode(text);
        if (c.length == 0) {
            out += "\xEF\xBF\xBD";
            text.remove_prefix(1);
            continue;
        }
        const bool control = (c.value < 0x20 && c.value != '\n') || (c.value >= 0x7F && c.value < 0xA0);
        if (control)
            out += '?';
        else
            out += text.substr(0, c.length);
        text.remove_prefix(c.length);
    }
    return out;
}

std::size_t display_width(std::string_view text) {
    std::size_t width = 0;
    while (!text.empty()) {
        const code_point c = decode(text);
        width += width_of(c.value);
        text.remove_prefix(std::max<std::size_t>(c.length, 1));
    }
    return width;
}

std::string pad_right(std::string_view text, std::size_t width) {
    const std::size_t used = display_width(text);
    return std::string(text) + std::string(used < width ? width - used : 0, ' ');
}

std::string pad_left(std::string_view text, std::size_t width) {
    const std::size_t used = display_width(text);
    return std::string(used < width ? width - used : 0, ' ') + std::string(text);
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
    std::vector<std::string> out;
    width = std::max<std::size_t>(width, 1);
    for (;;) {
        const std::size_t newline = text.find('\n');
        const std::size_t before = out.size();
        wrap_line(text.substr(0, newline), width, out);
        if (out.size() == before) out.emplace_back();  // an empty line stays one
        if (newline == std::string_view::npos) return out;
        text.remove_prefix(newline + 1);
    }
}

std::string with_separators(std::uint64_t value) {
    const std::string digits = fmt::format("{}", value);
    std::string out;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i > 0 && (digits.size() - i) % 3 == 0) out += ',';
        out += digits[i];
    }
    return out;
}

std::string with_separators(std::int64_t value) {
    if (value >= 0) return with_separators(static_cast<std::uint64_t>(value));
    return fmt::format("-{}", with_separators(std::uint64_t{0} - static_cast<std::uint64_t>(value)));
}

std::string with_prefix(double value) {
    constexpr std::array prefixes{"", "k", "M", "G", "T"};
    std::size_t step = 0;
    while (std::abs(value) >= 999.5 && step + 1 < prefixes.size()) {
        value /= 1000;
        ++step;
    }
    return fmt::format("{:.3g}{}", value, prefixes[step]);
}

std::string duration_text(double seconds) {
    if (!(seconds >= 0)) return "?";
    if (seconds < 0.9995) return fmt::format("{:.0f}ms", seconds * 1e3);
    if (seconds < 9.95) return fmt::format("{:.1f}s", seconds);
    if (seconds > 3.6e6) return ">1000h";
    const auto whole = static_cast<std::int64_t>(std::llround(seconds));
    if (whole < 60) return fmt::format("{}s", whole);
    if (whole < 3600) return fmt::format("{}m{:02}s", whole / 60, whole % 60);
    return fmt::format("{}h{:02}m", whole / 3600, whole % 3600 / 60);
}

namespace {

struct sized_unit {
    std::string_view name;
    double size;
};
constexpr std::array times{sized_unit{"ps", 1}, sized_unit{"ns", 1e3}, sized_unit{"us", 1e6}, sized_unit{"ms", 1e9},
                           sized_unit{"s", 1e12}};
constexpr std::array sizes{sized_unit{"B", 1}, sized_unit{"KiB", 1024}, sized_unit{"MiB", 1048576},
                           sized_unit{"GiB", 1073741824}, sized_unit{"TiB", 1099511627776}};

// "8.029 ns" of 8.029e-06 ms; "" if the unit has no smaller one.
std::string in_own_unit(double value, std::string_view unit) {
    for (const auto& units : {std::span<const sized_unit>(times), std::span<const sized_unit>(sizes)}) {
        const auto given = std::ranges::find(units, unit, &sized_unit::name);
        if (given == units.end()) continue;
        const double smallest = value * given->size;
        const auto above =
            std::find_if(units.begin(), given, [&](const sized_unit& u) { return u.size > std::abs(smallest); });
        const sized_unit& own = above == units.begin() ? units.front() : *(above - 1);
        return fmt::format("{:.4g} {}", smallest / own.size, own.name);
    }
    return {};
}

}  // namespace

std::vector<std::string> number_column(const std::vector<double>& values, std::string_view unit) {
    const int decimals = shared_decimals(values);
    std::vector<std::string> out;
    out.reserve(values.size());
    for (const double v : values) {
        if (!std::isfinite(v))
            out.emplace_back("-");
        else if (std::abs(v) >= most_in_digits || !shown_well(v, decimals)) {
            const std::string own = std::abs(v) < 1 ? in_own_unit(v, unit) : std::string();
            out.push_back(own.empty() ? fmt::format("{:.4g}", v) : own);
        } else
            out.push_back(with_decimals(v, decimals));
    }
    return out;
}

}  // namespace contraflow::face
