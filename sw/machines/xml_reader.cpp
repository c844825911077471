// SPDX-License-Identifier: Apache-2.0
#include "machines/xml_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

namespace contraflow::machines {
namespace {

constexpr std::size_t deepest = 200;  // real machines stay below 40
constexpr const char* damaged = "the file is truncated or damaged";

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == ':' || c == '.';
}

}  // namespace

const xml_attribute* xml_tag::find(std::string_view attribute) const {
    const auto found =
        std::find_if(attributes.begin(), attributes.end(), [&](const auto& a) { return a.name == attribute; });
    return found == attributes.end() ? nullptr : &*found;
}

void xml_reader::fail(std::size_t at, std::string message, std::string hint) {
    if (problem_) return;
    const auto before = text_.substr(0, std::min(at, text_.size()));
    const auto line_begin = before.rfind('\n');
    problem_ = xml_problem{
        static_cast<unsigned>(std::count(before.begin(), before.end(), '\n')) + 1,
        static_cast<unsigned>(before.size() - (line_begin == std::string_view::npos ? 0 : line_begin + 1)) + 1,
        std::move(message), std::move(hint)};
}

bool xml_reader::skip(std::string_view opening, std::string_view closing) {
    if (text_.substr(at_, opening.size()) != opening) return false;
    const auto end = text_.find(closing, at_ + opening.size());
    if (end == std::string_view::npos)
        fail(at_, fmt::format("'{}' without '{}'", opening, closing), damaged);
    else
        at_ = end + closing.size();
    return true;
}

std::string_view xml_reader::name() {
    const auto begin = at_;
    while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
}

void xml_reader::skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
}

std::optional<xml_tag> xml_reader::next() {
    if (opening_) around_.push_back(*std::exchange(opening_, std::nullopt));
    while (!problem_) {
        const auto begin = std::min(text_.find('<', at_), text_.size());
        if (around_.empty()) {
            skip_space();
            if (at_ < begin)
                return fail(at_, had_root_ ? "text after the last element" : "this is no XML",
                            "lstopo FILE.xml writes such a file"),
                       std::nullopt;
        }
        at_ = begin;
        if (at_ == text_.size()) {
            if (!around_.empty())
                fail(at_, fmt::format("the file ends inside <{}>: it is truncated", around_.back()),
                     "export it again with lstopo");
            return std::nullopt;
        }
        if (skip("<?", "?>") || skip("<!--", "-->") || skip("<!", ">")) continue;
        xml_tag tag;
        tag.at = at_++;
        const bool closing = at_ < text_.size() && text_[at_] == '/';
        if (closing) ++at_;
        tag.name = name();
        if (tag.name.empty()) return fail(tag.at, "'<' without a name", damaged), std::nullopt;
        if (closing)
            tag.form = xml_tag::form::close;
        else if (!read_attributes(tag))
            return std::nullopt;
        if (!end_of(tag)) return std::nullopt;
        return tag;
    }
    return std::nullopt;
}

bool xml_reader::read_attributes(xml_tag& tag) {
    for (skip_space(); at_ < text_.size() && is_name(text_[at_]); skip_space()) {
        xml_attribute a;
        const auto begin = at_;
        a.name = name();
        skip_space();
        if (at_ >= text_.size() || text_[at_] != '=')
            return fail(begin, fmt::format("attribute '{}' has no value", a.name), damaged), false;
        ++at_;
        skip_space();
        if (at_ >= text_.size() || text_[at_] != '"')
            return fail(begin, fmt::format("the value of '{}' is not in double quotes", a.name), damaged), false;
        a.at = ++at_;
        const auto end = text_.find_first_of("\"<", at_);
        if (end == std::string_view::npos || text_[end] != '"')
            return fail(begin, fmt::format("the value of '{}' has no end", a.name), damaged), false;
        a.value = text_.substr(at_, end - at_);
        at_ = end + 1;
        tag.attributes.push_back(a);
    }
    if (at_ < text_.size() && text_[at_] == '/') {
        tag.form = xml_tag::form::empty;
        ++at_;
    }
    return true;
}

bool xml_reader::end_of(const xml_tag& tag) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != '>')
        return fail(at_, fmt::format("<{}> has no end", tag.name), damaged), false;
    ++at_;
    if (tag.form == xml_tag::form::close) {
        if (around_.empty()) return fail(tag.at, fmt::format("</{}> closes nothing", tag.name), damaged), false;
        if (around_.back() != tag.name)
            return fail(tag.at, fmt::format("</{}> where </{}> is due", tag.name, around_.back()), damaged), false;
        around_.pop_back();
        return true;
    }
    if (around_.empty() && std::exchange(had_root_, true))
        return fail(tag.at, fmt::format("<{}> after the last element", tag.name), damaged), false;
    if (around_.size() >= deepest)
        return fail(tag.at, fmt::format("more than {} elements inside one another", deepest), "no machine is so deep"),
               false;
    if (tag.form == xml_tag::form::open) opening_ = tag.name;
    return true;
}

std::string unescape(std::string_view value) {
    static constexpr std::array<std::pair<std::string_view, char>, 5> named{
        {{"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}}};
    std::string text;
    while (!value.empty()) {
        const auto end = value.front() == '&' ? value.find(';') : std::string_view::npos;
        char character = value.front();
        std::size_t length = 1;
        if (end != std::string_view::npos) {
            const auto entity = value.substr(1, end - 1);
            for (const auto& [name, meant] : named)
                if (entity == name) character = meant, length = end + 1;
            unsigned code = 0;  // hwloc writes line ends and tabs so
            if (entity.starts_with('#') &&
                std::from_chars(entity.data() + 1, entity.data() + entity.size(), code).ptr ==
                    entity.data() + entity.size() &&
                code > 0 && code < 0x80)
                character = static_cast<char>(code), length = end + 1;
        }
        text += character;
        value.remove_prefix(length);
    }
    return text;
}

}  // namespace contraflow::machines
