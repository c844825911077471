// SPDX-License-Identifier: Apache-2.0
// What joins nodes, whatever it is made of: it carries packets between them in two classes, requests and responses.
// Every network keeps to this:
//   - A packet that was taken arrives once; those of a class from one node to another arrive in the order in which they
//     were given, as far as they concern the same address.
//   - What holds requests back holds no responses back. So whoever takes every response in the end, and every request
//     as long as its responses leave, cannot lock the network, however small its buffers.
//   - Nothing is thrown away but by a reset, and nothing is carried without room for it at the other end.
#pragma once

#include <cstdint>
#include <string>

#include "core/control.h"
#include "core/waiting.h"
#include "link/packet.h"
#include "observe/conservation.h"

namespace contraflow::net {

enum class packet_class : std::uint8_t { request, response };

// Who is attached to a port.
class client_if {
public:
    // Is there room for a packet that has arrived here? If not, port.offer_again() asks later.
    virtual bool can_take(packet_class kind, const link::packet& p) = 0;
    virtual void take_packet(packet_class kind, const link::packet& p) = 0;
    // Packets of that class that could not be injected may be tried again; at least one of them would be taken.
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
    // First links: each has its own queue, so what waits for one does not hold back what leaves by another.
    virtual unsigned ports() const = 0;
    virtual unsigned port_to(unsigned target) const = 0;
    // Would a packet to that node be taken? If not, may_inject() follows.
    virtual bool can_inject(packet_class kind, unsigned target) = 0;
    virtual void inject(packet_class kind, link::packet p) = 0;
    // What was refused at its arrival may be taken now.
    virtual void offer_again(packet_class kind) = 0;

protected:
    ~port_if() = default;
};

class network_if : public core::controllable_if, public core::waiter_if {
public:
    virtual port_if& port(unsigned node) = 0;
    // Links a packet passes.
    virtual unsigned hops(unsigned from, unsigned to) const = 0;
    // Of an otherwise empty network: what a packet takes beside the time its bits need.
    virtual core::sim_time latency(unsigned from, unsigned to) const = 0;
    virtual void kernel_launched() = 0;
    // Brings statistics to this moment; before they are read, and before check().
    virtual void settle() = 0;
    virtual void check(observe::conservation& checks) const = 0;
    // Packets given and not yet taken; what has moved so far, for a watchdog.
    virtual std::uint64_t outstanding() const = 0;
    virtual std::uint64_t moved() const = 0;
};

}  // namespace contraflow::net
