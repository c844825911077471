// SPDX-License-Identifier: Apache-2.0
// The Verilated build of this program, of which all tests use the one block.
#pragma once

#include <cstdint>
#include <string>

namespace contraflow::testing {

// 0: no planted bug.
void choose_variant(std::uint32_t variant);
void clear_coverage();
void write_coverage(const std::string& file);

}  // namespace contraflow::testing
