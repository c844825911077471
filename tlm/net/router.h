// SPDX-License-Identifier: Apache-2.0
// A node of a network: passes packets from the receive buffers of its links into the queues of others, and to whoever
// sits at the node. It has no buffers and takes no time of its own (a link's `pipeline` counts for both of its ends).
// A head that cannot go on holds back what is behind it in its virtual channel; those who wait for the same queue are
// served in turn, the node's own sender among them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/waiting.h"
#include "link/reversible_link.h"
#include "net/traffic_class.h"

namespace contraflow::net {

// Whoever sits at a node.
class node_end_if {
public:
    virtual ~node_end_if() = default;
    // has() has become true. Who does not take all there is comes back without being called again.
    virtual void packet_arrived(traffic_class c) = 0;
    // A send that was refused would be taken now.
    virtual void network_ready(traffic_class c) = 0;
    // A reset has thrown away a packet sent from here; its load is the sender's again.
    virtual void packet_dropped(const link::packet& p) = 0;
};

class router final : public link::link_end_if, public core::waiter_if {
public:
    static constexpr unsigned most_links = 16;

    // `ends`: who sits at each node of the network, or null.
    router(core::scheduler& events, std::string name, unsigned number, const std::vector<node_end_if*>& ends);

    // --- while the network is built
    void add_link(link::link_port& port, bool cut);
    // By which of its links it reaches a node.
    void set_route(unsigned target, unsigned link);

    // --- for who sits here
    bool can_send(unsigned target, traffic_class c);
    // Only where can_send() says so; `vc` is set here.
    void send(link::packet p, traffic_class c);
    bool has(traffic_class c) const { return here_[index(c)] != 0; }
    // Takes the next packet: links in turn. Makes no call to packet_arrived(), whatever comes into reach.
    link::packet take(traffic_class c);

    unsigned number() const { return number_; }
    std::uint64_t sent() const { return sent_; }    // by who sits here
    std::uint64_t taken() const { return taken_; }  // by who sits here
    std::uint64_t passed() const { return passed_; }
    // Forgets who waits for what; its links are reset as well.
    void reset();
    void report_waits(std::vector<core::wait_edge>& edges) const override;

private:
    // An input is a virtual channel of a link; the node's own senders are the last ones.
    using input_mask = std::uint64_t;
    static constexpr unsigned most_vcs = 2 * traffic_classes;
    static unsigned input(unsigned link, unsigned vc) { return link * most_vcs + vc; }
    unsigned own_input(traffic_class c) const {
        return static_cast<unsigned>(links_.size() * most_vcs + index(c));
    }
    struct attached {
        link::link_port* port = nullptr;
        bool cut = false;
        std::array<input_mask, most_vcs> waiting{};  // for its queue
        std::array<unsigned, most_vcs> turn{};       // the input served last
    };

    void packet_arrived(unsigned link, unsigned vc) override { advance(link, vc); }
    void link_ready(unsigned link, unsigned vc) override;
    void packet_dropped(unsigned link, const link::packet& p) override;

    unsigned out_vc(unsigned link, traffic_class c, bool past) const { return vc_of(c, past || links_[link].cut); }
    // Looks at the head of that virtual channel: to be taken here, or sent on, or waiting. Who takes packets sees by
    // has() that there is another, and must not be told before the one in hand is used.
    void advance(unsigned link, unsigned vc, bool tell = true);
    void pass(unsigned link, unsigned vc, unsigned out, unsigned to_vc);
    void serve(unsigned chosen, unsigned out, unsigned to_vc);
    node_end_if* end() const { return ends_[number_]; }

    core::scheduler& events_;
    const std::string name_;
    const unsigned number_;
    const std::vector<node_end_if*>& ends_;
    std::vector<attached> links_;
    std::vector<std::uint8_t> routes_;  // by target
    struct {
        bool given = false;
        unsigned out = 0, vc = 0;
    } turn_;  // of who sits here, while it is told so
    std::array<input_mask, traffic_classes> here_{};
    std::array<unsigned, traffic_classes> here_turn_{};
    std::uint64_t sent_ = 0, taken_ = 0, passed_ = 0;
};

}  // namespace contraflow::net
