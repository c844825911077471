// SPDX-License-Identifier: Apache-2.0
// The failed checks of one test, the first cycle, and their texts. Checks continue for the rest of that cycle, so that
// all that fire in it are known; the test then ends.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>

namespace contraflow::lib {

class findings {
public:
    void begin_cycle(std::uint64_t cycle) { cycle_ = cycle; }

    // Adds a failed check.
    void add(const char* check, std::string text) {
        if (checks_.insert(check).second && checks_.size() <= shown) text_ += line(check, std::move(text));
    }
    bool empty() const { return checks_.empty(); }
    const std::set<std::string>& checks() const { return checks_; }
    const std::string& text() const { return text_; }

private:
    static constexpr std::size_t shown = 12;
    std::string line(const char* check, std::string text) const {
        return "  cycle " + std::to_string(cycle_) + ": " + check + ": " + std::move(text) + "\n";
    }

    std::uint64_t cycle_ = 0;
    std::set<std::string> checks_;
    std::string text_;
};

// The test that runs now, for assertions of the block: they fire from within its evaluation. Each is a check
// "assertion@FILE:LINE".
void assertions_go_to(findings* f);

}  // namespace contraflow::lib
