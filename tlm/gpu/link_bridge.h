// SPDX-License-Identifier: Apache-2.0
// Where a socket's crossbar meets the network: turns requests to other sockets' memory into packets and back, and the
// requests of other sockets into transactions of this one. The transaction itself crosses; a packet is as long as what
// it stands for: data of writes and atomic operations on the way there (and an eighth of that where bytes are
// enabled one by one), data of reads and atomic operations on the way back. Each link has ports of its own, each for a
// part of the addresses, so that what waits for one link is in nobody's way to another.
#pragma once

#include <memory>
#include <vector>

#include "core/waiting.h"
#include "gpu/network.h"
#include "memory/address_map.h"
#include "memory/interleave.h"
#include "memory/request_port.h"
#include "memory/response_port.h"
#include "observe/conservation.h"
#include "observe/statistics.h"

namespace contraflow::gpu {

class link_bridge final : public sc_core::sc_module,
                          public core::waiter_if,
                          private memory::response_owner_if,
                          private memory::request_owner_if,
                          private network_user_if {
public:
    struct spec {
        unsigned socket = 0;
        memory::interleave by_address{};  // over the ports of a link
    };
    link_bridge(const sc_core::sc_module_name& name, const memory::resources& shared, const spec& s,
                const memory::address_map& map, network& net);

    unsigned ports() const { return static_cast<unsigned>(up_.size()); }
    // For requests to or of another socket.
    unsigned port_for(unsigned peer, std::uint64_t address) const {
        return router_.route(peer) * spec_.by_address.parts() + spec_.by_address.part_of(address);
    }
    memory::response_port& up(unsigned port) { return *up_[port]; }     // requests of this socket
    memory::request_port& down(unsigned port) { return *down_[port]; }  // requests of others to its memory
    // The bridges of all sockets, for loosely timed and debug accesses.
    void set_peers(std::vector<link_bridge*> peers) { peers_ = std::move(peers); }

    std::uint64_t requests() const { return requests_.value(); }  // sent to other sockets' memory
    bool at_rest() const;
    void reset();
    void report_waits(std::vector<core::wait_edge>& edges) const override;
    void check(observe::conservation& checks) const;

private:
    bool request_arrived(unsigned port, memory::memory_extension& request) override;
    void response_port_ready(unsigned) override { router_.offer_again(packet_class::response); }
    void blocking_access(unsigned port, tlm::tlm_generic_payload& trans, sc_core::sc_time& delay) override;
    unsigned debug_access(unsigned port, tlm::tlm_generic_payload& trans) override;
    bool response_arrived(unsigned port, memory::memory_extension& request) override;
    void request_port_ready(unsigned) override { router_.offer_again(packet_class::request); }
    bool can_take(packet_class kind, const link::packet& p) override;
    void take_packet(packet_class kind, const link::packet& p) override;
    void may_inject(packet_class kind) override;

    // After the callback that runs now, unless there is a reset before.
    template <void (link_bridge::*Do)(packet_class)> void later(packet_class kind) {
        events_.after(
            {},
            [](void* bridge, std::uint64_t epoch_and_kind) {
                auto* const self = static_cast<link_bridge*>(bridge);
                if (self->epoch_ == epoch_and_kind / 2) (self->*Do)(static_cast<packet_class>(epoch_and_kind % 2));
            },
            this, epoch_ * 2 + static_cast<std::uint64_t>(kind));
    }
    void offer_again(packet_class kind) { router_.offer_again(kind); }
    void inject_held(packet_class kind);
    void send_request(unsigned port, memory::memory_extension& request);
    void send_response(memory::memory_extension& request);
    unsigned home_of(const memory::memory_extension& request) const {
        return map_.socket_of(request.carrier().get_address());
    }
    // Of a request that came in a packet.
    memory::request_port& way_in(const link::packet& p) const {
        const auto& request = *static_cast<const memory::memory_extension*>(p.load);
        return *down_[port_for(p.source, request.carrier().get_address())];
    }

    const spec spec_;
    core::scheduler& events_;
    const memory::address_map& map_;
    network& network_;
    packet_router& router_;
    std::vector<std::unique_ptr<memory::response_port>> up_;
    std::vector<std::unique_ptr<memory::request_port>> down_;
    std::vector<link_bridge*> peers_;
    std::vector<memory::memory_extension*> held_responses_;  // by port: of another socket, not yet in a packet
    unsigned next_ = 0;                                      // port that is tried first
    bool in_call_ = false;  // of the protocol: what is held is not taken from within one
    std::uint64_t epoch_ = 0;

    observe::counter requests_;
    observe::counter served_;
    observe::counter data_out_;
    observe::counter data_in_;
    core::sim_time answered_last_{};  // or first sent, if all had been answered
    std::uint64_t sent_ = 0, answered_ = 0, taken_ = 0, returned_ = 0;
};

}  // namespace contraflow::gpu
