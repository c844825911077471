// SPDX-License-Identifier: Apache-2.0
// The control page of a GPU's PCIe path block: BAR 1 of the GPU, also mapped into the address space of its kernels.
//
//   register   8 bytes each; a write is of 4 or 8 bytes
//   control    ppb_invalidate_and_flush: invalidates the read cache and flushes the write combiner. Any other value is
//              refused.
//   flushes    read: how many flushes have ended
//   refused    read: how many writes to this page were refused
#pragma once

#include <cstdint>

namespace contraflow::gpu {

inline constexpr std::uint64_t ppb_control_page = 4096;  // bytes
inline constexpr std::uint32_t ppb_register_size = 8;    // bytes
inline constexpr std::uint64_t ppb_invalidate_and_flush = 0x3;

enum class ppb_register : std::uint32_t { control = 0, flushes = 8, refused = 16 };

}  // namespace contraflow::gpu
