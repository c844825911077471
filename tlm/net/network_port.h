// SPDX-License-Identifier: Apache-2.0
// A node's access to its network: channels without a queue (ready/valid), so a packet is taken when it is given, or its
// sender is told when to try again. To the network there is a channel for each class and link of the node, so packets
// for one link do not hold back packets for another. From the network there is one for each class.
//
//   client --can_inject() inject()--------> channel 2 x link + class --> network
//          <--can_take() take_packet()----- channel class           <--
//
// Costs no simulated time and no callback.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "core/channel.h"
#include "link/packet.h"

namespace contraflow::net {

enum class packet_class : std::uint8_t { request, response };
inline constexpr unsigned packet_classes = 2;

// The component attached to a port.
class client_if {
public:
    // Is there room for a packet that has arrived here? If not, port.offer_again() tries again later.
    virtual bool can_take(packet_class kind, const link::packet& p) = 0;
    virtual void take_packet(packet_class kind, const link::packet& p) = 0;
    // Refused packets of that class may be injected again; at least one of them would be taken.
    virtual void may_inject(packet_class kind) = 0;
    // For reports of waits.
    virtual const char* client_name() const = 0;

protected:
    ~client_if() = default;
};

class network_port final : public core::waiter_if,
                           private core::channel_sender_if<link::packet>,
                           private core::channel_receiver_if<link::packet> {
public:
    using channel = core::channel<link::packet>;

    // The network's ends of the channels. Whether a packet can be injected depends on its channel alone.
    struct network_side {
        core::channel_receiver_if<link::packet>& injected;
        core::channel_sender_if<link::packet>& arrived;
        std::string exit;  // name of the sender of arriving packets, for reports of waits
    };
    network_port(core::scheduler& events, std::string name, network_side inside)
        : events_(events),
          name_(std::move(name)),
          inside_(std::move(inside)) {}

    // --- the client
    // Before the first packet, when the network is complete.
    void set_client(client_if& client) {
        client_ = &client;
        injections_.clear();
        arrivals_.clear();
        for (unsigned n = 0; n < queues_.size(); ++n)
            injections_.emplace_back(events_, ready_valid(n), channel::sender{*this, n, client.client_name()},
                                     channel::receiver{inside_.injected, n, queues_[n]});
        for (unsigned n = 0; n < packet_classes; ++n)
            arrivals_.emplace_back(events_, ready_valid(n), channel::sender{inside_.arrived, n, inside_.exit},
                                   channel::receiver{*this, n, client.client_name()});
    }
    const std::string& name() const { return name_; }
    unsigned links() const { return static_cast<unsigned>(queues_.size()) / packet_classes; }
    // The first link on the route to that node.
    unsigned link_to(unsigned target) const { return first_links_[target]; }
    // Would a packet to that node be taken? If not, may_inject() follows.
    bool can_inject(packet_class kind, unsigned target) {
        return injections_[number_of(kind, first_links_[target])].ready({});
    }
    void inject(packet_class kind, const link::packet& p) {
        injections_[number_of(kind, first_links_[p.target])].push(p);
    }
    // Packets that were refused at their arrival may be taken now.
    void offer_again(packet_class kind) { arrivals_[number_of(kind, 0)].resume(); }

    // --- the network
    // The numbers of channels.
    static unsigned number_of(packet_class kind, unsigned link) {
        return packet_classes * link + static_cast<unsigned>(kind);
    }
    static packet_class class_of(unsigned number) { return static_cast<packet_class>(number % packet_classes); }
    // The first link by target, and the names of the network's queues by channel, for reports of waits.
    void set_routes(std::vector<unsigned> first_links, std::vector<std::string> queues) {
        first_links_ = std::move(first_links);
        queues_ = std::move(queues);
    }
    channel& arrivals(packet_class kind) { return arrivals_[static_cast<std::size_t>(kind)]; }
    // Whether the client was refused on that channel and has not been told since that it may try again.
    bool client_waits(unsigned number) const { return client_ != nullptr && injections_[number].refused(); }
    // The network would now take a packet from that channel.
    void may_inject(unsigned number) {
        if (client_waits(number)) injections_[number].resume();
    }
    const char* client_name() const { return client_->client_name(); }
    // Whether the client has refused a packet of that class and has not called offer_again() since.
    bool waits_for_client() const {
        return std::any_of(arrivals_.begin(), arrivals_.end(), [](const channel& c) { return c.refused(); });
    }
    void reset() {
        for (channel& c : injections_) c.reset();
        for (channel& c : arrivals_) c.reset();
    }
    void report_waits(std::vector<core::wait_edge>& edges) const override {
        for (const channel& c : injections_) c.report_waits(edges);
        for (const channel& c : arrivals_) c.report_waits(edges);
    }

private:
    core::channel_spec ready_valid(unsigned number) const {
        core::channel_spec s;
        s.path = name_;
        s.depth = 0;
        s.item = class_of(number) == packet_class::request ? "a request" : "a response";
        return s;
    }
    void channel_ready(unsigned number) override { client_->may_inject(class_of(number)); }
    bool can_take(unsigned number, const link::packet& p) override { return client_->can_take(class_of(number), p); }
    void take(unsigned number, link::packet p) override { client_->take_packet(class_of(number), p); }

    core::scheduler& events_;
    const std::string name_;
    const network_side inside_;
    client_if* client_ = nullptr;
    std::vector<unsigned> first_links_;  // by target
    std::vector<std::string> queues_;    // by channel
    std::deque<channel> injections_, arrivals_;
};

}  // namespace contraflow::net
