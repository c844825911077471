// SPDX-License-Identifier: Apache-2.0
// How often this program has allocated so far.
#pragma once

#include <cstdint>

namespace contraflow::link::testing {

std::uint64_t allocations();

}  // namespace contraflow::link::testing
