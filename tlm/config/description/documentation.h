// SPDX-License-Identifier: Apache-2.0
// The keys of a configuration as documentation: a table for the terminal, and one in Markdown for the docs.
#pragma once

#include <string>
#include <vector>

#include "config/description/type_description.h"

namespace contraflow::config {

struct documentation_row {
    std::string key;            // "communications[].to"
    std::string type;           // "list of sizes", with what is allowed
    std::string default_value;  // "required", "absent", or the value
    std::string text;           // with the unit
};

// In the order of description, with nested rows after their parent. A struct inside its own kind is not repeated. A
// struct that chooses has the keys and values of its default choice too.
std::vector<documentation_row> document(const structure& members);
std::string describe_text(const structure& members);
std::string describe_markdown(const structure& members);

}  // namespace contraflow::config
