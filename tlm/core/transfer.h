// SPDX-License-Identifier: Apache-2.0
// The payload of links and networks. They never look inside it, but tell it which links and nodes it has passed.
#pragma once

#include <cstdint>
#include <span>

#include "core/units.h"

namespace contraflow::core {

class transfer {
public:
    // It has crossed a link: from its first bit on the link until the arrival of its last bit. `answer`: as a response.
    virtual void crossed(const char* link, bool answer, sim_time started, sim_time arrived) = 0;
    // A node has passed it on. The node's name must outlive the transfer.
    virtual void passed(const char* node, sim_time now) = 0;
    // Its bytes on the wires, for links that check them; empty: only their number is known.
    virtual std::span<std::uint8_t> bytes_on_wire() { return {}; }

protected:
    ~transfer() = default;
};

}  // namespace contraflow::core
