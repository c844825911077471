// SPDX-License-Identifier: Apache-2.0
// Reads a text of lines and fields in bounded memory, and always knows its position. The first error ends the reading
// with an input_error: the position, the problem, and what is allowed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <istream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "config/text/diagnostics.h"

namespace contraflow::text {

// what(): "file:line:column: message; what is allowed".
class input_error : public std::runtime_error {
public:
    input_error(config::location at, const std::string& message, std::string allowed);
    const config::location& where() const { return at_; }
    const std::string& message() const { return message_; }  // without place and what is allowed
    const std::string& allowed() const { return allowed_; }

private:
    config::location at_;
    std::string message_, allowed_;
};

// Tells of it: at its place in a text, and if there was no text to read, where the file is named.
void report(const input_error& e, const config::location& named_at, config::diagnostics& diag);

// A file that a file names: the one beside it, and if there is none, the one from the current folder.
std::string file_beside(const config::location& named_at, const std::string& file);
// Throws input_error unless it is a file that can be read. `what` names it among the inputs of a run: "graph".
std::ifstream open_text(const std::string& path, const std::string& what);

class text_fields {
public:
    static constexpr std::size_t longest_line = 4096;  // bytes; a longer comment is skipped, anything else refused

    // `name` stands for the text in messages; `comment_marks`: a line that begins with one of them is a comment.
    text_fields(std::istream& in, std::string name, std::string_view comment_marks);

    // Goes to the next line that is neither blank nor a comment; false at the end of the text. Refuses it unless it is
    // UTF-8.
    bool next_line();
    // Goes to the next line whatever it is.
    bool next_line_of_any_kind();
    std::string_view line() const { return line_; }

    // Is there another field on this line?
    bool more();
    // The next field; `what` names it in the complaint if there is none.
    std::string_view field(std::string_view what);
    std::uint64_t whole(std::string_view what, std::uint64_t low, std::uint64_t high);
    std::int64_t signed_whole(std::string_view what);
    double real(std::string_view what);
    // Throws if there is a further field.
    void end_of_line();

    // An error about the field read last, or about the end of the text.
    [[noreturn]] void refuse(const std::string& message, const std::string& allowed) const;

private:
    bool is_blank_or_comment() const;
    int next_byte();

    std::istream& in_;
    std::string name_;
    std::string comment_marks_;
    std::string line_;
    unsigned number_ = 0;     // line number
    std::size_t next_ = 0;    // where in the line the next field is looked for
    std::size_t column_ = 0;  // column of the field read last, from 0
};

}  // namespace contraflow::text
