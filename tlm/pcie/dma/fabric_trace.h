// SPDX-License-Identifier: Apache-2.0
// A fabric's packets as trace slices, with one track for each link direction and one flow for each TLP; and its queues
// and credits as waves. Both show a window of simulated time, so that files stay small.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "observe/time_window.h"
#include "observe/trace.h"
#include "observe/waves/wave_sink_if.h"
#include "pcie/dma/fabric.h"
#include "pcie/fabric/port_waves.h"
#include "pcie/link/port_observer_if.h"

namespace contraflow::pcie {

class fabric_observer final : public port_observer_if {
public:
    // Trace and waves may be null. All arguments outlive the observer.
    fabric_observer(fabric& watched, observe::trace* trace, observe::wave_sink_if* waves,
                    const observe::time_window& window);

    void tlp_sent(unsigned id, const tlp& packet, core::sim_time begin, core::sim_time end, bool again,
                  bool corrupted) override;
    void dllps_sent(unsigned id, unsigned count, core::sim_time begin, core::sim_time end) override;
    void changed(unsigned, const port&, core::sim_time) override {}

private:
    struct direction {
        observe::track_id track;
        bool first = false;  // leaves an endpoint
        bool last = false;   // leads to an endpoint
    };
    const fabric& fabric_;
    observe::trace* trace_;
    const observe::time_window window_;
    std::vector<direction> directions_;  // by port_id::index()
    std::optional<port_waves> signals_;
};

}  // namespace contraflow::pcie
