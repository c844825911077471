// SPDX-License-Identifier: Apache-2.0
// Who waits for what: every component that can be blocked tells it on demand. Nothing is recorded while all is well.
#pragma once

#include <string>
#include <vector>

#include "core/units.h"

namespace contraflow::core {

// `waiter` cannot go on until `holder` gives `resource` ("posted header credit", "buffer space", "completion").
struct wait_edge {
    std::string waiter;  // instance path
    std::string resource;
    std::string holder;  // instance path
    sim_time since{};
};

class waiter_if {
public:
    virtual ~waiter_if() = default;
    // Appends what this component is waiting for at this moment.
    virtual void report_waits(std::vector<wait_edge>& edges) const = 0;
};

}  // namespace contraflow::core
