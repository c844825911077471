// SPDX-License-Identifier: Apache-2.0
#include "pcie/endpoint.h"

#include <algorithm>

#include <fmt/format.h>

namespace contraflow::pcie {
namespace {

constexpr auto delivery_window = core::sim_time::from_us(1);

}  // namespace

endpoint::endpoint(const sc_core::sc_module_name& name, const port::resources& shared, tlp_pool& pool, const spec& s,
                   std::uint32_t number, stream_table& streams)
    : sc_module(name),
      events_(shared.events),
      pool_(pool),
      spec_(s),
      number_(number),
      streams_(streams),
      port_("link", shared, s.link, *this, 0),
      dma_(shared.events, pool, s.dma, number, streams),
      latency_(shared.statistics, std::string(sc_object::name()) + ".latency", "ps",
               "time from the making of a TLP with data to its arrival in memory"),
      delivered_(shared.statistics, std::string(sc_object::name()) + ".delivered", "bytes",
                 "payload that arrived in memory, by window of time", delivery_window) {}

void endpoint::start_of_simulation() { wake(); }

void endpoint::wake() {
    if (const auto start = dma_.next_start(); start && *start > events_.now() && *start != wakes_at_) {
        wakes_at_ = *start;
        events_.at(
            *start, [](void* self, std::uint64_t) { static_cast<endpoint*>(self)->may_transmit(0); }, this);
    }
}

core::sim_time endpoint::ready_time(unsigned, const tlp_transfer& transfer) { return transfer.tail + spec_.latency; }

void endpoint::head_ready(unsigned, credit_class c) {
    if (c == credit_class::non_posted)
        may_transmit(0);  // stays in its buffer until it is answered
    else
        take_in(c);
}

void endpoint::take_in(credit_class c) {
    tlp* const packet = port_.front(c).packet;
    store(*packet);
    port_.pop(c)->release();
    if (c != credit_class::completion) return;
    may_transmit(0);  // a tag may be free again
    wake();           // or the communication done
}

void endpoint::store(const tlp& packet) {
    stream& s = streams_[packet.stream];
    const bool expected = packet.target == number_ && packet.length != 0 &&
                          (packet.kind == tlp_kind::completion ? dma_.complete(packet)
                                                               : packet.address == s.delivered && s.to == number_);
    if (!expected) {
        ++unexpected_tlps_;
        s.wrong += packet.length;
        return;
    }
    s.wrong += count_wrong(s.key, packet.address, packet.data, packet.length);
    delivered_bytes_ += packet.length;
    latency_.add((events_.now() - packet.born).ps);
    delivered_.add(events_.now(), packet.length);
    streams_.arrive(packet.stream, packet.length, events_.now());
    if (s.done()) ++finished_streams_;
}

void endpoint::may_transmit(unsigned) {
    if (paused_) return;
    if (!port_.idle()) return port_.wake_when_free();
    if (completion_turn_) {
        if (send_completion() || send_request()) return;
    } else if (send_request() || send_completion()) {
        return;
    }
}

std::uint32_t endpoint::next_completion() const {
    return std::min(spec_.read_completion_boundary, port_.front(credit_class::non_posted).packet->length - answered_);
}

bool endpoint::send_completion() {
    if (!port_.front_ready(credit_class::non_posted)) return false;
    const std::uint32_t length = next_completion();
    if (const auto why = port_.held(credit_class::completion, length); why != port::hold::none) {
        port_.note_hold(why);
        return false;
    }
    const tlp& read = *port_.front(credit_class::non_posted).packet;
    tlp* const packet = pool_.take(tlp_kind::completion);
    packet->tag = read.tag;
    packet->born = events_.now();
    packet->length = length;
    packet->requester = number_;
    packet->target = read.requester;
    packet->stream = read.stream;
    packet->address = read.address + answered_;
    fill_payload(streams_[read.stream].key, packet->address, packet->data, length);
    answered_ += length;
    completion_turn_ = false;
    const bool last = answered_ == read.length;
    port_.send(packet);
    if (last) {
        answered_ = 0;
        port_.pop(credit_class::non_posted)->release();
    }
    return true;
}

bool endpoint::send_request() {
    const auto demand = dma_.next();
    if (!demand) return false;
    if (const auto why = port_.held(demand->flow, demand->payload); why != port::hold::none) {
        port_.note_hold(why);
        return false;
    }
    completion_turn_ = true;
    port_.send(dma_.make());
    wake();
    return true;
}

bool endpoint::control(core::control_verb verb) {
    switch (verb) {
    case core::control_verb::pause: paused_ = true; return true;
    case core::control_verb::drain: dma_.hold(true); return true;
    case core::control_verb::enable:
        paused_ = false;
        dma_.hold(false);
        wake();
        may_transmit(0);
        return true;
    case core::control_verb::reset:
        port_.reset();
        dma_.reset();
        answered_ = 0;
        completion_turn_ = true;
        wakes_at_ = core::sim_time::never();
        return true;
    case core::control_verb::invalidate:
    case core::control_verb::flush: break;
    }
    return false;
}

void endpoint::report_waits(std::vector<core::wait_edge>& edges) const {
    const std::string self = port_.name();
    if (port_.front_ready(credit_class::non_posted))
        port_.report_wait(credit_class::completion, next_completion(), self, edges);
    if (const auto demand = dma_.next())
        port_.report_wait(demand->flow, demand->payload, self, edges);
    else if (dma_.waits_for_completions())
        edges.push_back({self, "completions", port_.peer_name(), streams_[*dma_.current()].begun});
}

}  // namespace contraflow::pcie
