// SPDX-License-Identifier: Apache-2.0
// The words for atomic operations and their types, in the order of their enumerations.
#pragma once

#include <array>
#include <string_view>

#include "memory/transaction/atomic.h"
#include "memory/vm/translation.h"

namespace contraflow::traces {

inline constexpr std::array<std::string_view, 9> op_names{"none", "add", "min", "max", "exchange", "compare_exchange",
                                                          "and",  "or",  "xor"};
inline constexpr std::array<std::string_view, 6> type_names{"u32", "i32", "u64", "i64", "f32", "f64"};
// The words that may follow an array, and their meanings.
inline constexpr std::array<std::string_view, 2> rights_names{"unmapped", "read_only"};
inline constexpr std::array array_rights{memory::access_rights::none, memory::access_rights::read};
static_assert(op_names.size() == static_cast<std::size_t>(memory::atomic_op::bit_xor) + 1);
static_assert(type_names.size() == static_cast<std::size_t>(memory::operand_type::f64) + 1);

}  // namespace contraflow::traces
