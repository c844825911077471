// SPDX-License-Identifier: Apache-2.0
#include "pcie_tree/export_check.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <hwloc.h>

#include "config/diagnostics.h"

namespace contraflow::pcie_tree {
namespace {

constexpr std::size_t deepest = 200;        // real machines stay below 40
constexpr unsigned newest_format = 2;       // hwloc 2.x reads <topology version="2.0">, and what 1.x wrote without one

struct attribute {
    std::string_view name, value;
};

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == ':' || c == '.';
}

class checker {
public:
    explicit checker(std::string_view xml) : xml_(xml) {}

    export_check run() {
        while (!result_.problem && next_tag()) {}
        if (!result_.problem && !open_.empty())
            fail(xml_.size(), fmt::format("the file ends inside <{}>: it is truncated", open_.back()), "export it again with lstopo");
        if (!result_.problem && !seen_root_) fail(0, "no <topology> in it", "lstopo FILE.xml writes such a file");
        return std::move(result_);
    }

private:
    void fail(std::size_t at, std::string message, std::string hint = {}) {
        export_problem p;
        at = std::min(at, xml_.size());
        const auto before = xml_.substr(0, at);
        p.line = static_cast<unsigned>(std::count(before.begin(), before.end(), '\n')) + 1;
        const auto line_begin = before.rfind('\n');
        p.column = static_cast<unsigned>(at - (line_begin == std::string_view::npos ? 0 : line_begin + 1)) + 1;
        p.message = std::move(message);
        p.hint = std::move(hint);
        result_.problem = std::move(p);
    }

