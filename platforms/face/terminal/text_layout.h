// SPDX-License-Identifier: Apache-2.0
// Text in columns: the width of UTF-8 text on a terminal, padding, wrapping, and numbers for people to read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace contraflow::face {

// Text that cannot upset a terminal: control characters except '\n' become '?', bytes that are not UTF-8 become U+FFFD.
std::string printable(std::string_view text);

// Terminal columns that printable text takes: wide characters two, combining ones none.
std::size_t display_width(std::string_view text);

std::string pad_right(std::string_view text, std::size_t width);
std::string pad_left(std::string_view text, std::size_t width);

// Lines of at most `width` columns, broken at spaces, inside a word only where it alone is too long. Nothing is lost.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

// 81204 -> "81,204".
std::string with_separators(std::int64_t value);
std::string with_separators(std::uint64_t value);
// Three significant digits and a decimal prefix: 2134567 -> "2.13M".
std::string with_prefix(double value);
// Rounded for reading: "850ms", "12s", "1m12s", "3h05m".
std::string duration_text(double seconds);

// Numbers of one column. They share as many decimals as its largest needs for four significant digits and each other
// for three; a number that needs more than three decimals for this, and more than the largest, keeps its own digits. Of
// a time or of bytes, one below 1 then has its own unit: "8.029 ns" in a column of ms.
std::vector<std::string> number_column(const std::vector<double>& values, std::string_view unit = {});

}  // namespace contraflow::face
