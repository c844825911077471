// SPDX-License-Identifier: Apache-2.0
#include "workloads/sparse/matrix_market.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include <fmt/format.h>

#include "text/text_fields.h"

namespace contraflow::workloads {
namespace {

enum class field_kind { real, integer, pattern };

struct header {
    field_kind field = field_kind::real;
    bool symmetric = false;
    std::uint32_t rows = 0;
    std::uint32_t columns = 0;
    std::uint64_t entries = 0;  // lines that follow
};

std::string lower_case(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
    return out;
}

// The index of the word that comes next.
template <std::size_t N>
std::size_t choice(text::text_fields& text, std::string_view what, const std::array<std::string_view, N>& words) {
    const std::string word = lower_case(text.field(what));
    const auto found = std::find(words.begin(), words.end(), word);
    if (found == words.end())
        text.refuse(fmt::format("{} is not {} that is read here", config::quoted(word), what),
                    fmt::format("{} is allowed", fmt::join(words, " or ")));
    return static_cast<std::size_t>(found - words.begin());
}

header read_header(text::text_fields& text, const matrix_limits& limits) {
    constexpr std::string_view banner = "%%MatrixMarket";
    const bool has_line = text.next_line_of_any_kind();
    if (!has_line || text.field("the banner") != banner)
        text.refuse("the text is no Matrix Market file",
                    fmt::format("the first line is '{} matrix coordinate real general' or alike", banner));
    choice(text, "an object", std::array<std::string_view, 1>{"matrix"});
    choice(text, "a format", std::array<std::string_view, 1>{"coordinate"});
    header h;
    h.field =
        static_cast<field_kind>(choice(text, "a field", std::array<std::string_view, 3>{"real", "integer", "pattern"}));
    h.symmetric = choice(text, "a symmetry", std::array<std::string_view, 2>{"general", "symmetric"}) == 1;
    text.end_of_line();

    if (!text.next_line()) text.refuse("the text ends before the line of sizes", "'rows columns entries' is needed");
    h.rows = static_cast<std::uint32_t>(text.whole("a number of rows", 1, limits.rows));
    h.columns = static_cast<std::uint32_t>(text.whole("a number of columns", 1, limits.rows));
    if (h.symmetric && h.columns != h.rows)
        text.refuse(fmt::format("a symmetric matrix of {} by {}", h.rows, h.columns), "it must be square");
    const std::uint64_t places = std::uint64_t{h.rows} * h.columns;
    h.entries = text.whole("a number of entries", 0, std::min(limits.entries, places));
    text.end_of_line();
    return h;
}

matrix_entry read_entry(text::text_fields& text, const header& h) {
    matrix_entry e;
    e.row = static_cast<std::uint32_t>(text.whole("a row", 1, h.rows)) - 1;
    const std::uint64_t column =
        h.symmetric ? text.whole("a column of the lower triangle", 1, e.row + 1) : text.whole("a column", 1, h.columns);
    e.column = static_cast<std::uint32_t>(column) - 1;
    switch (h.field) {
    case field_kind::real: e.value = text.real("a value"); break;
    case field_kind::integer: e.value = static_cast<double>(text.signed_whole("a value")); break;
    case field_kind::pattern: e.value = 1; break;
    }
    text.end_of_line();
    return e;
}

}  // namespace

entry_list read_matrix_market(std::istream& in, const std::string& name, const matrix_limits& limits) {
    text::text_fields text(in, name, "%");
    const header h = read_header(text, limits);
    entry_list list{h.rows, h.columns, {}};
    for (std::uint64_t i = 0; i < h.entries; ++i) {
        if (!text.next_line())
            text.refuse(fmt::format("the text ends after {} entries", i), fmt::format("{} are announced", h.entries));
        const matrix_entry e = read_entry(text, h);
        list.entries.push_back(e);
        if (h.symmetric && e.row != e.column) list.entries.push_back({e.column, e.row, e.value});
        if (list.entries.size() > limits.entries)
            text.refuse("the completed matrix has too many entries",
                        fmt::format("at most {} are allowed", limits.entries));
    }
    if (text.next_line())
        text.refuse("there is another line after the last entry", fmt::format("{} are announced", h.entries));
    return list;
}

entry_list read_matrix_market(const std::string& path, const matrix_limits& limits) {
    std::ifstream in = text::open_text(path, "matrix");
    return read_matrix_market(in, path, limits);
}

}  // namespace contraflow::workloads
