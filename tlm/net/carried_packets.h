// SPDX-License-Identifier: Apache-2.0
// The packets of a NIC that are in a network, which carries only references to them. All NICs of a network share a
// pool: the sender takes a packet, the receiver gives it back. Allocates only when more are under way than ever before.
//
// `About` says what networks and traces need to know of a Packet:
//   static std::span<std::uint8_t> bytes_on_wire(Packet&);
//   static void crossed(observe::trace&, const Packet&, const char* link, core::sim_time started, core::sim_time
//   arrived)
#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "core/transfer.h"
#include "observe/trace.h"

namespace contraflow::net {

template <class Packet, class About> class carried_packets {
public:
    struct carried final : core::transfer {
        explicit carried(carried_packets& pool) : of(pool) {}
        void crossed(const char* link, bool, core::sim_time started, core::sim_time arrived) override {
            if (of.trace_ != nullptr) About::crossed(*of.trace_, packet, link, started, arrived);
        }
        void passed(const char*, core::sim_time) override {}
        std::span<std::uint8_t> bytes_on_wire() override { return About::bytes_on_wire(packet); }

        carried_packets& of;
        Packet packet{};
        std::uint64_t bytes = 0;  // on the wires
        carried* next = nullptr;  // for a core::linked_fifo of its holder
        bool taken = false;
    };

    // A packet with the content that its last user left.
    carried& take(std::uint64_t bytes) {
        if (free_.empty()) free_.push_back(&all_.emplace_back(*this));
        carried& c = *free_.back();
        free_.pop_back();
        c.bytes = bytes;
        c.taken = true;
        ++under_way_;
        bytes_ += bytes;
        return c;
    }
    void give_back(carried& c) {
        if (!std::exchange(c.taken, false)) return;
        --under_way_;
        bytes_ -= c.bytes;
        free_.push_back(&c);
    }
    // A slice for each link that a packet crosses; null: none.
    void set_trace(observe::trace* trace) { trace_ = trace; }
    // The network and its NICs have been reset: no packet is under way.
    void reset() {
        dropped_ += bytes_;
        for (carried& c : all_) give_back(c);
    }
    std::uint64_t packets() const { return under_way_; }
    // Bytes of the packets under way, and of those that resets have dropped.
    std::uint64_t under_way() const { return bytes_; }
    std::uint64_t dropped() const { return dropped_; }

private:
    std::uint64_t under_way_ = 0, bytes_ = 0, dropped_ = 0;
    std::deque<carried> all_;
    std::vector<carried*> free_;
    observe::trace* trace_ = nullptr;
};

}  // namespace contraflow::net
