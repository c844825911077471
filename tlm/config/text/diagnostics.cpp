// SPDX-License-Identifier: Apache-2.0
#include "config/text/diagnostics.h"

#include <algorithm>
#include <limits>
#include <ostream>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace contraflow::config {
namespace {

constexpr std::size_t widest_line = 120;

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0u) == 0x80u; }
bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text)
        if (c == '\n')
            out += "\\n";
        else if (c == '\t')
            out += "\\t";
        else if (is_control(c))
            out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
        else
            out += c;
    return out;
}

// Finds lines of a text by offset; fast if they are asked for in order.
class line_finder {
public:
    std::string_view find(const std::string& text, unsigned line) {
        if (&text != text_ || line < line_) {
            text_ = &text;
            line_ = 1;
            begin_ = 0;
        }
        for (; line_ < line && begin_ != std::string::npos; ++line_) {
            begin_ = text.find('\n', begin_);
            if (begin_ != std::string::npos) ++begin_;
        }
        if (begin_ == std::string::npos) return {};
        auto found = std::string_view(text).substr(begin_, text.find('\n', begin_) - begin_);
        if (line == 1 && found.starts_with("\xEF\xBB\xBF")) found.remove_prefix(3);
        if (found.ends_with('\r')) found.remove_suffix(1);
        return found;
    }

private:
    const std::string* text_ = nullptr;
    unsigned line_ = 1;
    std::size_t begin_ = 0;
};

// How many bytes of the line belong to the thing at `begin`: a quoted text, or a word.
std::size_t extent(std::string_view line, std::size_t begin) {
    if (begin >= line.size()) return 1;
    const char first = line[begin];
    if (first == '"' || first == '\'') {
        const auto end = line.find(first, begin + 1);
        return end == std::string_view::npos ? line.size() - begin : end + 1 - begin;
    }
    std::size_t end = begin;
    while (end < line.size() && std::string_view(" \t,[]{}=").find(line[end]) == std::string_view::npos &&
           !(line[end] == ':' && (end + 1 == line.size() || line[end + 1] == ' '))) {
        ++end;
    }
    return std::max<std::size_t>(end - begin, 1);
}

// The part of a long line around a column, cut to fit a terminal, and the mark below it.
struct excerpt {
    std::string line, mark;
};

excerpt show(std::string_view line, std::size_t column) {
    const auto length = extent(line, column);
    std::size_t from = 0;
    if (column > widest_line - 40) from = column - (widest_line - 40);
    while (from > 0 && from < line.size() && continues_character(line[from])) --from;
    auto to = std::min(line.size(), from + widest_line);
    while (to < line.size() && continues_character(line[to])) ++to;

    excerpt out;
    if (from > 0) out.line = out.mark = "...";
    std::fill(out.mark.begin(), out.mark.end(), ' ');
    for (auto i = from; i < to; ++i) {
        const char c = line[i];
        out.line += is_control(c) && c != '\t' ? '?' : c;
        if (continues_character(c)) continue;
        if (i < column)
            out.mark += c == '\t' ? '\t' : ' ';
        else if (i == column)
            out.mark += '^';
        else if (i < column + length)
            out.mark += '~';
    }
    if (to < line.size()) out.line += "...";
    if (column >= line.size()) {
        out.mark.append(column - line.size(), ' ');
        out.mark += '^';
    }
    return out;
}

}  // namespace

std::string to_text(const location& at) {
    if (at.line == 0) return at.file;
    return fmt::format("{}:{}:{}", at.file, at.line, at.column);
}

void diagnostics::error(const location& at, std::string message, std::string hint) {
    ++errors_;
    keep(at, true, std::move(message), std::move(hint));
}

void diagnostics::warning(const location& at, std::string message, std::string hint) {
    ++warnings_;
    keep(at, false, std::move(message), std::move(hint));
}

std::vector<std::string> diagnostics::warnings() const {
    std::vector<std::string> out;
    for (const entry& e : kept_) {
        if (e.is_error) continue;
        const std::string at = to_text(e.at);
        out.push_back(escaped(
            fmt::format("{}{}{}{}{}", at, at.empty() ? "" : ": ", e.message, e.hint.empty() ? "" : "; ", e.hint)));
    }
    return out;
}

void diagnostics::clear() {
    kept_.clear();
    errors_ = warnings_ = 0;
}

void diagnostics::keep(const location& at, bool is_error, std::string message, std::string hint) {
    if (keeps_more()) kept_.push_back({at, is_error, std::move(message), std::move(hint)});
}

