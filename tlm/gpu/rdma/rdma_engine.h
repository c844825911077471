// SPDX-License-Identifier: Apache-2.0
// A GPU's connection to the network: turns requests for other GPUs' memory into packets and back, and the requests of
// other GPUs into transactions of this one.
//
//   units' side   -> to_l1      -> [request_out]  -> to_outside ->   network
//                 <-            <- [response_in]  <-            <-
//   memory's side <- to_l2      <- [request_in]   <- to_outside <-
//                 ->            -> [response_out] ->            ->
//
// The transaction itself crosses. A request packet has the length of the data of writes and atomic operations (plus an
// eighth of that if bytes are enabled one by one); a response packet has that of reads and atomic operations. to_l1 and
// to_l2 have a port for each first link of the network and part of the addresses, so that a request that waits for one
// link does not block another link. Each port has a channel for each of the four flows. Responses wait only for
// responses. Those to this GPU are always taken in the end, because the requester has reserved a place for each, so
// mutual traffic cannot deadlock. Channels of depth 0 take no time: a packet without room in the network waits at its
// sender.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/channel.h"
#include "core/control.h"
#include "core/timer.h"
#include "gpu/rdma/access_counters.h"
#include "gpu/rdma/rdma_spec.h"
#include "memory/crossbar/address_to_port_if.h"
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
                          private core::channel_sender_if<memory::memory_extension*>,
                          private core::channel_receiver_if<memory::memory_extension*> {
public:
    struct spec {
        unsigned gpu = 0;
        memory::interleave by_address{};  // over the ports to one first link of the network
        rdma_spec engine{};
        core::sim_time cycle = core::sim_time::from_ns(1);
    };
    // `owners` tells which GPU's memory an address belongs to.
    rdma_engine(const sc_core::sc_module_name& name, const memory::resources& shared, const spec& s,
                const memory::address_to_port_if& owners, net::network_if& net);

    unsigned ports() const { return static_cast<unsigned>(to_l1_.size()); }
    // For requests to or from another GPU.
    unsigned port_for(unsigned peer, std::uint64_t address) const {
        return outside_.link_to(peer) * spec_.by_address.parts() + spec_.by_address.part_of(address);
    }
    memory::response_port& to_l1(unsigned port) { return *to_l1_[port]; }  // requests of this GPU
    memory::request_port& to_l2(unsigned port) { return *to_l2_[port]; }   // requests of others to its memory
    net::network_port& to_outside() { return outside_; }
    // The engines of all GPUs, for loosely timed and debug accesses.
    void set_peers(std::vector<rdma_engine*> peers) { peers_ = std::move(peers); }
    // These counters get every request that leaves for other GPUs' memory.
    void set_counters(access_counters* counters) { counters_ = counters; }

    // Each packet that arrives here: the GPU that sent it and its data in bytes, as the network's links count it.
    using arrival = std::function<void(unsigned from, std::uint32_t bytes)>;
    void set_arrival_observer(arrival observer) { observer_ = std::move(observer); }

    std::uint64_t requests() const { return requests_.value(); }  // sent to other GPUs' memory
    bool idle() const;
    // drain: accepts no requests of this GPU; accepted ones and those of other GPUs continue. pause: sends and serves
    // no requests either; responses pass. It keeps no copies, so it refuses invalidate and flush.
    bool control(core::control_verb verb) override;
    void report_waits(std::vector<core::wait_edge>& edges) const override;
    const char* client_name() const override { return name(); }
    void check(observe::conservation& checks) const;

private:
    // The four flows through the engine.
    enum class flow : std::uint8_t { request_out, request_in, response_out, response_in };
    static constexpr unsigned flows = 4;
    using channel = core::channel<memory::memory_extension*>;
    // The number of items in a flow's channels.
    struct flow_gauge final : core::channel_observer_if {
        flow_gauge(observe::statistics& group, const std::string& path, const char* name, const char* unit,
                   const char* text)
            : gauge(group, path + name, unit, text) {}
        void held_changed(core::sim_time now, int by) override { gauge.set(now, gauge.last() + by); }
        observe::gauge gauge;
    };

    // --- the ports
    bool request_arrived(unsigned port, memory::memory_extension& request) override;
    void response_port_ready(unsigned port) override { channel_of(flow::response_in, port).resume(); }
    void blocking_access(unsigned port, tlm::tlm_generic_payload& trans, sc_core::sc_time& delay) override;
    unsigned debug_access(unsigned port, tlm::tlm_generic_payload& trans) override;
    bool response_arrived(unsigned port, memory::memory_extension& request) override;
    void request_port_ready(unsigned port) override { channel_of(flow::request_in, port).resume(); }
    bool can_take(net::packet_class kind, const link::packet& p) override;
    void take_packet(net::packet_class kind, const link::packet& p) override;
    void may_inject(net::packet_class kind) override;

    // --- the channels; four for each port, one for each flow
    channel& channel_of(flow f, unsigned port) { return channels_[port * flows + static_cast<unsigned>(f)]; }
    static flow flow_of(unsigned number) { return static_cast<flow>(number % flows); }
    static unsigned port_of(unsigned number) { return number / flows; }
    void channel_ready(unsigned number) override;
    bool can_take(unsigned number, memory::memory_extension* const& request) override;
    void take(unsigned number, memory::memory_extension* request) override;
    void make_channels(observe::statistics& group);
    void refill(flow f, unsigned port);
    bool push_in_call(flow f, unsigned port, memory::memory_extension& request, const char* from);

    void inject_held(std::uint32_t kind);
    void offer_again(std::uint32_t kind) { outside_.offer_again(static_cast<net::packet_class>(kind)); }
    void send_request(unsigned port, memory::memory_extension& request);
    void send_response(memory::memory_extension& request);
    void serve(unsigned port, memory::memory_extension& request);
    void answer(unsigned port, memory::memory_extension& request);
    void reset();
    unsigned owner_of(const memory::memory_extension& request) const {
        return owners_.find(request.carrier().get_address());
    }
    // The port for a packet that arrived.
    unsigned port_in(net::packet_class kind, const link::packet& p) const {
        const auto& request = p.payload_as<memory::memory_extension>();
        if (kind == net::packet_class::response) return request.last_route();
        return port_for(p.source, request.carrier().get_address());
    }

    const spec spec_;
    const std::string outside_name_;
    const core::sim_time latency_;
    core::scheduler& events_;
    const memory::address_to_port_if& owners_;
    net::network_if& network_;
    net::network_port& outside_;
    std::vector<std::unique_ptr<memory::response_port>> to_l1_;
    std::vector<std::unique_ptr<memory::request_port>> to_l2_;
    std::vector<std::unique_ptr<flow_gauge>> gauges_;  // by flow, if its channels hold items
    std::deque<channel> channels_;                     // by port and flow
    std::vector<rdma_engine*> peers_;
    access_counters* counters_ = nullptr;
    arrival observer_;
    memory::intake intake_;
    unsigned next_ = 0;  // the port that is tried first
    // within a call of the protocol: held items are not taken from within one
    bool in_call_ = false;
    core::cancellable_calls<rdma_engine> later_;  // work that must not be done within a call

    observe::counter requests_;
    observe::counter served_;
    observe::counter data_out_;
    observe::counter data_in_;
    core::sim_time answered_last_{};  // or first sent, if all had been answered
    std::uint64_t sent_ = 0, answered_ = 0, taken_ = 0, returned_ = 0;
};

}  // namespace contraflow::gpu
