// SPDX-License-Identifier: Apache-2.0
// A packet on a link: a payload that the link never looks into, and the link's own fields.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <typeinfo>

#include "core/transfer.h"

namespace contraflow::link {

struct packet {
    core::transfer* payload = nullptr;  // owned by the sender; the receiver gets the same one
    std::uint32_t bytes = 0;            // without the header
    std::uint16_t source = 0, target = 0;
    std::uint8_t vc = 0;
    bool tag = false;  // no payload and only a tag in its header: several may travel as one packet

    // The payload, which must be of that type: whoever shares a network sends payloads of one type.
    template <class T> T& payload_as() const {
        static_assert(std::is_final_v<T>, "the check compares with exactly this type");
        if (payload == nullptr || typeid(*payload) != typeid(T))
            throw std::logic_error("a packet carries a payload of another type than its receiver takes");
        return static_cast<T&>(*payload);
    }
};

// A packet in a receive buffer, with its times.
struct delivery {
    packet what;
    core::sim_time sent{};     // given to the link
    core::sim_time started{};  // first bit on the lanes
    core::sim_time arrived{};  // last bit at the receiver
};

}  // namespace contraflow::link
