// SPDX-License-Identifier: Apache-2.0
// Files of input that are not configurations are read with the same checks, and errors that name what was wanted.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "config/text/text_source.h"

namespace contraflow::config {

// What a file is to hold, in the words of the errors about it.
struct file_form {
    const char* what;       // its name among the inputs of a run
    const char* wanted;     // hint if the file is not text
    const char* least;      // hint if it is empty
    const char* at_most;    // hint if it is too large
    const char* in_folder;  // hint if it is a folder
};

inline constexpr file_form yaml_configuration{
    "configuration", "a configuration is YAML in UTF-8", "a configuration has at least one key, such as 'name: value'",
    "a configuration is at most that large; put long lists of traffic into a CSV file", "name a YAML file in it"};
inline constexpr file_form json_cases{"cases", "a file of cases is JSON in UTF-8",
                                      "a list of cases as JSON is wanted, with at least one case",
                                      "a file of cases is at most that large", "name a JSON file of cases in it"};

// Where a text is none, and why: "not a text file: byte 0xff".
struct text_fault {
    unsigned line, column;
    std::string why;
};
// At the first byte that is 0 or not UTF-8; none if all are.
std::optional<text_fault> fault_of_text(std::string_view text);

// As read_source(path, diag), for a file of another form.
std::optional<source> read_source(const std::string& path, diagnostics& diag, const file_form& form);

}  // namespace contraflow::config
