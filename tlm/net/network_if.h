// SPDX-License-Identifier: Apache-2.0
// A network carries packets between nodes in two classes, requests and responses. Every network keeps these rules:
//   - An accepted packet arrives once. Packets of one class from one node to another arrive in order, if they concern
//     the same address.
//   - Blocked requests do not block responses. So the network cannot deadlock, however small its buffers, if every
//     client takes each response in the end, and takes requests while its responses leave.
//   - Only a reset drops packets, and no packet is sent without room for it at the other end.
#pragma once

#include <cstdint>
#include <string>

#include "core/control.h"
#include "core/waiting.h"
#include "link/packet.h"
#include "observe/conservation.h"

namespace contraflow::net {

enum class packet_class : std::uint8_t { request, response };

// The component attached to a port.
class client_if {
public:
    // Is there room for a packet that has arrived here? If not, port.offer_again() tries again later.
    virtual bool can_take(packet_class kind, const link::packet& p) = 0;
    virtual void take_packet(packet_class kind, const link::packet& p) = 0;
    // Refused packets of that class may be injected again; at least one of them would be taken.
    virtual void may_inject(packet_class kind) = 0;
    // For reports of waits.
    virtual const char* client_name() const = 0;

protected:
    ~client_if() = default;
};

// A node's access to the network.
class port_if {
public:
    virtual void set_client(client_if& client) = 0;
    virtual const std::string& name() const = 0;
    // The node's links: each has its own queue, so packets for one do not hold back packets for another.
    virtual unsigned ports() const = 0;
    virtual unsigned port_to(unsigned target) const = 0;
    // Would a packet to that node be taken? If not, may_inject() follows.
    virtual bool can_inject(packet_class kind, unsigned target) = 0;
    virtual void inject(packet_class kind, link::packet p) = 0;
    // Packets that were refused at their arrival may be taken now.
    virtual void offer_again(packet_class kind) = 0;

protected:
    ~port_if() = default;
};

class network_if : public core::controllable_if, public core::waiter_if {
public:
    virtual port_if& port(unsigned node) = 0;
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
