// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as a configuration: an accepted one must print as YAML that reads back to the same values; a
// refused one must have an error. The bytes after the first NUL are --set arguments, separated by NUL.
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "../config/rich_spec.h"
#include "config/config.h"
#include "fuzz_target.h"

namespace {

namespace config = contraflow::config;
using contraflow::config_test::rich_spec;
using contraflow::fuzz::must;

// Equal values after print and load, with the origins in the comments and without.
void round_trip(const rich_spec& value, const std::string& printed) {
    config::diagnostics diag;
    const auto again = config::load<rich_spec>(config::source{"printed.yaml", printed}, {}, diag);
    std::ostringstream errors;
    diag.print(errors);
    must(!diag.failed(), "what was printed does not load", printed + errors.str());
    must(again.value == value, "what was printed loads to other values", printed);
    must(config::print(again.value) == config::print(value), "the second print differs", printed);
}

void load(const std::string& input) {
    std::vector<std::string> parts{""};
    for (const char c : input) {
        if (c == 0 && parts.size() < 8)
            parts.emplace_back();
        else
            parts.back() += c;
    }
    const config::source file{"fuzz.yaml", parts.front()};
    const std::vector<std::string> sets(parts.begin() + 1, parts.end());

    config::diagnostics diag;
    const auto loaded = config::load<rich_spec>(file, sets, diag);
    std::ostringstream errors;
    diag.print(errors);
    must(diag.failed() == !errors.str().empty(), "errors without a word, or words without an error", errors.str());
    must(loaded.where("tree.children[0].up.lanes").file.size() < 64, "no place", errors.str());
    const auto printed = config::print(loaded);
    if (!diag.failed()) {
        round_trip(loaded.value, printed);
        round_trip(loaded.value, config::print(loaded.value));
    }
}

}  // namespace

CF_FUZZ(config, load)
