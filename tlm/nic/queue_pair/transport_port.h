// SPDX-License-Identifier: Apache-2.0
// A NIC at its node of a network: packets leave when the network takes them, and arrive in a buffer for each class,
// which holds them for the receive latency. A full buffer holds packets back in the network. Here packets are lost, if
// they are to be.
//
//   packet_sender --can_send() send()--> network_port ... network_port --> loss --> channel --> engine
#pragma once

#include <array>
#include <memory>
#include <string>

#include "core/channel.h"
#include "net/network_port.h"
#include "net/packet_loss.h"
#include "nic/queue_pair/transport_packet.h"
#include "observe/conservation.h"
#include "observe/statistics.h"

namespace contraflow::nic {

class transport_port final : public core::waiter_if,
                             private net::client_if,
                             private core::channel_sender_if<carried_packet*> {
public:
    using receiver = core::channel_receiver_if<carried_packet*>;
    using channel = core::channel<carried_packet*>;
    struct spec {
        std::uint16_t node = 0;
        std::uint32_t requests = 16, responses = 16;  // buffers of arrived packets
        core::sim_time latency{};                     // from a packet's last bit to its use
        net::packet_loss_spec loss;
    };
    class user_if {
    public:
        virtual void may_send(net::packet_class kind) = 0;

    protected:
        ~user_if() = default;
    };
    transport_port(core::scheduler& events, observe::statistics& statistics, net::network_port& port,
                   packet_pool& packets, const spec& s, user_if& user, std::string name);

    // Who takes requests and responses that have arrived. Call it before the run.
    void connect(receiver& requests, receiver& responses);
    bool can_send(net::packet_class kind, unsigned target) { return port_.can_inject(kind, target); }
    void send(net::packet_class kind, unsigned target, carried_packet& p);
    // The engine that has refused a packet of that class can take it now.
    void resume(net::packet_class kind) { arrived_[static_cast<std::size_t>(kind)]->resume(); }

    std::uint16_t node() const { return spec_.node; }
    packet_pool& packets() { return packets_; }
    const std::string& name() const { return name_; }
    std::uint64_t sent() const { return sent_.value(); }
    std::uint64_t arrived() const { return taken_.value(); }
    std::uint64_t lost() const { return lost_.value(); }
    std::size_t held() const { return arrived_[0]->held() + arrived_[1]->held(); }
    void reset();
    void check(observe::conservation& checks) const;
    void report_waits(std::vector<core::wait_edge>& edges) const override;

private:
    bool can_take(net::packet_class kind, const link::packet& p) override {
        return arrived_[static_cast<std::size_t>(kind)]->ready(&p.payload_as<carried_packet>());
    }
    void take_packet(net::packet_class kind, const link::packet& p) override;
    void may_inject(net::packet_class kind) override { user_.may_send(kind); }
    const char* client_name() const override { return name_.c_str(); }
    void channel_ready(unsigned kind) override { port_.offer_again(static_cast<net::packet_class>(kind)); }
    void channel_dropped(unsigned, carried_packet* const& p) override { packets_.give_back(*p); }

    core::scheduler& events_;
    net::network_port& port_;
    packet_pool& packets_;
    const spec spec_;
    user_if& user_;
    const std::string name_;
    net::packet_loss loss_;
    std::array<std::unique_ptr<channel>, net::packet_classes> arrived_;
    observe::counter sent_, taken_, lost_;
};

}  // namespace contraflow::nic
