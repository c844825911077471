// SPDX-License-Identifier: Apache-2.0
// What travels over a link: a payload that the link never looks into, and what it needs to carry it.
#pragma once

#include <cstdint>

#include "core/transfer.h"

namespace contraflow::link {

struct packet {
    core::transfer* payload = nullptr;  // the sender's; the receiver gets the same one
    std::uint32_t bytes = 0;            // beside the header
    std::uint16_t source = 0, target = 0;
    std::uint8_t vc = 0;
    bool tag = false;  // no payload, and no more than a tag in its header: several may travel as one
};

// A packet in a receive buffer, and how it came there.
struct delivery {
    packet what;
    core::sim_time sent{};     // given to the link
    core::sim_time started{};  // first bit on the lanes
    core::sim_time arrived{};  // last bit at the receiver
};

}  // namespace contraflow::link
