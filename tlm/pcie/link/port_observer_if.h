// SPDX-License-Identifier: Apache-2.0
// An observer of ports: a trace, waves, in a folder above this one. A port without an observer pays one branch.
#pragma once

#include <cstdint>

#include "core/units.h"
#include "pcie/tlp.h"

namespace contraflow::pcie {

class port;

class port_observer_if {
public:
    virtual ~port_observer_if() = default;
    // `id` is the argument of set_observer. `again`: a replay. `corrupted`: its LCRC will not match.
    virtual void tlp_sent(unsigned id, const tlp& packet, core::sim_time begin, core::sim_time end, bool again,
                          bool corrupted) = 0;
    virtual void dllps_sent(unsigned id, unsigned count, core::sim_time begin, core::sim_time end) = 0;
    // Queues or credits of this port have changed.
    virtual void changed(unsigned id, const port& p, core::sim_time now) = 0;
};

}  // namespace contraflow::pcie
