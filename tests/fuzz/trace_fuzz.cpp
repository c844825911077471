// SPDX-License-Identifier: Apache-2.0
// Any bytes give a sound trace or one clear error. A trace in text form is also one in
// bytes, and the bytes give the same text again.
#include <sstream>
#include <string>

#include "fuzz_target.h"
#include "text/text_fields.h"
#include "traces/text_form.h"
#include "traces/trace.h"

namespace {

using namespace contraflow;

std::string in_bytes(const std::string& text) {
    std::istringstream in(text);
    std::ostringstream out;
    traces::to_bytes(in, "fuzz.txt", out);
    return out.str();
}

std::string in_text(const std::string& contents) {
    std::ostringstream out;
    traces::to_text(traces::trace(traces::bytes(contents.begin(), contents.end())), out);
    return out.str();
}

void read_trace(const std::string& input) {
    try {
        in_text(input);
    } catch (const traces::bad_trace&) {}
    std::string contents;
    try {
        contents = in_bytes(input);
    } catch (const text::input_error&) { return; }
    const std::string text = in_text(contents);
    fuzz::must(in_text(in_bytes(text)) == text, "another text the second time", text);
}

}  // namespace

CF_FUZZ(trace, read_trace)
