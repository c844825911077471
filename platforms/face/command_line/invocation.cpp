// SPDX-License-Identifier: Apache-2.0
#include "face/command_line/invocation.h"

#include <cstdlib>

#include <fmt/format.h>

namespace contraflow::face {

std::string entry_point() {
    const char* const entry = std::getenv("CONTRAFLOW_ENTRY");
    return entry == nullptr ? "" : entry;
}

std::string command_of(std::string_view program) {
    constexpr std::string_view verb = "contraflow-";
    const std::string entry = entry_point();
    if (entry.empty()) return std::string(program);
    return program.starts_with(verb) ? fmt::format("{} {}", entry, program.substr(verb.size()))
                                     : fmt::format("{} run {}", entry, program);
}

}  // namespace contraflow::face
