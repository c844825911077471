// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: any bytes give a sound trace or one clear error. A trace in text form is also one in
// bytes, and the bytes give the same text again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string input(reinterpret_cast<const char*>(data), size);
    try {
        in_text(input);
    } catch (const traces::bad_trace&) {}
    std::string contents;
    try {
        contents = in_bytes(input);
    } catch (const text::input_error&) { return 0; }
    const std::string text = in_text(contents);
    if (in_text(in_bytes(text)) != text) std::abort();
    return 0;
}
