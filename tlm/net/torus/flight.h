// SPDX-License-Identifier: Apache-2.0
// A packet on its path through a torus, and the store of such flights. The store allocates only when more flights are
// under way than ever before.
#pragma once

#include <cstdint>
#include <deque>

#include "core/linked_fifo.h"
#include "link/packet.h"
#include "net/network_if.h"

namespace contraflow::net {

struct flight {
    link::packet what;
    std::uint32_t words = 0;
    packet_class kind{};
    core::sim_time injected{};
    // At the node where it is, or will be next:
    core::sim_time header{};                // its first word is there
    core::sim_time ready{};                 // its header may leave from then on
    core::sim_time tail{};                  // its last word is there
    std::uint8_t dimension = 0, level = 0;  // by which it arrived
    std::uint8_t output = 0, channel = 0;   // for its next hop
    flight* next = nullptr;
};

class flight_store {
public:
    flight& take() {
        flight& f = free_.empty() ? all_.emplace_back() : free_.pop();
        f = {};
        return f;
    }
    void give_back(flight& f) { free_.push(f); }

private:
    std::deque<flight> all_;
    core::linked_fifo<flight> free_;
};

}  // namespace contraflow::net
