// SPDX-License-Identifier: Apache-2.0
// The rules of docs/litmus.md once more, written as they are read there, with maps and lists: the explorer under test
// must find the same outcomes. Slow; for small tests.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "ordering/litmus_test.h"

namespace contraflow::ordering::testing {

// The complete set in the order of sort_by_text(); none if there are more states than `most_states`.
std::optional<std::vector<outcome>> explore_naively(const litmus_test& test, std::size_t most_states);

}  // namespace contraflow::ordering::testing
