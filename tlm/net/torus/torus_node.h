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
#include "net/torus/torus_shared.h"

namespace contraflow::net {

class torus_node final : private core::channel_receiver_if<link::packet>,
                         private core::channel_sender_if<link::packet> {
public:
    torus_node(torus_shared& all, observe::statistics& group, std::string name);

    static unsigned channels(const torus_spec& s) { return 2 * s.virtual_channels; }
    // Add all links first, then call connect().
    void add_link(std::unique_ptr<torus_link> out);
    // The receive side of port n.
    void connect(unsigned port, torus_link& in);
    // `routes`: by target node, the number of the first link; for the node itself, the number of links.
    void finish(std::vector<unsigned> routes);

    const std::string& name() const { return name_; }
    network_port& port() { return port_; }
    const std::vector<std::unique_ptr<torus_link>>& links() const { return links_; }
    std::uint64_t held() const;
    void reset();
    void report_waits(std::vector<core::wait_edge>& edges) const;

    // --- called by its buffers and by the links that end here
    // The buffer's first packet requests its output.
    void first_ready(input_buffer& b);
    // A packet has begun to leave the buffer.
    void room_in(input_buffer& b);
    // The packet arrives in that buffer: its first word at f.header, its last one at f.tail.
    void arrives(input_buffer& b, flight& f);

private:
    // Packets from the client, by the numbers of its queues, and packets to the client.
    bool can_take(unsigned queue, const link::packet&) override { return queues_[queue].packets() < all_.spec.queue; }
    void take(unsigned queue, link::packet p) override;
    void channel_ready(unsigned number) override { out_.offer_again(number); }
    // Sets a packet's next hop.
    void route(flight& f) const;

    torus_shared& all_;
    const std::string name_;
    const core::sim_time word_time_, router_time_;
    const unsigned channels_;  // virtual channels per class and level
    std::vector<std::unique_ptr<torus_link>> links_;
    struct outgoing {
        torus_link* link;
        std::uint8_t dimension;
        bool dateline;
    };
    std::vector<outgoing> outputs_;     // by port
    std::deque<std::string> paths_;     // names of the buffers
    std::deque<input_buffer> inputs_;   // by port and channel, ports in the order in which they were connected
    std::deque<input_buffer> queues_;   // by port and class
    core::sim_time injecting_until_{};  // the client sends one word per cycle
    network_port port_;
    ejection out_;
};

}  // namespace contraflow::net
