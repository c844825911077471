// SPDX-License-Identifier: Apache-2.0
// Observes a link: link_waves here, and the logs of changes and windows of a validation and of tests. A link without an
// observer pays one branch.
#pragma once

#include "core/units.h"
#include "link/lanes/direction.h"
#include "link/lanes/lane_set_if.h"

namespace contraflow::link {

class reversible_link;

class link_observer_if {
public:
    virtual ~link_observer_if() = default;
    // Lanes have left, joined or failed.
    virtual void lanes_changed(const reversible_link& l, core::sim_time now) = 0;
    // Queues or credits of that direction have changed.
    virtual void queues_changed(const reversible_link& l, direction d, core::sim_time now) = 0;
    // A window with traffic has ended.
    virtual void window_closed(const reversible_link& l, const lane_window& w, core::sim_time now) = 0;
};

}  // namespace contraflow::link
