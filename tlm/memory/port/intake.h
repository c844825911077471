// SPDX-License-Identifier: Apache-2.0
// The effect of pause, drain and enable on a component that accepts and serves requests.
#pragma once

#include "core/control.h"

namespace contraflow::memory {

struct intake {
    bool taking = true;   // accepts new requests
    bool serving = true;  // serves accepted requests

    // False for other verbs.
    bool control(core::control_verb verb) {
        const bool on = verb == core::control_verb::enable;
        if (!on && verb != core::control_verb::drain && verb != core::control_verb::pause) return false;
        taking = on;
        serving = verb != core::control_verb::pause;
        return true;
    }
};

}  // namespace contraflow::memory
