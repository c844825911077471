// SPDX-License-Identifier: Apache-2.0
// A node or switch of a network: passes packets from link to link by their target, and to and from the client of the
// node. Requests and responses have virtual channels of their own, two each in rings; see topology.h. A packet leaves
// its receive buffer only when the next queue takes it. Inputs take turns at an output, the client last. The latency of
// a router is part of the latency of the links.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "link/reversible_link.h"
#include "net/network_if.h"
#include "net/topology.h"

namespace contraflow::net {

class router final : public link::link_end_if,
                     public core::waiter_if,
                     private core::channel_receiver_if<link::packet>,
                     private core::channel_sender_if<link::packet> {
public:
    static constexpr unsigned nowhere = ~0u;

    // For a network with that many virtual channels per class.
    router(core::scheduler& events, std::string name, unsigned number, unsigned levels);

    // Returns the port's number.
    unsigned add_link(link::link_port& port, unsigned dimension, bool dateline);
    // The port by target; call it after the last add_link().
    void set_routes(std::vector<unsigned> routes);

    network_port& port() { return port_; }
    // Virtual channels a link needs.
    unsigned channels() const { return 2 * levels_; }
    void report_waits(std::vector<core::wait_edge>& edges) const override;
    void reset();

private:
    struct attached {
        link::link_port* port = nullptr;
        unsigned dimension = 0;
        bool dateline = false;
        core::sim_time last_sent{};
    };
    // A receive buffer whose first packet has to wait.
    struct input {
        unsigned waits_for = nowhere;  // output
        core::sim_time since{};
    };

    void packet_arrived(unsigned port, unsigned vc) override;
    void link_ready(unsigned port, unsigned vc) override;
    void packet_dropped(unsigned, const link::packet&) override {}
    // Packets from the client, and packets to the client.
    bool can_take(unsigned number, const link::packet& p) override;
    void take(unsigned number, link::packet p) override;
    void channel_ready(unsigned number) override;

    unsigned index(unsigned port, unsigned vc) const { return port * channels() + vc; }
    void send(unsigned output, link::packet p);
    const std::string& channel_name(unsigned port) const { return links_[port].port->outward().configuration().path; }
    unsigned output_by(unsigned port, packet_class kind, unsigned from_dimension, unsigned level) const;
    // The output of a packet that arrived at that input, and of a packet from a channel of the client.
    unsigned output_for(unsigned target, unsigned port, unsigned vc) const {
        return output_by(port_.link_to(target), class_of(vc), links_[port].dimension, vc % levels_);
    }
    unsigned output_of(unsigned number) const {
        return output_by(number / packet_classes, network_port::class_of(number), 0, 0);
    }
    // The client's channel that leads to that output, if there is one.
    std::optional<unsigned> injection_at(unsigned output) const;
    // Passes on the first packet of a receive buffer. False: there is none, or it has to wait.
    bool pass(unsigned port, unsigned vc);
    // Passes on its packets until one needs that output and waits for its turn.
    void pass_all_but(unsigned port, unsigned vc, unsigned output);
    void wait_for(unsigned port, unsigned vc, unsigned output);
    static void account(const link::delivery& d, packet_class kind, const std::string& link);
    packet_class class_of(unsigned vc) const { return static_cast<packet_class>(vc / levels_); }

    core::scheduler& events_;
    const std::string name_;
    const unsigned number_;
    const unsigned levels_;
    network_port port_;
    std::vector<attached> links_;
    std::vector<input> inputs_;  // by port and channel
    // By output, which is also a port and a channel: the input to examine first (after the last one comes the client).
    std::vector<unsigned> turn_;
};

}  // namespace contraflow::net
