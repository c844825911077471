// SPDX-License-Identifier: Apache-2.0
// A node of a torus: its client's queues, its router, and the receive buffers of its links. net/topology has the routes
// and the change of virtual channels at datelines.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "net/network_if.h"
#include "net/topology.h"
#include "net/torus/ejection.h"
#include "net/torus/torus_link.h"

namespace contraflow::net {

class torus_node final : public port_if, private buffer_owner_if, private link_receiver_if, private ejection::owner_if {
public:
    // Shared by all nodes of a network.
    struct shared {
        core::scheduler& events;
        const torus_spec& spec;
        unsigned levels;  // datelines need two
        flight_store& flights;
        observe::histogram& latency;
        struct {
            std::uint64_t accepted = 0, taken = 0, dropped = 0, moved = 0;
        } packets;
    };
    torus_node(shared& all, observe::statistics& group, std::string name);

    static unsigned channels(const torus_spec& s) { return 2 * s.virtual_channels; }
    // Add all links first, then call connect().
    void add_link(std::unique_ptr<torus_link> out);
    // The receive side of port n.
    void connect(unsigned port, torus_link& in);
    void finish(std::vector<std::uint8_t> routes);

    void set_client(client_if& client) override { client_ = &client; }
    const std::string& name() const override { return name_; }
    // One for each link, and a last one for packets to the node itself.
    unsigned ports() const override { return static_cast<unsigned>(links_.size()) + 1; }
    unsigned port_to(unsigned target) const override { return routes_[target]; }
    bool can_inject(packet_class kind, unsigned target) override;
    void inject(packet_class kind, link::packet p) override;
    void offer_again(packet_class kind) override { out_.offer_again(kind); }

    const std::vector<std::unique_ptr<torus_link>>& links() const { return links_; }
    std::uint64_t held() const;
    void reset();
    void report_waits(std::vector<core::wait_edge>& edges) const;

private:
    void first_ready(input_buffer& b) override;
    void room_in(input_buffer& b) override;
    void arrives(input_buffer& b, flight& f) override;
    bool deliver(const flight& f) override;
    void delivered(flight& f) override;
    const char* taker() const override { return client_->client_name(); }
    // A packet's next hop.
    void route(flight& f) const;
    unsigned queue_of(packet_class kind, unsigned target) const {
        return 2 * routes_[target] + static_cast<unsigned>(kind);
    }

    shared& all_;
    const std::string name_;
    const core::sim_time word_time_, router_time_;
    const unsigned lanes_;  // virtual channels per class and level
    std::vector<std::unique_ptr<torus_link>> links_;
    struct way {
        torus_link* link;
        std::uint8_t dimension;
        bool dateline;
    };
    std::vector<way> ways_;             // by port
    std::vector<std::uint8_t> routes_;  // port by target
    std::deque<std::string> paths_;     // names of the buffers
    std::deque<input_buffer> inputs_;   // by port and channel, ports in the order in which they were connected
    std::deque<input_buffer> queues_;   // by port and class
    std::vector<bool> refused_;         // by queue of queues_
    std::vector<core::sim_time> refused_since_;
    core::sim_time injecting_until_{};  // the client sends one word per cycle
    ejection out_;
    client_if* client_ = nullptr;
};

}  // namespace contraflow::net
