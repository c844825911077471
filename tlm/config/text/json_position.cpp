// SPDX-License-Identifier: Apache-2.0
#include "config/text/json_position.h"

#include <algorithm>
#include <charconv>

namespace contraflow::config {
namespace {

class scanner {
public:
    explicit scanner(std::string_view text) : text_(text) {}

    std::size_t at() const { return at_; }
    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    void space() {
        while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
    }
    // The characters between the quotes, with escapes unchanged.
    std::string_view string() {
        const std::size_t begin = ++at_;
        while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
        const std::size_t end = std::min(at_, text_.size());
        ++at_;
        return text_.substr(begin, end - begin);
    }
    void skip_value() {
        std::size_t open = 0;
        do {
            space();
            const char c = peek();
            if (c == '\0') return;
            if (c == '"') {
                string();
            } else {
                if (c == '{' || c == '[') ++open;
                if (c == '}' || c == ']') --open;
                ++at_;
                if (open == 0) skip_scalar();
            }
        } while (open != 0);
    }
    // Enters the wanted member or element; false if it is not there.
    bool enter_member(std::string_view key) {
        if (peek() != '{') return false;
        ++at_;
        for (space(); peek() == '"'; space()) {
            const bool found = string() == key;
            space();
            ++at_;  // the colon
            space();
            if (found) return true;
            next();
        }
        return false;
    }
    bool enter_element(std::size_t index) {
        if (peek() != '[') return false;
        ++at_;
        space();
        for (; peek() != ']' && peek() != '\0'; space()) {
            if (index-- == 0) return true;
            next();
        }
        return false;
    }

private:
    void skip_scalar() {
        while (at_ < text_.size() && std::string_view(",]} \t\r\n").find(text_[at_]) == std::string_view::npos) ++at_;
    }
    void next() {
        skip_value();
        space();
        if (peek() == ',') ++at_;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace

std::size_t find_json_value(std::string_view text, std::string_view path) {
    scanner s(text);
    s.space();
    std::size_t found = s.at();
    while (!path.empty()) {
        bool entered = false;
        if (path.front() == '[') {
            std::size_t index = 0;
            const auto [end, error] = std::from_chars(path.data() + 1, path.data() + path.size(), index);
            if (error != std::errc{}) return found;
            path.remove_prefix(static_cast<std::size_t>(end - path.data()) + 1);
            entered = s.enter_element(index);
        } else {
            if (path.front() == '.') path.remove_prefix(1);
            const std::string_view key = path.substr(0, path.find_first_of(".["));
            path.remove_prefix(key.size());
            entered = s.enter_member(key);
        }
        if (!entered) return found;
        found = s.at();
    }
    return found;
}

std::pair<unsigned, unsigned> line_and_column(std::string_view text, std::size_t offset) {
    const std::string_view before = text.substr(0, std::min(offset, text.size()));
    const auto line = static_cast<unsigned>(std::count(before.begin(), before.end(), '\n')) + 1;
    const std::size_t last = before.rfind('\n');
    const std::size_t column = last == std::string_view::npos ? before.size() : before.size() - last - 1;
    return {line, static_cast<unsigned>(column) + 1};
}

}  // namespace contraflow::config
