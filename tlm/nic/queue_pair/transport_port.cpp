// SPDX-License-Identifier: Apache-2.0
#include "nic/queue_pair/transport_port.h"

#include <utility>

namespace contraflow::nic {

transport_port::transport_port(core::scheduler& events, observe::statistics& statistics, net::network_port& port,
                               packet_pool& packets, const spec& s, user_if& user, std::string name)
    : events_(events),
      port_(port),
      packets_(packets),
      spec_(s),
      user_(user),
      name_(std::move(name)),
      loss_(s.loss, name_),
      sent_(statistics, name_ + ".sent", "packets", "packets given to the network"),
      taken_(statistics, name_ + ".arrived", "packets", "packets that arrived from it, lost ones not counted"),
      lost_(statistics, name_ + ".lost", "packets", "packets that were lost on their way here") {}

void transport_port::connect(receiver& requests, receiver& responses) {
    const auto make = [&](net::packet_class kind, receiver& to, std::uint32_t buffers, const char* what) {
        core::channel_spec c;
        c.path = name_ + what;
        c.depth = buffers;
        c.latency = spec_.latency;
        const auto number = static_cast<unsigned>(kind);
        arrived_[number] = std::make_unique<channel>(events_, c, channel::sender{*this, number, name_},
                                                     channel::receiver{to, number, name_ + what});
    };
    make(net::packet_class::request, requests, spec_.requests, ".requests");
    make(net::packet_class::response, responses, spec_.responses, ".responses");
    port_.set_client(*this);
}

void transport_port::send(net::packet_class kind, unsigned target, carried_packet& p) {
    link::packet out;
    out.payload = &p;
    out.bytes = static_cast<std::uint32_t>(p.bytes);
    out.source = spec_.node;
    out.target = static_cast<std::uint16_t>(target);
    ++sent_;
    port_.inject(kind, out);
}

void transport_port::take_packet(net::packet_class kind, const link::packet& p) {
    auto& c = p.payload_as<carried_packet>();
    if (loss_.loses()) {
        ++lost_;
        packets_.give_back(c);
        return;
    }
    ++taken_;
    arrived_[static_cast<std::size_t>(kind)]->push(&c);
}

void transport_port::reset() {
    for (const auto& c : arrived_) c->reset();
}

void transport_port::check(observe::conservation& checks) const {
    std::uint64_t passed = 0;
    for (const auto& c : arrived_) passed += c->taken() + c->dropped() + c->held();
    checks.check(name_ + ": packets that arrived, and those used, dropped and held", "packets", taken_.value(), passed);
}

void transport_port::report_waits(std::vector<core::wait_edge>& edges) const {
    for (const auto& c : arrived_) c->report_waits(edges);
}

}  // namespace contraflow::nic
