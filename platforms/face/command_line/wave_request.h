// SPDX-License-Identifier: Apache-2.0
// The command line's options for waves.
#pragma once

#include <string>

#include "core/units.h"
#include "wave/wave_output.h"

namespace contraflow::face {

struct wave_request {
    wave::format as = wave::format::fst;
    bool window = false;  // from or to was given
    core::sim_time from{}, to = core::sim_time::never();
    std::string event;  // waves are shown around it; empty: none
};

}  // namespace contraflow::face
