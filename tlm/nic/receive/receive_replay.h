// SPDX-License-Identifier: Apache-2.0
// Plays a case against a receive datapath. When it has been set up, packets come as fast as they are taken, tables
// answer and writes are acknowledged after fixed times, rings are emptied at once. What comes out is put in order of
// packets.
#pragma once

#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "core/units.h"
#include "nic/receive/datapath_factory.h"
#include "nic/receive/receive_case.h"

namespace contraflow::nic {

struct replay_conditions {
    core::sim_time table_latency = core::sim_time::from_ns(20);
    core::sim_time acknowledge_latency = core::sim_time::from_ns(400);
    // So long without a packet taken or an action, with work left: a hang.
    core::sim_time watchdog = core::sim_time::from_us(20'000);

    static void describe(config::fields<replay_conditions>& f);
};

struct replay_outcome {
    receive_result result;
    core::sim_time time{};                // from the first packet until the last action was over
    std::string not_conserved;            // empty, or what went in and did not come out
    std::exception_ptr failure;           // what the datapath has thrown
    bool complete = false;                // false: it was stopped, hangs, or has failed
    std::string hang;                     // empty, or how long nothing has moved
    std::vector<std::string> wait_chain;  // then: who waits for what
};

// `spec.max_payload`, and as many buffers and rings as it takes, are the case's. Stops when `keep_going` says no.
replay_outcome replay(const receive_case& c, receive_spec spec, const datapath_factory& make,
                      const replay_conditions& conditions = {}, const std::function<bool()>& keep_going = {});

}  // namespace contraflow::nic
