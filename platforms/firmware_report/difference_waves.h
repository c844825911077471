// SPDX-License-Identifier: Apache-2.0
// Waves around the first difference of two levels of the receive datapath: in lockstep, a run that writes a run
// directory records them without being asked, and keeps them where there is a difference. One object a run of a
// machine.
#pragma once

#include "face/run/run_context.h"
#include "nic_levels/receive_level.h"
#include "observe/waves/wave_recording.h"

namespace contraflow::firmware_report {

// With --wave-around: the waves of --wave are those around that event. A difference in a run of one level is a
// face::usage_error.
void keep_around_event(const nic_levels::chosen_level& level, face::run_context& context);

class difference_waves {
public:
    difference_waves(const nic_levels::chosen_level& level, face::run_context& context);
    // Where the machine's signals go: the waves of --wave, or those around a difference; null: nowhere.
    observe::wave_recording* sink() { return own_ ? &recorded_ : context_.waves(); }
    // After the run, which ended then: RTL is among the waves with all its signals. If there was a difference, writes
    // difference.fst and difference.gtkw, and says so in the report.
    void keep(const nic_levels::rtl_recordings& rtl, core::sim_time end);

private:
    face::run_context& context_;
    const bool own_;
    observe::wave_recording recorded_;
};

}  // namespace contraflow::firmware_report
