// SPDX-License-Identifier: Apache-2.0
// One run of the network alone: random traffic of one load.
#pragma once

#include <cstdint>
#include <vector>

#include "observe/trace.h"
#include "runner/run.h"
#include "torus_nic/experiment/experiment.h"
#include "torus_nic/nodes/link_use.h"

namespace contraflow::torus_nic {

struct load_result : runner::run_outcome {
    double load = 0;
    double offered = 0, accepted = 0;                    // words per cycle and sending node
    double accepted_at_first = 0, accepted_at_last = 0;  // in each half of the measurement
    double mean_ps = 0, p50_ps = 0, p99_ps = 0, max_ps = 0;
    std::uint64_t measured = 0, never_arrived = 0;  // packets
    bool saturated = false;
    bool arrived() const { return measured > never_arrived; }  // some packets: their latency is known
    // Beyond saturation packets still queue up in the network: the longer it is measured, the less it accepts.
    bool declining() const { return saturated && accepted_at_last < 0.99 * accepted_at_first; }
    std::vector<link_use> links;
    std::uint64_t crossings = 0;                              // packets over links
    std::uint64_t damaged = 0, resent = 0, lost_credits = 0;  // words
};

// `trace`: gets each crossing of a link; may be null.
load_result run_load(const experiment& e, double load, const runner::limits& limits, observe::trace* trace);

}  // namespace contraflow::torus_nic
