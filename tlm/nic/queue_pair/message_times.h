// SPDX-License-Identifier: Apache-2.0
// What became of an entry of a send queue, and when.
#pragma once

#include "core/units.h"
#include "nic/queue_pair/work_entry.h"

namespace contraflow::nic {

// The life of an entry. Its parts tile the time from the doorbell to the completion's departure.
struct message_times {
    core::sim_time rung{};       // the doorbell that the NIC acted on: the first one, or the last before the fetch
    core::sim_time fetching{};   // the read of the entry is started
    core::sim_time fetched{};    // the entry is here
    core::sim_time begun{};      // its turn in processing
    core::sim_time processed{};  // its packets may be launched
    core::sim_time sent{};       // its last packet, or its request, has left for the first time
    core::sim_time answered{};   // all is acknowledged, and what was read is on its way to memory
    core::sim_time completed{};  // the completion has left over PCIe, or would have
};

struct message_end {
    std::uint32_t queue = 0, number = 0;
    std::uint8_t opcode = 0;  // 0: the entry was not looked at
    std::uint32_t length = 0;
    work_status status = work_status::done;
    message_times at;
};

class message_observer_if {
public:
    virtual void message_ended(const message_end& m) = 0;

protected:
    ~message_observer_if() = default;
};

}  // namespace contraflow::nic
