// SPDX-License-Identifier: Apache-2.0
// Connects a NIC to the torus. Packets that leave the NIC are injected at its node; arriving packets are handed to its
// receive side, and wait in the torus while that refuses them. A packet to the node itself takes the same path.
//
//   transmit -> channels -> | held: one packet a class | -> can_inject(), inject()      -> torus
//   receive  <- channel  <- |  (no queue)              | <- can_take(), take_packet()   <- torus
//
// The torus assumes that words follow one another at its own rate. If that is faster than the NIC's, a packet is
// injected later, so that its last word is injected when the NIC has sent it.
// In the classes of net/network_if.h a put is a response, and a get request a request: puts pass blocked get requests.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/channel.h"
#include "core/timer.h"
#include "net/carried_packets.h"
#include "net/network_if.h"
#include "nic/packet.h"
#include "nic/torus_packet.h"
#include "observe/statistics.h"
#include "observe/trace.h"

namespace contraflow::host {

// Converts a node's number to its position, as packets have it, and back. Node 0 is at the origin, and x grows first.
class torus_positions {
public:
    // One to three numbers of at most 32 each.
    explicit torus_positions(const std::vector<std::uint32_t>& nodes);
    nic::position of(unsigned node) const;
    std::vector<nic::position> all() const;  // by node
    // None if no node is there.
    std::optional<unsigned> number(const nic::position& at) const;

private:
    std::array<unsigned, 3> size_{1, 1, 1};
};

// What networks and traces need to know of a packet of a torus.
struct about_torus_packet {
    static std::span<std::uint8_t> bytes_on_wire(nic::torus_packet& words) { return words; }
    static void crossed(observe::trace& trace, const nic::torus_packet& words, const char* link, core::sim_time started,
                        core::sim_time arrived);
};
using carried_packets = net::carried_packets<nic::torus_packet, about_torus_packet>;

class torus_port final : public core::channel_receiver_if<nic::torus_packet>,
                         public core::channel_sender_if<nic::torus_packet>,
                         public core::waiter_if,
                         private net::client_if {
public:
    struct resources {
        core::scheduler& events;
        observe::statistics& statistics;
        net::network_port& port;
        carried_packets& packets;
        const torus_positions& positions;
    };
    struct spec {
        std::string name;  // instance
        unsigned node = 0;
        core::sim_time nic_word{}, torus_word{};  // times of a word
    };
    torus_port(const spec& s, const resources& r);

    using channel = core::channel<nic::torus_packet>;
    // Call it before the run. The channels from the NIC have queues, and this end's port number of each is its packet
    // class; the channel to the NIC has no queue.
    void connect(channel& requests, channel& responses, channel& to_nic);

    // Packets injected, taken by the receive side, and dropped because their target is no node.
    std::uint64_t injected() const { return injected_.value(); }
    std::uint64_t taken() const { return taken_.value(); }
    std::uint64_t dropped() const { return dropped_; }  // by resets
    std::uint64_t unroutable() const { return unroutable_.value(); }
    std::uint64_t injected_bytes() const { return injected_bytes_.value(); }
    std::uint64_t taken_bytes() const { return taken_bytes_.value(); }
    std::uint64_t held() const { return (out_[0].held ? 1u : 0u) + (out_[1].held ? 1u : 0u); }
    // Call it together with the resets of the network and of the channels.
    void reset();
    void report_waits(std::vector<core::wait_edge>& edges) const override;

    // From the NIC.
    bool can_take(unsigned kind, const nic::torus_packet&) override { return !out_.at(kind).held; }
    void take(unsigned kind, nic::torus_packet p) override;
    // To the NIC.
    void channel_ready(unsigned) override;

private:
    struct outgoing {
        nic::torus_packet words;
        unsigned target = 0;
        core::sim_time due{};  // not to be injected before
    };
    struct sender {
        channel* from = nullptr;
        std::optional<outgoing> held;
    };
    void inject(net::packet_class kind);
    void inject_due();
    // net::client_if
    bool can_take(net::packet_class kind, const link::packet& p) override;
    void take_packet(net::packet_class kind, const link::packet& p) override;
    void may_inject(net::packet_class kind) override;
    const char* client_name() const override { return spec_.name.c_str(); }

    static carried_packets::carried& carried_by(const link::packet& p) {
        return p.payload_as<carried_packets::carried>();
    }

    const spec spec_;
    net::network_port& port_;
    carried_packets& packets_;
    const torus_positions& positions_;
    core::scheduler& events_;
    std::array<sender, 2> out_;  // by class
    channel* to_nic_ = nullptr;
    std::uint64_t dropped_ = 0;  // packets
    core::timer<&torus_port::inject_due> inject_;
    observe::counter injected_, injected_bytes_, taken_, taken_bytes_, unroutable_;
};

}  // namespace contraflow::host
