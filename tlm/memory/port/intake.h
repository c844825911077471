// SPDX-License-Identifier: Apache-2.0
// What pause, drain and enable mean to a component that takes requests and serves them.
#pragma once

#include "core/control.h"

namespace contraflow::memory {

struct intake {
    bool taking = true;   // new requests in
    bool serving = true;  // what has been taken in

    // False for verbs of another kind.
    bool control(core::control_verb verb) {
        const bool on = verb == core::control_verb::enable;
        if (!on && verb != core::control_verb::drain && verb != core::control_verb::pause) return false;
        taking = on;
        serving = verb != core::control_verb::pause;
        return true;
    }
};

}  // namespace contraflow::memory
