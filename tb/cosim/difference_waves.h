// SPDX-License-Identifier: Apache-2.0
// Waves around a difference between levels.
#pragma once

#include <filesystem>

#include "cosim/lane_waves.h"
#include "cosim/level_difference.h"

namespace contraflow::cosim {

inline constexpr const char* difference_stem = "difference";  // .fst, .gtkw
inline constexpr std::uint64_t cycles_before_difference = 500, cycles_after_difference = 50;

// Plays the link again up to that cycle of its clock. Throws like wave::write_wave_output.
void write_difference_waves(const std::filesystem::path& directory, const level_difference& d, const link::lane_spec& s,
                            const player_factory& player, core::sim_time cycle);

}  // namespace contraflow::cosim
