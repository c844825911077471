// SPDX-License-Identifier: Apache-2.0
#include "config/description/scalars.h"

#include <charconv>
#include <cmath>
#include <system_error>

#include <fmt/format.h>

#include "config/text/diagnostics.h"

namespace contraflow::config::scalars {
namespace {

enum class outcome { good, not_whole, too_large };

// A sign and the prefix 0x (base 16) are accepted; everything else must be digits.
template <class T> outcome whole(std::string_view text, T& value, bool negative) {
    const int base = text.starts_with("0x") || text.starts_with("0X") ? 16 : 10;
    if (base == 16) text.remove_prefix(2);
    if (text.empty() || text.find_first_not_of(base == 16 ? "0123456789abcdefABCDEF" : "0123456789") != text.npos) {
        return outcome::not_whole;
    }
    std::string digits(negative ? "-" : "");
    digits += text;
    const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    return failure == std::errc{} ? outcome::good : outcome::too_large;
}

std::string not_whole(std::string_view text) { return fmt::format("{} is not a whole number", quoted(text)); }

}  // namespace

std::string read_boolean(std::string_view text, bool is_quoted, bool& value) {
    if (is_quoted || (text != "true" && text != "false"))
        return fmt::format("{} is neither true nor false", quoted(text));
    value = text == "true";
    return {};
}

std::string read_signed(std::string_view text, bool is_quoted, std::int64_t low, std::int64_t high,
                        std::int64_t& value) {
    if (is_quoted) return fmt::format("the text {} where a whole number is wanted", quoted(text));
    const bool negative = text.starts_with('-');
    const auto digits = negative || text.starts_with('+') ? text.substr(1) : text;
    const auto result = whole(digits, value, negative);
    if (result == outcome::not_whole) return not_whole(text);
    if (result == outcome::too_large || value < low || value > high) {
        return fmt::format("{} does not fit", quoted(text));
    }
    return {};
}

std::string read_unsigned(std::string_view text, bool is_quoted, std::uint64_t high, std::uint64_t& value) {
    if (is_quoted) return fmt::format("the text {} where a whole number is wanted", quoted(text));
    const bool negative = text.starts_with('-');
    const auto result = whole(negative || text.starts_with('+') ? text.substr(1) : text, value, false);
    if (result == outcome::not_whole) return not_whole(text);
    if (negative && (value != 0 || result == outcome::too_large)) return fmt::format("{} is negative", quoted(text));
    if (result == outcome::too_large || value > high) return fmt::format("{} does not fit", quoted(text));
    return {};
}

std::string read_real(std::string_view text, bool is_quoted, double& value) {
    if (is_quoted) return fmt::format("the text {} where a number is wanted", quoted(text));
    auto digits = text;
    if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
    // from_chars accepts "inf" and "nan"; this does not.
    const bool plausible = digits.find_first_not_of("0123456789.eE+-") == digits.npos;
    const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (plausible && failure == std::errc::result_out_of_range) return fmt::format("{} does not fit", quoted(text));
    if (!plausible || failure != std::errc{} || end != digits.data() + digits.size()) {
        return fmt::format("{} is not a number", quoted(text));
    }
    return {};
}

std::string write_real(double value) { return fmt::format("{}", value); }

std::string complaint(std::string_view text, core::unit_error error) {
    switch (error) {
    case core::unit_error::none: return {};
    case core::unit_error::not_a_number: return fmt::format("{} does not begin with a number", quoted(text));
    case core::unit_error::missing_unit: return fmt::format("{} has no unit", quoted(text));
    case core::unit_error::unknown_unit: return fmt::format("{} has an unknown unit", quoted(text));
    case core::unit_error::not_whole: return fmt::format("{} does not come out whole", quoted(text));
    case core::unit_error::negative: return fmt::format("{} is negative", quoted(text));
    case core::unit_error::too_large: return fmt::format("{} does not fit", quoted(text));
    }
    return {};
}

std::string not_a_choice(std::string_view text) { return fmt::format("{} is not a choice", quoted(text)); }

}  // namespace contraflow::config::scalars
