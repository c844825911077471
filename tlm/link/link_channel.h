// SPDX-License-Identifier: Apache-2.0
// One direction of a link: a finite queue per virtual channel at the sender, the lanes that serve it striped by phit,
// and a receive buffer per virtual channel with credits in phits. What the lanes carry is exact in lane-picoseconds: a
// packet of p phits takes p cycles of one lane, shared by all that serve, also if their number changes meanwhile. A
// packet costs two callbacks under load (departure and arrival), and one if no packet waits behind it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/bounded_queue.h"
#include "core/callback.h"
#include "core/credits.h"
#include "core/scheduler.h"
#include "core/timer.h"
#include "core/waiting.h"
#include "link/lanes/lane_set_if.h"
#include "link/link_end_if.h"
#include "link/link_spec.h"
#include "link/link_statistics.h"

namespace contraflow::link {

class link_channel {
public:
    struct spec {
        std::string path;  // "link[0].ab"
        std::uint32_t vcs = 1;
        std::uint32_t queue = 1;   // packets
        std::uint32_t buffer = 1;  // phits
        std::uint32_t header = 0;  // bytes
        std::uint32_t tags = 1;    // tags that may travel as one packet
        std::uint32_t phit = 1;    // bytes
        core::sim_time cycle{};
        core::sim_time latency{};  // for a packet's last bit, and for a returned credit
    };
    // The owner of the sending or receiving end.
    struct end {
        link_end_if* owner = nullptr;
        unsigned port = 0;
        std::string name;
    };
    struct calls {
        core::callback traffic_began;   // a transmission begins
        core::callback queues_changed;  // queues or credits of an observed channel have
    };
    // The channel reports what its lanes carry to `lanes`.
    link_channel(core::scheduler& events, const spec& s, channel_statistics& statistics, lane_set_if& lanes,
                 direction heading, const calls& owner, const end& sender, const end& receiver);

    // --- sender
    bool can_send(unsigned vc);
    void send(const packet& p);
    // --- receiver
    bool has(unsigned vc) const { return !vcs_[vc].buffer.empty(); }
    const delivery& front(unsigned vc) const { return vcs_[vc].buffer.front().what; }
    delivery pop(unsigned vc);

    // --- lanes
    unsigned lanes() const { return lanes_; }
    void set_lanes(unsigned lanes);
    // Accounts for the lanes' work until now.
    void settle() { settle(events_.now()); }
    // Whether the lanes carry a packet.
    bool busy() const { return lanes_ > 0 && transmitting(); }
    // A lane failed: the packet on the lanes is sent again, and nothing is sent before that time.
    void interrupt(core::sim_time until);

    // --- control
    void set_sending(bool on);    // whether transmissions may begin
    void set_accepting(bool on);  // whether the sender may give packets
    void reset();
    void set_observed(bool on) { observed_ = on; }

    // --- contents
    std::uint64_t accepted() const { return accepted_; }  // packets
    std::uint64_t taken() const { return taken_; }
    std::uint64_t dropped() const { return dropped_; }
    std::uint64_t held() const { return waiting_ + in_flight_.size() + buffered_; }
    std::size_t queued(unsigned vc) const { return vcs_[vc].queue.size(); }
    std::uint64_t credits(unsigned vc) const { return vcs_[vc].credits.here(); }
    // Credits at the sender, on their way back, and held by packets in flight or in the buffer: always equal to the
    // buffer.
    std::uint64_t all_credits(unsigned vc) const;
    const spec& configuration() const { return spec_; }
    void report_waits(std::vector<core::wait_edge>& edges) const;

private:
    struct queued_packet {
        packet what;
        core::sim_time sent{};
        std::uint32_t phits = 0;
    };
    struct received_packet {
        delivery what;
        std::uint32_t phits = 0;
    };
    struct virtual_channel {
        core::bounded_queue<queued_packet> queue{0};
        core::bounded_queue<received_packet> buffer{0};
        core::credits credits{0, 0};  // phits of the receive buffer
        bool refused = false;         // the sender waits for room
    };

    bool transmitting() const { return on_wire_ && events_.now() < finish_; }
    void settle(core::sim_time now);
    void carry(const lane_burst& b);
    void find_finish();
    void leave_wire();
    void start_next();
    bool may_start(unsigned vc);
    void put_on_wire(unsigned vc, const queued_packet& next);
    void add_tags(unsigned vc);
    void transmit(unsigned vc);
    void end_starvation();
    void arm_departure();
    void arm_arrival();
    void arm_credit_wake();
    void departure();
    void arrival();
    void credits_returned();
    void tell_refused(unsigned vc);

    core::scheduler& events_;
    const spec spec_;
    channel_statistics& statistics_;
    lane_set_if& lane_set_;
    const direction heading_;
    const calls owner_;
    const end& sender_;
    const end& receiver_;

    std::array<virtual_channel, most_vcs> vcs_;
    unsigned turn_ = 0;  // the virtual channel that is checked first
    bool sending_ = true;
    bool accepting_ = true;
    bool observed_ = false;
    unsigned lanes_ = 0;

    // Until finish_, the lanes carry the last packet of in_flight_, or the last few if they travel as one.
    bool on_wire_ = false;
    std::size_t as_one_ = 0;
    std::uint32_t wire_phits_ = 0;
    std::uint64_t left_ = 0;  // lane-picoseconds, at settled_
    // Lane-picoseconds that the previous packet did not need in its last picosecond. A packet that follows at once uses
    // them.
    std::uint64_t surplus_ = 0;
    core::sim_time settled_{};
    core::sim_time finish_{};
    core::sim_time resumes_at_{};  // after a lane has failed
    core::bounded_queue<received_packet> in_flight_;

    core::timer<&link_channel::departure> departure_;
    core::timer<&link_channel::arrival> arrival_;
    core::timer<&link_channel::credits_returned> credit_;
    bool starved_ = false;  // packets wait and the lanes are free, but credits lack
    core::sim_time starved_since_{};

    std::uint64_t waiting_ = 0, buffered_ = 0;
    std::uint64_t accepted_ = 0, taken_ = 0, dropped_ = 0;
};

}  // namespace contraflow::link
