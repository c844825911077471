// SPDX-License-Identifier: Apache-2.0
// Litmus tests of a text or a file, and the outcomes that the explorer finds of one.
#pragma once

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "ordering/model/explorer.h"
#include "ordering/test_file.h"

namespace contraflow::ordering::testing {

inline constexpr std::uint64_t enough = 1'000'000;

inline std::vector<litmus_test> tests_in(const std::string& text) {
    auto file = parse_tests(text);
    for (const auto& p : file.problems)
        ADD_FAILURE() << p.line << ":" << p.column << ": " << p.path << ": " << p.message;
    return std::move(file.cases);
}
inline std::string text_of(const char* file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

inline std::vector<outcome> outcomes_of(const litmus_test& t) {
    const auto e = model::explore(t, {enough, {}});
    EXPECT_EQ(e.end, model::exploration::ending::complete);
    std::vector<outcome> all;
    for (const auto& o : e.outcomes) all.push_back(o.result);
    return all;
}
inline std::vector<std::string> texts(const litmus_test& t, const std::vector<outcome>& all) {
    std::vector<std::string> lines;
    for (const outcome& o : all) lines.push_back(to_json(t, o));
    return lines;
}

}  // namespace contraflow::ordering::testing
