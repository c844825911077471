// SPDX-License-Identifier: Apache-2.0
// Plays a case against a receive datapath. After the set-up, packets come as fast as they are taken, tables answer and
// writes are acknowledged after fixed times, and rings are emptied at once. The actions are sorted by packet.
#pragma once

#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "config/tree/problem.h"
#include "core/units.h"
#include "nic/receive/datapath_factory.h"
#include "nic/receive/receive_case.h"
#include "observe/statistics.h"
#include "observe/watched_run.h"

namespace contraflow::nic {

struct replay_conditions {
    core::sim_time table_latency = core::sim_time::from_ns(20);
    core::sim_time acknowledge_latency = core::sim_time::from_ns(400);
    core::sim_time watchdog = observe::watchdog_key::usual;  // progress: a packet is taken, or an action made

    static void describe(config::fields<replay_conditions>& f);
};
// Nothing moves while a packet waits for an acknowledgement or, if hardware walks tables, for an entry: the watchdog
// must wait longer.
std::vector<config::problem> problems_of(const replay_conditions& c, bool hardware_walks);

struct replay_outcome : observe::run_end {
    receive_result result;
    core::sim_time time{};                      // from the first packet to the end of the last action
    core::sim_time last_action{};               // from the first packet to the last action
    core::sim_time end{};                       // of the simulation, which begins with the set-up
    std::string not_conserved;                  // empty, or the input that did not come out
    std::exception_ptr failure;                 // an exception of the datapath
    std::vector<observe::stat_row> statistics;  // of the datapath
    bool complete = false;                      // false: it was stopped, hung or failed
};

// The sizes with which a case is played: max_payload is its own, and there are as many buffers and rings as it needs.
receive_spec spec_for(const receive_case& c, receive_spec spec);

// The case sets `spec.max_payload` and the numbers of buffers and rings. Stops when `keep_going` returns false, and at
// the simulated time `limit`.
replay_outcome replay(const receive_case& c, const receive_spec& spec, const datapath_factory& make,
                      const replay_conditions& conditions = {}, const std::function<bool()>& keep_going = {},
                      observe::wave_sink_if* waves = nullptr, core::sim_time limit = core::sim_time::never());

}  // namespace contraflow::nic
