// SPDX-License-Identifier: Apache-2.0
// Counts a test program's heap allocations: linking this replaces the global operator new in every form.
#pragma once

#include <cstdint>

namespace contraflow::test {

std::uint64_t allocations();
std::uint64_t allocated_bytes();

}  // namespace contraflow::test
