// SPDX-License-Identifier: Apache-2.0
// Where a GPU meets the network: turns requests for other GPUs' memory into packets and back, and the requests of other
// GPUs into transactions of this one.
//
//   units' side   -> to_l1      -> [request out]  -> to_outside ->   network
//                 <-            <- [response in]  <-            <-
//   memory's side <- to_l2      <- [request in]   <- to_outside <-
//                 ->            -> [response out] ->            ->
//
// The transaction itself crosses; a packet is as long as what it stands for: data of writes and atomic operations on
// the way there (and an eighth of that where bytes are enabled one by one), data of reads and atomic operations on the
// way back. to_l1 and to_l2 have a port for each first link of the network and part of the addresses, so that what
// waits for one link is in nobody's way to another. A queue a port and flow; responses wait for responses only, and
// those of this GPU are always taken at last, because whoever asked has kept a place for the answer: so mutual traffic
// cannot lock. With queues of 0 there are none, and no time is taken: what the network has no room for waits where it
// comes from.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "core/control.h"
#include "gpu/rdma/access_counters.h"
#include "gpu/rdma/rdma_queue.h"
#include "gpu/rdma/rdma_spec.h"
#include "memory/crossbar/low_module_finder_if.h"
#include "memory/dram/interleave.h"
#include "memory/port/intake.h"
#include "memory/port/request_port.h"
#include "memory/port/response_port.h"
#include "net/network_if.h"
#include "observe/statistics.h"

