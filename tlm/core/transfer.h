// SPDX-License-Identifier: Apache-2.0
// What crosses links and networks. They never look inside it, but tell it where it has been.
#pragma once

#include <cstdint>
#include <span>

#include "core/units.h"

namespace contraflow::core {

class transfer {
public:
    // From its first bit on the link until its last bit had arrived. `answer`: on the way back.
    virtual void crossed(const char* link, bool answer, sim_time started, sim_time arrived) = 0;
    // A node has passed it on. The node's name must outlive the transfer.
    virtual void passed(const char* node, sim_time now) = 0;
    // Its bytes as they are on wires, where a link needs them for its check; empty: only their number is known.
    virtual std::span<std::uint8_t> bytes_on_wire() { return {}; }

protected:
    ~transfer() = default;
};

}  // namespace contraflow::core
