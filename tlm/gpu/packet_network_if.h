// SPDX-License-Identifier: Apache-2.0
// What joins GPUs, whatever it is made of: it carries packets between them in two classes, requests and responses.
// Every network keeps to this:
//   - A packet that was taken arrives once; those of a class from one GPU to another arrive in the order in which they
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

namespace contraflow::gpu {

enum class packet_class : std::uint8_t { request, response };

// Who is attached to a port.
class network_user_if {
public:
    // Is there room for a packet that has arrived here? If not, port.offer_again() asks later.
    virtual bool can_take(packet_class kind, const link::packet& p) = 0;
    virtual void take_packet(packet_class kind, const link::packet& p) = 0;
    // Packets of that class that could not be injected may be tried again; at least one of them would be taken.
    virtual void may_inject(packet_class kind) = 0;

protected:
    ~network_user_if() = default;
};

// A GPU's access to the network. A packet's load is a memory::memory_extension, whose milestones the network keeps.
class network_port_if {
public:
    virtual void set_user(network_user_if& user) = 0;
    virtual const std::string& name() const = 0;
    // First links, of which each has its own queue: what waits for one is in nobody's way to another.
    virtual unsigned ways() const = 0;
    virtual unsigned way_to(unsigned target) const = 0;
    // Would a packet to that GPU be taken? If not, may_inject() follows.
    virtual bool can_inject(packet_class kind, unsigned target) = 0;
    virtual void inject(packet_class kind, link::packet p) = 0;
    // What was refused at its arrival may be taken now.
    virtual void offer_again(packet_class kind) = 0;

protected:
    ~network_port_if() = default;
};

class packet_network_if : public core::controllable_if, public core::waiter_if {
public:
    virtual network_port_if& port(unsigned gpu) = 0;
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

}  // namespace contraflow::gpu
