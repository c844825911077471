// SPDX-License-Identifier: Apache-2.0
// The parameters of a crossbar. Defaults: a large GPU's, assumed.
#pragma once

#include "config/fields.h"
#include "core/units.h"

namespace contraflow::memory {

struct crossbar_spec {
    core::cycles latency{20};
    core::cycles response_latency{20};
    core::bytes flit{32};
    core::bytes header{8};
    unsigned queue = 8;
    unsigned response_queue = 32;

    // Set by the machine, not by a configuration.
    core::sim_time cycle = core::sim_time::from_ns(1);
    unsigned inputs = 1;
    unsigned outputs = 1;

    static void describe(config::fields<crossbar_spec>& f);
};

}  // namespace contraflow::memory
