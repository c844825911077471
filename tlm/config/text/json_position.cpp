// SPDX-License-Identifier: Apache-2.0
#include "config/text/json_position.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace contraflow::config {
namespace {

std::string without_escapes(std::string_view text) {
    if (text.find('\\') == std::string_view::npos) return std::string(text);
    return nlohmann::json::parse('"' + std::string(text) + '"').get<std::string>();
}

class scanner {
public:
    explicit scanner(std::string_view text, std::size_t at = 0) : text_(text), at_(at) {}

    std::size_t at() const { return at_; }
    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    void space() {
        if (at_ == 0 && text_.starts_with("\xef\xbb\xbf")) at_ = 3;  // the mark of UTF-8, which the parser skips, too
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
    // The next character that is no space: a string is left to string(), and the rest of a number or word is skipped.
    char token() {
        space();
        const char c = peek();
        if (c == '"' || c == '\0') return c;
        ++at_;
        if (std::string_view("{}[],:").find(c) == std::string_view::npos) skip_scalar();
        return c;
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
    // Goes to the name of the wanted member; false if it is not there.
    bool to_key(std::string_view key) {
        if (peek() != '{') return false;
        ++at_;
        for (space(); peek() == '"'; space()) {
            const std::size_t begin = at_;
            if (without_escapes(string()) == key) {
                at_ = begin;
                return true;
            }
            enter_value();
            next();
        }
        return false;
    }
    // Enters the wanted member or element; false if it is not there.
    bool enter_member(std::string_view key) {
        if (!to_key(key)) return false;
        string();
        enter_value();
        return true;
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
    // After a key.
    void enter_value() {
        space();
        ++at_;  // the colon
        space();
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

std::size_t find_json_key(std::string_view text, std::string_view path, std::string_view key) {
    const std::size_t object = find_json_value(text, path);
    scanner s(text, object);
    return s.to_key(key) ? s.at() : object;
}

std::optional<repeated_json_key> find_repeated_json_key(std::string_view text) {
    std::vector<std::unique_ptr<std::unordered_set<std::string>>> open;  // keys so far; null: an array
    scanner s(text);
    char before = '\0';
    for (char c = s.token(); c != '\0'; before = std::exchange(c, s.token())) {
        if (c == '[') open.push_back(nullptr);
        if (c == '{') open.push_back(std::make_unique<std::unordered_set<std::string>>());
        if (c == '}' || c == ']') open.pop_back();
        if (c != '"') continue;
        const std::size_t at = s.at();
        const std::string_view typed = s.string();
        if (open.empty() || !open.back() || (before != '{' && before != ',')) continue;
        std::string key = without_escapes(typed);
        if (!open.back()->insert(key).second) return repeated_json_key{at, std::move(key)};
    }
    return {};
}

std::pair<unsigned, unsigned> line_and_column(std::string_view text, std::size_t offset) {
    const std::string_view before = text.substr(0, std::min(offset, text.size()));
    const auto line = static_cast<unsigned>(std::count(before.begin(), before.end(), '\n')) + 1;
    const std::size_t last = before.rfind('\n');
    const std::size_t column = last == std::string_view::npos ? before.size() : before.size() - last - 1;
    return {line, static_cast<unsigned>(column) + 1};
}

}  // namespace contraflow::config
