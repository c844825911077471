// SPDX-License-Identifier: Apache-2.0
#include "cosim/difference_waves.h"

#include <algorithm>

#include "wave/wave_output.h"

namespace contraflow::cosim {

void write_difference_waves(const std::filesystem::path& directory, const level_difference& d, const link::lane_spec& s,
                            const player_factory& player, core::sim_time cycle) {
    const core::sim_time at = cycle * d.cycle(), end = at + cycle * cycles_after_difference;
    lane_waves source(d.where(), s, player, cycle, end);
    observe::wave_recording window;
    window.keep(cycle * (d.cycle() - std::min(d.cycle(), cycles_before_difference)), end);
    wave::write_wave_output({directory, difference_stem, wave::format::fst, at}, window, {&source});
}

}  // namespace contraflow::cosim
