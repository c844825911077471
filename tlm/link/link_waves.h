// SPDX-License-Identifier: Apache-2.0
// A link's lanes, queues and credits as waves.
#pragma once

#include <array>
#include <vector>

#include "link/link_observer_if.h"
#include "link/link_spec.h"
#include "observe/waves/wave_sink_if.h"

namespace contraflow::link {

class link_waves final : public link_observer_if {
public:
    // Becomes the link's observer. Both must outlive it.
    link_waves(reversible_link& watched, observe::wave_sink_if& waves);
    // Sets the initial values; call it once every signal of the run has been added.
    void start(core::sim_time now);

    void lanes_changed(const reversible_link& l, core::sim_time now) override;
    void queues_changed(const reversible_link& l, direction d, core::sim_time now) override;
    // Reports the events first_turn and first_fault.
    void window_closed(const reversible_link& l, const lane_window& w, core::sim_time now) override;

private:
    struct channel_signals {
        observe::signal_id lanes;
        std::array<observe::signal_id, most_vcs> queues{}, credits{};
    };
    const reversible_link& link_;
    observe::wave_sink_if& waves_;
    by_direction<channel_signals> channels_;
    observe::signal_id turning_;
    observe::signal_id failed_;
};

}  // namespace contraflow::link
