// SPDX-License-Identifier: Apache-2.0
// CF_FUZZ(NAME, function) makes void function(const std::string& input) a fuzz target; it calls std::abort() if what
// holds for every input does not hold. With libFuzzer each target is a program that searches; otherwise all are in the
// program fuzz_corpus, which gives them the files that are kept.
#pragma once

#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <string_view>

namespace contraflow::fuzz {

using target = void (*)(const std::string& input);

std::map<std::string, target>& targets();  // by name

struct registration {
    registration(const char* name, target t) { targets()[name] = t; }
};

inline void must(bool holds, std::string_view what, std::string_view text = {}) {
    if (holds) return;
    std::cerr << what << ":\n" << text << '\n';
    std::abort();
}

// Of readers of cases: each problem has a place and a message.
template <class Problems> void must_be_clear(const Problems& problems, std::string_view text) {
    for (const auto& p : problems) {
        must(p.line > 0 && p.column > 0, "a problem without a place", text);
        must(!p.message.empty(), "a problem without a word", text);
    }
}

}  // namespace contraflow::fuzz

#ifdef CF_LIBFUZZER
// The name is libFuzzer's. NOLINTBEGIN(readability-identifier-naming)
#define CF_FUZZ(name, function)                                                                                        \
    extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {                                \
        function(std::string(reinterpret_cast<const char*>(data), size));                                              \
        return 0;                                                                                                      \
    }
// NOLINTEND(readability-identifier-naming)
#else
#define CF_FUZZ(name, function) static const contraflow::fuzz::registration name##_registration(#name, function);
#endif