namespace contraflow::gpu {

class rdma_engine final : public sc_core::sc_module,
                          public core::waiter_if,
                          public core::controllable_if,
                          private memory::response_owner_if,
                          private memory::request_owner_if,
                          private net::client_if,
                          private rdma_queue::owner_if {
public:
    struct spec {
        unsigned gpu = 0;
        memory::interleave by_address{};  // over the ports to one way of the network
        rdma_spec engine{};
        core::sim_time cycle = core::sim_time::from_ns(1);
    };
    // `homes`: which GPU's memory an address is.
    rdma_engine(const sc_core::sc_module_name& name, const memory::resources& shared, const spec& s,
                const memory::low_module_finder_if& homes, net::network_if& net);

    unsigned ports() const { return static_cast<unsigned>(to_l1_.size()); }
    // For requests to or of another GPU.
    unsigned port_for(unsigned peer, std::uint64_t address) const {
        return outside_.port_to(peer) * spec_.by_address.parts() + spec_.by_address.part_of(address);
    }
    memory::response_port& to_l1(unsigned port) { return *to_l1_[port]; }  // requests of this GPU
    memory::request_port& to_l2(unsigned port) { return *to_l2_[port]; }   // requests of others to its memory
    net::port_if& to_outside() { return outside_; }
    // The engines of all GPUs, for loosely timed and debug accesses.
    void set_peers(std::vector<rdma_engine*> peers) { peers_ = std::move(peers); }
    // Are shown every request that leaves for other GPUs' memory.
    void set_counters(access_counters* counters) { counters_ = counters; }

    std::uint64_t requests() const { return requests_.value(); }  // sent to other GPUs' memory
    bool at_rest() const;
    // drain: takes no requests of this GPU; what it has taken and what others send goes on. pause: sends and serves no
    // request either; responses pass. It keeps no copies: invalidate and flush are refused.
    bool control(core::control_verb verb) override;
    void report_waits(std::vector<core::wait_edge>& edges) const override;
    void check(observe::conservation& checks) const;

private:
    using flow = rdma_queue::flow;
    static constexpr std::size_t flows = 4;
    struct queue_statistics {
        queue_statistics(observe::statistics& group, const std::string& path);
        std::array<observe::gauge, flows> held;
    };

    // --- the ports
    bool request_arrived(unsigned port, memory::memory_extension& request) override;
    void response_port_ready(unsigned port) override;
    void blocking_access(unsigned port, tlm::tlm_generic_payload& trans, sc_core::sc_time& delay) override;
    unsigned debug_access(unsigned port, tlm::tlm_generic_payload& trans) override;
    bool response_arrived(unsigned port, memory::memory_extension& request) override;
    void request_port_ready(unsigned port) override;
    bool can_take(net::packet_class kind, const link::packet& p) override;
    void take_packet(net::packet_class kind, const link::packet& p) override;
    void may_inject(net::packet_class kind) override;

    // --- through queues
    bool queued() const { return spec_.engine.queue != 0; }
    rdma_queue& queue(flow f, unsigned port) { return queues_[static_cast<std::size_t>(f) * ports() + port]; }
    const rdma_queue& queue(flow f, unsigned port) const {
        return queues_[static_cast<std::size_t>(f) * ports() + port];
    }
    bool full(flow f, unsigned port) const { return queue(f, port).full(spec_.engine.queue); }
    void enter(flow f, unsigned port, memory::memory_extension& what);
    void leave(rdma_queue& q);
    void first_is_ready(rdma_queue& q) override;
    void send_out(rdma_queue& q);
    void bring_in(rdma_queue& q);
    void refill(rdma_queue& q);

    // --- without
    // After the callback that runs now, unless there is a reset before.
    template <void (rdma_engine::*Do)(net::packet_class)> void later(net::packet_class kind) {
        events_.after(
            {},
            [](void* engine, std::uint64_t epoch_and_kind) {
                auto* const self = static_cast<rdma_engine*>(engine);
                if (self->epoch_ == epoch_and_kind / 2) (self->*Do)(static_cast<net::packet_class>(epoch_and_kind % 2));
            },
            this, epoch_ * 2 + static_cast<std::uint64_t>(kind));
    }
    void offer_again(net::packet_class kind) { outside_.offer_again(kind); }

    void inject_held(net::packet_class kind);
    void inject_held(net::packet_class kind, unsigned port);
    void send_request(unsigned port, memory::memory_extension& request);
    void send_response(unsigned port, memory::memory_extension& request);
    void serve(unsigned port, memory::memory_extension& request);
    void answer(unsigned port, memory::memory_extension& request);
    void reset();
    unsigned home_of(const memory::memory_extension& request) const {
        return homes_.find(request.carrier().get_address());
    }
    // Of what came in a packet.
    unsigned way_in(net::packet_class kind, const link::packet& p) const {
        const auto& request = static_cast<const memory::memory_extension&>(*p.payload);
        if (kind == net::packet_class::response) return request.last_route();
        return port_for(p.source, request.carrier().get_address());
    }

    const spec spec_;
    const std::string outside_name_;
    const core::sim_time latency_;
    core::scheduler& events_;
    const memory::low_module_finder_if& homes_;
    net::network_if& network_;
    net::port_if& outside_;
    std::vector<std::unique_ptr<memory::response_port>> to_l1_;
    std::vector<std::unique_ptr<memory::request_port>> to_l2_;
    std::vector<rdma_queue> queues_;  // by flow and port; none, or all
    std::vector<rdma_engine*> peers_;
    access_counters* counters_ = nullptr;
    std::vector<memory::memory_extension*> held_responses_;  // by port: of this GPU's memory, not yet in a packet
    memory::intake intake_;
    unsigned next_ = 0;     // port that is tried first
    bool in_call_ = false;  // of the protocol: what is held is not taken from within one
    std::uint64_t epoch_ = 0;

    observe::counter requests_;
    observe::counter served_;
    observe::counter data_out_;
    observe::counter data_in_;
    std::unique_ptr<queue_statistics> queue_statistics_;
    std::array<std::uint64_t, flows> held_{};
    core::sim_time answered_last_{};  // or first sent, if all had been answered
    std::uint64_t sent_ = 0, answered_ = 0, taken_ = 0, returned_ = 0;
};

}  // namespace contraflow::gpu
