// SPDX-License-Identifier: Apache-2.0
// The waits of components. Every component that can be blocked reports its waits on demand; nothing is recorded
// otherwise.
#pragma once

#include <string>
#include <vector>

#include "core/units.h"

namespace contraflow::core {

// `waiter` cannot continue until `holder` gives `resource` ("posted header credit", "buffer space", "completion").
struct wait_edge {
    std::string waiter;  // instance path
    std::string resource;
    std::string holder;  // instance path
    sim_time since{};
};

class waiter_if {
public:
    virtual ~waiter_if() = default;
    // Appends the present waits of this component.
    virtual void report_waits(std::vector<wait_edge>& edges) const = 0;
};

}  // namespace contraflow::core
