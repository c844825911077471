// SPDX-License-Identifier: Apache-2.0
// A trace as text, for people to read and to write (docs/traces.md), and its conversion into bytes and back.
#pragma once

#include <istream>
#include <ostream>
#include <string>

namespace contraflow::traces {

class trace;

// `name` stands for the text in messages. Throws text::input_error.
void to_bytes(std::istream& text, const std::string& name, std::ostream& out);
void to_text(const trace& t, std::ostream& out);

}  // namespace contraflow::traces
