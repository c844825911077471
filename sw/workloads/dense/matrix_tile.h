// SPDX-License-Identifier: Apache-2.0
// The square part of a matrix that a CTA keeps in its scratchpad: each thread has a column, each wavefront a few rows.
#pragma once

#include <cstdint>

#include "gpu/kernel/mask.h"

namespace contraflow::workloads {

inline constexpr std::uint32_t tile = gpu::wave_width, tile_waves = 8, rows_a_wave = tile / tile_waves;

}  // namespace contraflow::workloads
