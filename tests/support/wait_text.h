// SPDX-License-Identifier: Apache-2.0
// Wait edges as a test shows them, a line each; empty: nobody waits.
#pragma once

#include <string>
#include <vector>

#include "core/waiting.h"

namespace contraflow::testing {

inline std::string wait_text(const std::vector<core::wait_edge>& edges) {
    std::string text;
    for (const auto& e : edges) text += e.waiter + " waits for " + e.resource + " of " + e.holder + "\n";
    return text;
}

}  // namespace contraflow::testing
