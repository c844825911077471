// SPDX-License-Identifier: Apache-2.0
// Writes recorded signals and sources' signals on one time axis.
#pragma once

#include <string>
#include <vector>

#include "observe/waves/wave_recording.h"
#include "wave/wave_source_if.h"

namespace contraflow::wave {

// An FST file of the time from `from` to `to`; false if it cannot be written.
bool write_waves(const std::string& fst_path, const observe::wave_recording& recorded,
                 const std::vector<wave_source_if*>& sources, core::sim_time from, core::sim_time to);

}  // namespace contraflow::wave
