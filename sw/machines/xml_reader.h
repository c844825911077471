// SPDX-License-Identifier: Apache-2.0
// XML in the few forms hwloc writes, one tag at a time: elements, attributes in double quotes, comments, declarations.
// Every mistake ends the reading, with its place. Views point into the text, which must outlive the reader.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace contraflow::machines {

struct xml_attribute {
    std::string_view name, value;  // the value as written
    std::size_t at = 0;            // position of the value in the text
};

struct xml_tag {
    enum class form { open, empty, close } form = form::open;
    std::string_view name;
    std::vector<xml_attribute> attributes;
    std::size_t at = 0;

    const xml_attribute* find(std::string_view attribute) const;
};

struct xml_problem {
    unsigned line = 0, column = 0;
    std::string message, hint;
};

class xml_reader {
public:
    explicit xml_reader(std::string_view text) : text_(text) {}

    // None at the end, or when there is a problem.
    std::optional<xml_tag> next();
    // The open elements around the tag that next() gave, outermost first. That tag itself is not among them.
    const std::vector<std::string_view>& around() const { return around_; }

    const std::optional<xml_problem>& problem() const { return problem_; }
    // Only the first problem is kept.
    void fail(std::size_t at, std::string message, std::string hint = {});

private:
    bool skip(std::string_view opening, std::string_view closing);
    std::string_view name();
    void skip_space();
    bool read_attributes(xml_tag& tag);
    bool end_of(const xml_tag& tag);

    std::string_view text_;
    std::size_t at_ = 0;
    std::vector<std::string_view> around_;
    std::optional<std::string_view> opening_;  // name of the last tag; the next call puts it into around_
    bool had_root_ = false;
    std::optional<xml_problem> problem_;
};

// &lt; and the like made characters.
std::string unescape(std::string_view value);

}  // namespace contraflow::machines