    // False at the end of the text.
    bool next_tag() {
        const auto begin = xml_.find('<', at_);
        const auto text = xml_.substr(at_, begin == std::string_view::npos ? begin : begin - at_);
        if (open_.empty() && !std::all_of(text.begin(), text.end(), is_space)) {
            fail(at_ + static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_space) - text.begin()),
                 seen_root_ ? "text after </topology>" : "this is no XML", "lstopo FILE.xml writes what is read here");
            return false;
        }
        if (begin == std::string_view::npos) return false;
        at_ = begin + 1;
        if (skip(begin, "<?", "?>") || skip(begin, "<!--", "-->") || skip(begin, "<!", ">")) return true;
        if (at_ < xml_.size() && xml_[at_] == '/') close_tag(begin);
        else open_tag(begin);
        return true;
    }

    bool skip(std::size_t begin, std::string_view opening, std::string_view closing) {
        if (xml_.substr(begin, opening.size()) != opening) return false;
        const auto end = xml_.find(closing, begin + opening.size());
        if (end == std::string_view::npos) fail(begin, fmt::format("'{}' without '{}'", opening, closing), "the file is truncated or damaged");
        else at_ = end + closing.size();
        return true;
    }

    std::string_view name() {
        const auto begin = at_;
        while (at_ < xml_.size() && is_name(xml_[at_])) ++at_;
        return xml_.substr(begin, at_ - begin);
    }

    void skip_space() {
        while (at_ < xml_.size() && is_space(xml_[at_])) ++at_;
    }

    void close_tag(std::size_t begin) {
        ++at_;
        const auto tag = name();
        skip_space();
        if (at_ >= xml_.size() || xml_[at_] != '>') return fail(begin, "a closing tag without '>'", "the file is truncated or damaged");
        ++at_;
        if (open_.empty() || open_.back() != tag)
            return fail(begin, open_.empty() ? fmt::format("</{}> closes nothing", tag)
                                             : fmt::format("</{}> where </{}> is due", tag, open_.back()),
                        "the file is damaged");
        open_.pop_back();
    }

    void open_tag(std::size_t begin) {
        const auto tag = name();
        if (tag.empty()) return fail(begin, "'<' without a name", "the file is damaged");
        std::vector<attribute> attributes;
        for (skip_space(); at_ < xml_.size() && is_name(xml_[at_]); skip_space())
            if (!read_attribute(attributes)) return;
        const bool empty = at_ < xml_.size() && xml_[at_] == '/';
        if (empty) ++at_;
        if (at_ >= xml_.size() || xml_[at_] != '>')
            return fail(std::min(at_, xml_.size()), fmt::format("<{}> has no end", tag), "the file is truncated or damaged");
        ++at_;
        element(begin, tag, attributes);
        if (!empty) open_.push_back(tag);
        if (open_.size() > deepest) fail(begin, fmt::format("more than {} elements inside one another", deepest), "no machine is so deep");
    }

    bool read_attribute(std::vector<attribute>& attributes) {
        const auto begin = at_;
        const auto key = name();
        skip_space();
        if (at_ >= xml_.size() || xml_[at_] != '=') return fail(begin, fmt::format("attribute '{}' has no value", key), "the file is damaged"), false;
        ++at_;
        skip_space();
        // hwloc's own reader knows double quotes only, and writes no others.
        if (at_ >= xml_.size() || xml_[at_] != '"')
            return fail(begin, fmt::format("the value of '{}' is not in double quotes", key), "the file is damaged"), false;
        const auto end = xml_.find('"', ++at_);
        if (end == std::string_view::npos || xml_.substr(at_, end - at_).find('<') != std::string_view::npos)
            return fail(begin, fmt::format("the value of '{}' has no end", key), "the file is truncated or damaged"), false;
        attributes.push_back({key, xml_.substr(at_, end - at_)});
        at_ = end + 1;
        return true;
    }

    static std::string_view value_of(const std::vector<attribute>& attributes, std::string_view name) {
        for (const auto& a : attributes)
            if (a.name == name) return a.value;
        return {};
    }

    void element(std::size_t begin, std::string_view tag, const std::vector<attribute>& attributes) {
        if (open_.empty()) {
            if (tag != "topology" || seen_root_)
                return fail(begin, fmt::format("<{}> where <topology> is due", tag), "lstopo FILE.xml writes what is read here");
            seen_root_ = true;
            check_version(begin, value_of(attributes, "version"));
        }
        if (tag == "object") {
            if (value_of(attributes, "type").empty()) return fail(begin, "an object without a type", "the file is damaged");
            if (open_.back() == "topology" && std::exchange(seen_machine_, true))
                return fail(begin, "a second machine", "one export holds one machine");
        }
        if (tag == "info" && value_of(attributes, "name") == "hwlocVersion") result_.written_by = value_of(attributes, "value");
    }

    void check_version(std::size_t begin, std::string_view version) {
        if (version.empty()) return;   // hwloc 1.x wrote none
        unsigned major = 0, minor = 0;
        const auto* const end = version.data() + version.size();
        const auto [dot, ec] = std::from_chars(version.data(), end, major);
        const bool read = ec == std::errc{} && dot != end && *dot == '.' && std::from_chars(dot + 1, end, minor).ec == std::errc{};
        if (!read) return fail(begin, fmt::format("{} is no version of the export format", config::quoted(version)), "such as '2.0'");
        if (major > newest_format || (major == newest_format && minor > 0))
            fail(begin, fmt::format("the export has format version {}, and hwloc {} here reads up to {}.0", version, library_version(), newest_format),
                 fmt::format("write it again with 'lstopo --export-xml-flags v2 FILE.xml', or with hwloc {}.x", newest_format));
    }

    std::string_view xml_;
    std::size_t at_ = 0;
    std::vector<std::string_view> open_;
    bool seen_root_ = false, seen_machine_ = false;
    export_check result_;
};

std::array<unsigned, 3> numbers_of(std::string_view version) {
    std::array<unsigned, 3> numbers{};
    const char* at = version.data();
    const char* const end = at + version.size();
    for (auto& number : numbers) {
        const auto [after, ec] = std::from_chars(at, end, number);
        if (ec != std::errc{} || after == end || *after != '.') break;
        at = after + 1;
    }
    return numbers;
}

}  // namespace

export_check check_export(std::string_view xml) { return checker(xml).run(); }

// The library tells its interface's version only, which lags behind; that of its headers is the release.
std::string library_version() { return HWLOC_VERSION; }

bool newer_than_library(std::string_view version) {
    const auto writer = numbers_of(version);
    const auto library = numbers_of(library_version());
    return std::pair(writer[0], writer[1]) > std::pair(library[0], library[1]);   // patch releases know no more
}

}  // namespace contraflow::pcie_tree
