// SPDX-License-Identifier: Apache-2.0
// Attached to one end of a link: a router, which is in a folder above this one. `port` is the number that was given to
// attach().
// A link is no core::channel: its virtual channels share lanes whose number changes under a packet, and the receiver
// takes from several buffers by an arbitration of its own. Its queues, credits and wakes are core's.
#pragma once

#include "link/packet.h"

namespace contraflow::link {

class link_end_if {
public:
    virtual ~link_end_if() = default;
    // A packet has arrived in that virtual channel's receive buffer; take it now or later.
    virtual void packet_arrived(unsigned port, unsigned vc) = 0;
    // A send that was refused would now be accepted.
    virtual void link_ready(unsigned port, unsigned vc) = 0;
    // A reset has dropped a packet that this end sent; the payload belongs to the sender again.
    virtual void packet_dropped(unsigned port, const packet& p) = 0;
};

}  // namespace contraflow::link
