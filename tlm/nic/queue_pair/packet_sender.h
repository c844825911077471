// SPDX-License-Identifier: Apache-2.0
// Packets on their way out, of requests or of responses: each has a place, gathers its payload from memory, and leaves
// after the earlier packets of its queue pair. Queue pairs take turns; one whose data is late holds up no other, except
// that it keeps its places.
#pragma once

#include <deque>
#include <string>

#include "nic/queue_pair/packet_dma.h"
#include "nic/queue_pair/translator.h"
#include "nic/queue_pair/transport_port.h"
#include "nic/queue_pair/turns.h"

namespace contraflow::nic {

class packet_sender final : public core::waiter_if, private packet_dma::user_if {
public:
    class user_if {
    public:
        // The packet is complete, and leaves now. False: it is thrown away.
        virtual bool leaves(std::uint32_t queue, carried_packet& p) = 0;
        // PCIe has failed to read its payload. The user drops the queue pair's packets.
        virtual void gather_failed(std::uint32_t queue, carried_packet& p) = 0;
        // Data has arrived: send() may have something to do.
        virtual void data_here() = 0;

    protected:
        ~user_if() = default;
    };
    struct spec {
        net::packet_class kind = net::packet_class::request;
        std::uint32_t places = 16;  // packets
        std::uint32_t queues = 1;
    };
    packet_sender(transport_port& port, packet_dma& reads, translator& translate, const spec& s, user_if& user,
                  std::string name);

    // Is there a place for another packet? If not, made_room() is true after the next one has left.
    bool room() {
        if (used_ < spec_.places) return true;
        refused_ = true;
        return false;
    }
    bool made_room() {
        if (used_ == spec_.places) return false;
        return std::exchange(refused_, false);
    }
    // The next packet of a queue pair, for that node; only if there is room. Its user writes the header and sets the
    // size of the payload, then calls gather() until all is here, or complete() if it has written the payload.
    carried_packet& begin(std::uint32_t queue, std::uint16_t node, std::uint64_t bytes);
    carried_packet* filling(std::uint32_t queue) { return lanes_[queue].filling; }
    // later: there is no piece free, or the page is being looked up. absent: there is no such page; the packet stays.
    translator::answer gather(std::uint32_t queue, const registered_region& r, std::uint64_t address);
    void complete(std::uint32_t queue);
    // Drops all packets of a queue pair.
    void drop(std::uint32_t queue);
    void send();
    void may_send() { ready_.append(blocked_); }
    bool empty(std::uint32_t queue) const { return lanes_[queue].packets.empty(); }
    std::uint32_t used() const { return used_; }
    // Call it before the reset of `reads`, which gives back packets that wait for data.
    void reset();
    void report_waits(std::vector<core::wait_edge>& edges) const override;

private:
    struct lane {
        explicit lane(std::uint32_t queue) : turn(queue) {}
        core::linked_fifo<carried_packet> packets;
        carried_packet* filling = nullptr;  // the last one
        std::uint16_t node = 0;
        turns::place turn;
    };
    bool first_complete(const lane& l) const {
        return !l.packets.empty() && &l.packets.front() != l.filling && l.packets.front().packet.moving == 0;
    }
    void settle(lane& l) {
        if (first_complete(l)) ready_.add(l.turn);
    }
    void discard(carried_packet& p);
    void moved(carried_packet& p, std::uint32_t queue) override;

    transport_port& port_;
    packet_dma& reads_;
    translator& translate_;
    const spec spec_;
    user_if& user_;
    const std::string name_;
    std::deque<lane> lanes_;
    turns ready_, blocked_;  // with a complete packet; the network has refused it
    std::uint32_t used_ = 0;
    bool refused_ = false;
};

}  // namespace contraflow::nic
