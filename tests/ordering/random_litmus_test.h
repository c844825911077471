// SPDX-License-Identifier: Apache-2.0
// Small litmus tests by chance: shared lines, cached and uncached pages, entries that are ready or not, threads that
// are stuck. They need not make sense.
#pragma once

#include <cstdint>

#include "ordering/litmus_test.h"

namespace contraflow::ordering::testing {

litmus_test random_litmus_test(std::uint32_t seed);
// A test with a few changes by chance: instructions left out or exchanged, a page cached, a line shared.
litmus_test changed_litmus_test(litmus_test t, std::uint32_t seed);

}  // namespace contraflow::ordering::testing