void diagnostics::add_source(std::string file, std::string text) {
    const auto order = sources_.size();
    const auto [at, added] = sources_.try_emplace(std::move(file), text_of{order, {}});
    at->second.text = std::move(text);
}

void diagnostics::print(std::ostream& out) const {
    std::vector<const entry*> sorted;
    sorted.reserve(kept_.size());
    for (const auto& e : kept_) sorted.push_back(&e);
    const auto key = [this](const entry* e) {
        const auto source = sources_.find(e->at.file);
        const auto order = source == sources_.end() ? std::numeric_limits<std::size_t>::max() : source->second.order;
        return std::tuple(order, std::string_view(e->at.file), e->at.line, e->at.column);
    };
    std::stable_sort(sorted.begin(), sorted.end(), [&](auto a, auto b) { return key(a) < key(b); });
    line_finder lines;
    for (const auto* e : sorted) {
        const auto source = sources_.find(e->at.file);
        const auto place = to_text(e->at);
        out << place << (place.empty() ? "" : ": ") << (e->is_error ? "error: " : "warning: ") << e->message;
        if (source == sources_.end() || e->at.line == 0) {
            out << (e->hint.empty() ? "" : "; ") << e->hint << '\n';
            continue;
        }
        const auto column = e->at.column > 0 ? e->at.column - 1 : 0;
        const auto shown = show(lines.find(source->second.text, e->at.line), column);
        out << fmt::format("\n{:>5} | {}\n      | {}", e->at.line, shown.line, shown.mark);
        out << (e->hint.empty() ? "" : "  ") << e->hint << '\n';
    }
    const auto all = errors_ + warnings_;
    if (all > kept_.size()) out << fmt::format("and {} more\n", all - kept_.size());
}

std::string nearest(std::string_view wrong, const std::vector<std::string>& known) {
    // No key is this long, so it is no misspelling, and the search would take time.
    if (wrong.empty() || wrong.size() > 64) return {};
    const auto same = [](char a, char b) {  // ASIC_320ks is asic_320ks
        const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
        return lower(a) == lower(b);
    };
    std::string best;
    std::size_t best_distance = std::max<std::size_t>(wrong.size() / 3, 1) + 1;
    for (const auto& name : known) {
        // Edit distance with transposition of neighbours (optimal string alignment), three rows at a time.
        std::vector<std::size_t> before(name.size() + 1), last(name.size() + 1), row(name.size() + 1);
        for (std::size_t j = 0; j <= name.size(); ++j) last[j] = j;
        for (std::size_t i = 1; i <= wrong.size(); ++i) {
            row[0] = i;
            for (std::size_t j = 1; j <= name.size(); ++j) {
                const std::size_t change = same(wrong[i - 1], name[j - 1]) ? 0 : 1;
                row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + change});
                if (i > 1 && j > 1 && same(wrong[i - 1], name[j - 2]) && same(wrong[i - 2], name[j - 1])) {
                    row[j] = std::min(row[j], before[j - 2] + 1);
                }
            }
            std::swap(before, last);
            std::swap(last, row);
        }
        const auto distance = last[name.size()];
        if (distance < best_distance && distance < std::max(name.size(), wrong.size())) {
            best = name;
            best_distance = distance;
        }
    }
    return best;
}

std::string did_you_mean(std::string_view wrong, const std::vector<std::string>& known, std::string_view rest) {
    const auto near = nearest(wrong, known);
    if (near.empty()) return std::string(rest);
    return fmt::format("did you mean {}?{}{}", quoted(near), rest.empty() ? "" : " ", rest);
}

std::string meant_aside(std::string_view wrong, const std::vector<std::string>& known, std::string_view otherwise) {
    const auto meant = did_you_mean(wrong, known);
    return meant.empty() ? std::string(otherwise) : fmt::format(" ({})", meant);
}

std::string known_keys(std::string_view wrong, const std::vector<std::string>& known) {
    return did_you_mean(wrong, known, fmt::format("known: {}", fmt::join(known, ", ")));
}

std::string quoted(std::string_view text) {
    constexpr std::size_t shown = 32;  // bytes of each end
    if (text.size() <= 2 * shown) return fmt::format("'{}'", escaped(text));
    const auto next_character = [text](std::size_t at) {
        while (at < text.size() && continues_character(text[at])) ++at;
        return at;
    };
    const auto left_out = next_character(shown), goes_on = next_character(text.size() - shown);
    return fmt::format("'{}{}{}'", escaped(text.substr(0, left_out)), left_out < goes_on ? "..." : "",
                       escaped(text.substr(goes_on)));
}

}  // namespace contraflow::config
