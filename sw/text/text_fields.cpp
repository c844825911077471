// SPDX-License-Identifier: Apache-2.0
#include "text/text_fields.h"

#include <charconv>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "config/text/file_form.h"
#include "config/text/input_watch.h"

namespace contraflow::text {
namespace {

constexpr std::string_view blanks = " \t";

// std::from_chars takes no plus sign.
std::string_view without_plus(std::string_view text) {
    if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
    return text;
}

// The whole text as a number; an error code as of std::from_chars.
template <class T> std::errc read_number(std::string_view text, T& value) {
    const std::string_view digits = without_plus(text);
    const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (failure != std::errc{}) return failure;
    return end == digits.data() + digits.size() ? std::errc{} : std::errc::invalid_argument;
}

}  // namespace

input_error::input_error(config::location at, const std::string& message, std::string allowed)
    : std::runtime_error(fmt::format("{}{}{}; {}", config::to_text(at), at.file.empty() ? "" : ": ", message, allowed)),
      at_(std::move(at)),
      message_(message),
      allowed_(std::move(allowed)) {}

void report(const input_error& e, const config::location& named_at, config::diagnostics& diag) {
    const config::location& at = e.where();
    if (at.line != 0 || named_at.line == 0)
        return diag.error(at.file.empty() ? named_at : at, e.message(), e.allowed());
    diag.error(named_at, at.file.empty() ? e.message() : fmt::format("{}: {}", at.file, e.message()), e.allowed());
}

std::string file_beside(const config::location& named_at, const std::string& file) {
    if (file.empty()) return file;
    const auto beside = std::filesystem::path(named_at.file).parent_path() / file;
    std::error_code ignored;
    return std::filesystem::exists(beside, ignored) ? beside.string() : file;
}

std::ifstream open_text(const std::string& path, const std::string& what) {
    const std::string allowed = "a text file that can be read is needed";
    if (path.empty()) throw input_error({"", 0, 0}, "no file is named", allowed);
    std::error_code failure;
    const auto status = std::filesystem::status(path, failure);
    if (status.type() == std::filesystem::file_type::not_found)
        throw input_error({path, 0, 0}, "there is no such file", allowed);
    if (status.type() == std::filesystem::file_type::directory)
        throw input_error({path, 0, 0}, "this is a directory", allowed);
    std::ifstream in(path, std::ios::binary);
    if (!in) throw input_error({path, 0, 0}, "the file can't be opened", allowed);
    config::tell_input(what, path, nullptr);
    return in;
}

text_fields::text_fields(std::istream& in, std::string name, std::string_view comment_marks)
    : in_(in),
      name_(std::move(name)),
      comment_marks_(comment_marks) {}

int text_fields::next_byte() {
    try {
        return in_.rdbuf()->sbumpc();
    } catch (const std::ios_base::failure&) { refuse("reading fails here", "a text file that can be read is needed"); }
}

bool text_fields::next_line_of_any_kind() {
    line_.clear();
    next_ = column_ = 0;
    constexpr int end = std::istream::traits_type::eof();
    int c = next_byte();
    ++number_;
    if (c == end) return false;
    bool too_long = false;
    for (; c != end && c != '\n'; c = next_byte()) {
        if (line_.size() < longest_line)
            line_.push_back(static_cast<char>(c));
        else if (!std::exchange(too_long, true) && !is_blank_or_comment())
            refuse(fmt::format("the line is longer than {} bytes", longest_line), "shorter lines are needed");
    }
    if (!line_.empty() && line_.back() == '\r') line_.pop_back();
    return true;
}

bool text_fields::is_blank_or_comment() const {
    const std::size_t first = line_.find_first_not_of(blanks);
    return first == std::string::npos || comment_marks_.find(line_[first]) != std::string::npos;
}

bool text_fields::next_line() {
    while (next_line_of_any_kind()) {
        if (is_blank_or_comment()) continue;
        // A terminal must be able to show what a message repeats of it.
        if (const auto fault = config::fault_of_text(line_)) {
            column_ = fault->column - 1;
            refuse(fault->why, "text in UTF-8 is needed");
        }
        return true;
    }
    return false;
}

bool text_fields::more() {
    next_ = std::min(line_.find_first_not_of(blanks, next_), line_.size());
    return next_ < line_.size();
}

std::string_view text_fields::field(std::string_view what) {
    const bool found = more();
    column_ = next_;
    if (!found) refuse(fmt::format("the line ends before {}", what), fmt::format("{} is needed here", what));
    next_ = std::min(line_.find_first_of(blanks, next_), line_.size());
    return std::string_view(line_).substr(column_, next_ - column_);
}

std::uint64_t text_fields::whole(std::string_view what, std::uint64_t low, std::uint64_t high) {
    const std::string_view text = field(what);
    std::uint64_t value = 0;
    const std::errc failure = read_number(text, value);
    if (failure != std::errc{} || value < low || value > high)
        refuse(fmt::format("{} is not {}", config::quoted(text), what),
               fmt::format("a whole number from {} to {} is allowed", low, high));
    return value;
}

std::int64_t text_fields::signed_whole(std::string_view what) {
    const std::string_view text = field(what);
    std::int64_t value = 0;
    if (read_number(text, value) != std::errc{})
        refuse(fmt::format("{} is not {}", config::quoted(text), what), "a whole number of 64 bits is allowed");
    return value;
}

double text_fields::real(std::string_view what) {
    const std::string_view text = field(what);
    double value = 0;
    // from_chars would take "inf" and "nan".
    if (read_number(text, value) != std::errc{} || !std::isfinite(value))
        refuse(fmt::format("{} is not {}", config::quoted(text), what),
               "a finite number such as -1.5 or 2e-3 is allowed");
    return value;
}

void text_fields::end_of_line() {
    if (!more()) return;
    const std::string_view text = field("");
    refuse(fmt::format("{} is one field too many", config::quoted(text)), "the line must end here");
}

void text_fields::refuse(const std::string& message, const std::string& allowed) const {
    throw input_error({name_, number_, static_cast<unsigned>(column_ + 1)}, message, allowed);
}

}  // namespace contraflow::text
