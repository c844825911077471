// SPDX-License-Identifier: Apache-2.0
// A node or switch of a network: passes packets from link to link by their target, and to and from the client of the
// node. Requests and responses have virtual channels of their own, two each in rings; see topology.h. A packet leaves
// its receive buffer only when the next queue takes it. Inputs take turns at an output, the client last. The latency of
// a router is part of the latency of the links.
#pragma once

#include <string>
#include <vector>

#include "link/reversible_link.h"
#include "net/network_if.h"
#include "net/topology.h"

namespace contraflow::net {

class router final : public port_if, public link::link_end_if, public core::waiter_if {
public:
    static constexpr unsigned nowhere = ~0u;

    // For a network of that many nodes, with that many virtual channels per class.
    router(core::scheduler& events, std::string name, unsigned number, unsigned nodes, unsigned levels);

    // Returns the port's number.
    unsigned add_link(link::link_port& port, unsigned dimension, bool dateline);
    void set_route(unsigned target, unsigned port) { routes_[target] = port; }

    void set_client(client_if& client) override { client_ = &client; }
    const std::string& name() const override { return name_; }
    unsigned ports() const override { return static_cast<unsigned>(links_.size()); }
    unsigned port_to(unsigned target) const override { return routes_[target]; }
    // Virtual channels a link needs.
    unsigned channels() const { return 2 * levels_; }
    bool can_inject(packet_class kind, unsigned target) override;
    // p.vc is set here.
    void inject(packet_class kind, link::packet p) override;
    void offer_again(packet_class kind) override;
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

    unsigned index(unsigned port, unsigned vc) const { return port * channels() + vc; }
    void send(unsigned output, link::packet p);
    const std::string& channel_name(unsigned port) const { return links_[port].port->outward().configuration().path; }
    unsigned output_for(unsigned target, packet_class kind, unsigned from_dimension, unsigned level) const;
    // The output of a packet that came in there, and of one from here.
    unsigned output_for(unsigned target, unsigned port, unsigned vc) const {
        return output_for(target, class_of(vc), links_[port].dimension, vc % levels_);
    }
    unsigned output_for(unsigned target, packet_class kind) const { return output_for(target, kind, 0, 0); }
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
    std::vector<attached> links_;
    std::vector<unsigned> routes_;  // port by target
    std::vector<input> inputs_;     // by port and channel
    // By output, which is also a port and a channel: the input to examine first (after the last one comes the client),
    // and whether the client waits for it.
    std::vector<unsigned> turn_;
    std::vector<bool> client_waits_;
    client_if* client_ = nullptr;
};

}  // namespace contraflow::net
