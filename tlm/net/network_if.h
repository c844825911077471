// SPDX-License-Identifier: Apache-2.0
// A network carries packets between nodes in two classes, requests and responses. Every network keeps these rules:
//   - An accepted packet arrives once. Packets of one class from one node to another arrive in order, if they concern
//     the same address.
//   - Blocked requests do not block responses. So the network cannot deadlock, however small its buffers, if every
//     client takes each response in the end, and takes requests while its responses leave.
//   - Only a reset drops packets, and no packet is sent without room for it at the other end.
#pragma once

#include <cstdint>

#include "core/control.h"
#include "core/waiting.h"
#include "net/network_port.h"
#include "observe/conservation.h"

namespace contraflow::net {

class network_if : public core::controllable_if, public core::waiter_if {
public:
    virtual network_port& port(unsigned node) = 0;
    // Links a packet passes.
    virtual unsigned hops(unsigned from, unsigned to) const = 0;
    // The latency of a packet in an otherwise empty network, without the time of its bits.
    virtual core::sim_time latency(unsigned from, unsigned to) const = 0;
    virtual void kernel_launched() = 0;
    // Brings statistics up to date. Call it before they are read, and before check().
    virtual void settle() = 0;
    virtual void check(observe::conservation& checks) const = 0;
    // Packets injected and not yet taken; a count of progress, for a watchdog.
    virtual std::uint64_t outstanding() const = 0;
    virtual std::uint64_t moved() const = 0;
};

}  // namespace contraflow::net
