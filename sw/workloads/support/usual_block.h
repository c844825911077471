// SPDX-License-Identifier: Apache-2.0
// Threads of a CTA, if the algorithm needs no other number.
#pragma once

#include <cstdint>

namespace contraflow::workloads {

inline constexpr std::uint32_t usual_block = 256;

}  // namespace contraflow::workloads
