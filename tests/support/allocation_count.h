// SPDX-License-Identifier: Apache-2.0
// Counts what a test program takes from the heap: linking this replaces the global operator new in every form.
#pragma once

#include <cstdint>

namespace contraflow::test {

std::uint64_t allocations();
std::uint64_t allocated_bytes();

}  // namespace contraflow::test
