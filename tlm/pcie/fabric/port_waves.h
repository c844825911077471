// SPDX-License-Identifier: Apache-2.0
// Queues and credits of a tree's ports as signals, in a window of simulated time.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "observe/time_window.h"
#include "observe/waves/wave_sink_if.h"
#include "pcie/fabric/topology.h"
#include "pcie/link/port_observer_if.h"

namespace contraflow::pcie {

class port_waves final : public port_observer_if {
public:
    // Names begin with `path`: "node0." makes "node0.gpu0.up.posted_queue". The sink outlives it.
    port_waves(const topology& tree, const std::string& path, observe::wave_sink_if& waves,
               const observe::time_window& window);

    void tlp_sent(unsigned, const tlp&, core::sim_time, core::sim_time, bool, bool) override {}
    void dllps_sent(unsigned, unsigned, core::sim_time, core::sim_time) override {}
    void changed(unsigned id, const port& p, core::sim_time now) override;

private:
    observe::wave_sink_if& waves_;
    const observe::time_window window_;
    std::vector<std::array<observe::signal_id, 6>> signals_;  // by port_id::index()
};

}  // namespace contraflow::pcie
