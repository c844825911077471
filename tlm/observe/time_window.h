// SPDX-License-Identifier: Apache-2.0
// The part of a run that traces and waves show.
#pragma once

#include "core/units.h"

namespace contraflow::observe {

struct time_window {
    core::sim_time from{};
    core::sim_time to = core::sim_time::never();

    bool holds(core::sim_time t) const { return from <= t && t < to; }

    // Also inside a larger description; Fields is a config::fields.
    template <class Fields> static void describe(Fields& f) {
        f("from", &time_window::from).text("first moment shown");
        f("to", &time_window::to).text("the time from which nothing is shown");
    }
};

}  // namespace contraflow::observe
