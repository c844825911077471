// SPDX-License-Identifier: Apache-2.0
// NICs with queue pairs on one switch: the network that carries their packets, and the packets under way. Each NIC is
// at a port of its own. Links take 8 bytes in each cycle of their clock. Defaults: 100 Gb/s and 0.68 us from NIC to NIC
// beside the time of the bits, both as in the source of GPU-initiated OpenSHMEM (about 0.7 us); what is around a packet
// is that of Ethernet and RoCE v2: Ethernet 14, FCS 4, preamble and gap 20, IP 20, UDP 8, BTH 12, ICRC 4 bytes.
#pragma once

#include <algorithm>
#include <string>

#include "config/fields.h"
#include "net/network.h"
#include "nic/queue_pair/transport_port.h"

namespace contraflow::nic {

struct switched_network_spec {
    core::bandwidth rate = core::bandwidth::from_gb_per_s(12.5);
    core::bytes header{82};
    std::uint32_t queue = 4;
    core::bytes receive_buffer{32768};
    core::sim_time propagation = core::sim_time::from_ns(10);
    core::sim_time pipeline = core::sim_time::from_ns(330);

    static constexpr std::uint64_t word = 8;  // bytes a cycle
    static void describe(config::fields<switched_network_spec>& f) {
        using s = switched_network_spec;
        f("rate", &s::rate)
            .in(core::bandwidth::from_gb_per_s(0.1), core::bandwidth::from_gb_per_s(1000))
            .text("of a link, in each direction");
        f("header", &s::header).in({}, {1024}).text("bytes on the wire beside a packet's own headers and its payload");
        f("queue", &s::queue).in(1, 1024).unit("packets").text("packets that wait for a link");
        f("receive_buffer", &s::receive_buffer)
            .in({256}, {1u << 30})
            .text("at each end of a link; nothing is sent without room there");
        f("propagation", &s::propagation).text("time on a link, from end to end");
        f("pipeline", &s::pipeline).text("time of a link's ends, once for the NIC's link and once for the switch's");
    }
    core::sim_time cycle() const { return rate.time_of({word}); }
    net::network_spec network() const {
        net::network_spec n;
        n.topology = net::topology::central_switch;
        n.link.lanes.lanes_per_direction = 1;
        n.link.lanes.policy = "static";
        n.link.lanes.drain = core::cycles{std::max<std::uint64_t>(32, propagation.ps / cycle().ps + 1)};
        n.link.lane_rate = {static_cast<double>(word) / cycle().seconds()};  // whole words a cycle of whole ps
        n.link.header = header;
        n.link.queue = queue;
        n.link.receive_buffer = receive_buffer;
        n.link.propagation = propagation;
        n.link.pipeline = pipeline;
        return n;
    }
};

class switched_network final : public core::controllable_if, public core::waiter_if {
public:
    // For one NIC or more. `series_window`: of statistics over time.
    switched_network(const std::string& path, core::scheduler& events, observe::statistics& statistics,
                     const switched_network_spec& s, unsigned nodes,
                     core::sim_time series_window = core::sim_time::from_us(10))
        : net_(path, {events, statistics, s.cycle(), series_window}, s.network(), nodes) {}

    net::network_port& port(unsigned node) { return net_.port(node); }
    packet_pool& packets() { return packets_; }
    const packet_pool& packets() const { return packets_; }
    core::sim_time latency(unsigned from, unsigned to) const { return net_.latency(from, to); }

    std::uint64_t outstanding() const { return net_.outstanding(); }
    std::uint64_t moved() const { return net_.moved(); }
    std::uint64_t dropped() const { return dropped_; }  // packets, by resets
    void settle() { net_.settle(); }
    // Drops what is under way. The NICs must have been reset before.
    bool control(core::control_verb verb) override {
        if (verb == core::control_verb::reset) dropped_ += net_.outstanding();
        const bool done = net_.control(verb);
        if (verb == core::control_verb::reset) packets_.reset();
        return done;
    }
    // Call it when it is settled and the NICs are idle. `nics`: the ports of all of them.
    template <class Nics> void check(observe::conservation& checks, const Nics& nics) const {
        net_.check(checks);
        std::uint64_t sent = 0, arrived = 0, held = 0;
        for (const transport_port* p : nics) {
            sent += p->sent();
            arrived += p->arrived() + p->lost();
            held += p->held();
        }
        checks.check("network: packets sent, and those arrived, lost, dropped and under way", "packets", sent,
                     arrived + dropped_ + net_.outstanding());
        checks.check("network: packets in use, and those in the network and in the NICs' buffers", "packets",
                     packets_.packets(), net_.outstanding() + held);
    }
    void report_waits(std::vector<core::wait_edge>& edges) const override { net_.report_waits(edges); }

private:
    packet_pool packets_;
    net::network net_;
    std::uint64_t dropped_ = 0;
};

}  // namespace contraflow::nic
