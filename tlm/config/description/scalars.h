// SPDX-License-Identifier: Apache-2.0
// Text to and from the scalars of a configuration. Each reader returns an error message, or an empty text.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/units.h"

namespace contraflow::config::scalars {

std::string read_boolean(std::string_view text, bool is_quoted, bool& value);
std::string read_signed(std::string_view text, bool is_quoted, std::int64_t low, std::int64_t high,
                        std::int64_t& value);
std::string read_unsigned(std::string_view text, bool is_quoted, std::uint64_t high, std::uint64_t& value);
std::string read_real(std::string_view text, bool is_quoted, double& value);
std::string write_real(double value);
// The message for a failed core::parse_unit.
std::string complaint(std::string_view text, core::unit_error error);
std::string not_a_choice(std::string_view text);

// The unit texts that core::parse_unit reads, as ECMA regular expressions for a schema.
template <class Quantity> struct quantity_traits;
#define CONTRAFLOW_UNITS(units) "^\\s*\\+?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)?\\s*(" units ")\\s*$"
template <> struct quantity_traits<core::bytes> {
    static constexpr std::string_view name = "size", pattern = CONTRAFLOW_UNITS("([kKMGT]|[kKMGT]i)?B");
};
template <> struct quantity_traits<core::bandwidth> {
    static constexpr std::string_view name = "bandwidth",
                                      pattern = CONTRAFLOW_UNITS("([kKMGT]|[kKMGT]i)?B/s|[kMGT]?b/s");
};
template <> struct quantity_traits<core::cycles> {
    static constexpr std::string_view name = "cycles", pattern = CONTRAFLOW_UNITS("cycles?|[kM]?cy");
};
template <> struct quantity_traits<core::frequency> {
    static constexpr std::string_view name = "frequency", pattern = CONTRAFLOW_UNITS("[kMG]?Hz");
};
template <> struct quantity_traits<core::sim_time> {
    static constexpr std::string_view name = "time", pattern = CONTRAFLOW_UNITS("[pnum]?s");
};
#undef CONTRAFLOW_UNITS

}  // namespace contraflow::config::scalars
