// SPDX-License-Identifier: Apache-2.0
// Whoever is attached to an end of a link. `port` is the number it gave when it was attached.
#pragma once

#include "link/packet.h"

namespace contraflow::link {

class link_end_if {
public:
    virtual ~link_end_if() = default;
    // A packet has come into that virtual channel's receive buffer; it may be taken now or later.
    virtual void packet_arrived(unsigned port, unsigned vc) = 0;
    // A send that was refused would be taken now.
    virtual void link_ready(unsigned port, unsigned vc) = 0;
    // A reset has thrown away a packet that this end had sent; its payload is the sender's again.
    virtual void packet_dropped(unsigned port, const packet& p) = 0;
};

}  // namespace contraflow::link
