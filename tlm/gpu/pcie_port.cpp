// SPDX-License-Identifier: Apache-2.0
#include "gpu/pcie_port.h"

#include <algorithm>

#include "memory/transaction/memory_extension.h"

namespace contraflow::gpu {
namespace {

memory::memory_extension& request_of(const link::packet& p) {
    return static_cast<memory::memory_extension&>(*p.payload);
}

pcie::tlp_kind form_of(net::packet_class kind, const tlm::tlm_generic_payload& trans) {
    if (kind == net::packet_class::response) return pcie::tlp_kind::completion;
    if (trans.is_write()) return pcie::tlp_kind::memory_write;
    return trans.is_read() ? pcie::tlp_kind::memory_read : pcie::tlp_kind::atomic;
}

}  // namespace

pcie_port::pcie_port(const sc_core::sc_module_name& name, const pcie::port::resources& shared, pcie::tlp_pool& packets,
                     pcie_messages& messages, const spec& s, std::uint32_t number)
    : sc_core::sc_module(name),
      events_(shared.events),
      packets_(packets),
      messages_(messages),
      spec_(s),
      number_(number),
      name_(sc_object::name()),
      port_("link", shared, s.line, *this, 0),
      queues_{core::bounded_queue<std::uint32_t>(s.queue), core::bounded_queue<std::uint32_t>(s.queue)} {}

// ---- sending

bool pcie_port::can_inject(net::packet_class kind, unsigned) {
    const bool room = accepting_ && !queues_[index(kind)].full();
    if (!room) refused_[index(kind)] = true;
    return room;
}

void pcie_port::inject(net::packet_class kind, link::packet p) {
    const tlm::tlm_generic_payload& trans = request_of(p).carrier();
    queues_[index(kind)].try_push(messages_.take({p, kind, form_of(kind, trans), !trans.is_write()}));
    last_sent_ = events_.now();
    may_transmit(0);
}

void pcie_port::may_transmit(unsigned) {
    if (!sending_) return;
    if (!port_.idle()) return port_.wake_when_free();
    const net::packet_class first = response_turn_ ? net::packet_class::response : net::packet_class::request;
    const net::packet_class second = response_turn_ ? net::packet_class::request : net::packet_class::response;
    if (!send(first)) send(second);
}

std::uint32_t pcie_port::next_piece(const pcie_message& m) const {
    const bool completion = m.form == pcie::tlp_kind::completion;
    return std::min(m.what.bytes - m.sent, completion ? spec_.completion_payload : spec_.max_payload);
}

bool pcie_port::lacks_tag(const pcie_message& m) const {
    return m.kind == net::packet_class::request && m.tagged && !m.begun && tags_in_use_ == spec_.tags;
}

bool pcie_port::send(net::packet_class kind) {
    auto& queue = queues_[index(kind)];
    if (queue.empty()) return false;
    const std::uint32_t number = queue.front();
    pcie_message& m = messages_[number];
    if (lacks_tag(m)) return false;
    const std::uint32_t piece = next_piece(m);
    if (const auto why = port_.held(pcie::class_of(m.form), piece); why != pcie::port::hold::none) {
        port_.note_hold(why);
        return false;
    }
    memory::memory_extension& request = request_of(m.what);
    if (!m.begun) {
        m.begun = true;
        if (kind == net::packet_class::request && m.tagged) ++tags_in_use_;
        request.milestone(kind == net::packet_class::response ? memory::stage::response_link_queue
                                                              : memory::stage::link_queue,
                          events_.now());
        request.times.pass(name_.c_str(), events_.now());
    }
    pcie::tlp* const packet = packets_.take(m.form);
    packet->relaxed = kind == net::packet_class::response;
    packet->tag = 0;
    packet->length = m.form == pcie::tlp_kind::memory_read ? request.carrier().get_data_length() : piece;
    packet->requester = number_;
    packet->target = m.what.target;
    packet->stream = number;
    packet->born = events_.now();
    packet->address = m.sent;
    m.sent += piece;
    const bool last = m.sent == m.what.bytes;
    if (last) queue.pop();
    response_turn_ = kind == net::packet_class::request;
    port_.send(packet);
    if (last) tell_refused(kind);
    return true;
}

void pcie_port::tell_refused(net::packet_class kind) {
    if (!refused_[index(kind)] || !accepting_ || queues_[index(kind)].full()) return;
    refused_[index(kind)] = false;
    client_->may_inject(kind);
}

// ---- receiving

// Popping announces the next head, and the user may ask again from within: both find that all of it is done here.
void pcie_port::deliver(pcie::credit_class c) {
    bool& busy = delivering_[static_cast<std::size_t>(c)];
    if (busy) return;
    busy = true;
    while (sending_ && port_.front_ready(c) && port_.may_leave(c) && take(c)) {}
    busy = false;
    // What only waited for older writes may go now.
    if (c == pcie::credit_class::posted) deliver(pcie::credit_class::non_posted);
}

bool pcie_port::take(pcie::credit_class c) {
    const pcie::tlp& packet = *port_.front(c).packet;
    const std::uint32_t number = packet.stream;
    const pcie_message m = messages_[number];
    if (packet.address + packet.payload() < m.what.bytes) {  // the last piece counts
        port_.pop(c)->release();
        return true;
    }
    if (!client_->can_take(m.kind, m.what)) return false;
    const bool back = m.kind == net::packet_class::response;
    memory::memory_extension& request = request_of(m.what);
    request.milestone(back ? memory::stage::response_link : memory::stage::link, port_.front(c).ready);
    messages_.give_back(number);
    port_.pop(c)->release();
    const bool frees_tag = back && m.tagged;
    if (frees_tag) --tags_in_use_;
    client_->take_packet(m.kind, m.what);
    if (frees_tag) may_transmit(0);
    return true;
}

void pcie_port::offer_again(net::packet_class kind) {
    deliver(kind == net::packet_class::request ? pcie::credit_class::posted : pcie::credit_class::completion);
}

// ---- control

bool pcie_port::control(core::control_verb verb) {
    switch (verb) {
    case core::control_verb::pause: sending_ = false; return true;
    case core::control_verb::drain: accepting_ = false; return true;
    case core::control_verb::enable:
        sending_ = accepting_ = true;
        for (const auto c : pcie::all_credit_classes) deliver(c);
        may_transmit(0);
        for (const auto kind : {net::packet_class::response, net::packet_class::request}) tell_refused(kind);
        return true;
    case core::control_verb::reset:
        port_.reset();
        for (auto& q : queues_) q.clear();
        refused_ = {};
        response_turn_ = sending_ = accepting_ = true;
        tags_in_use_ = 0;
        return true;
    case core::control_verb::invalidate:
    case core::control_verb::flush: break;
    }
    return false;
}

void pcie_port::report_waits(std::vector<core::wait_edge>& edges) const {
    for (const auto& queue : queues_) {
        if (queue.empty()) continue;
        const pcie_message& m = messages_[queue.front()];
        if (lacks_tag(m))
            edges.push_back({name_, "a tag of a completed read", port_.peer_name(), last_sent_});
        else
            port_.report_wait(pcie::class_of(m.form), next_piece(m), name_, edges);
    }
    if (messages_.taken() != messages_.given_back())
        edges.push_back({name_, "packets to arrive", port_.peer_name(), last_sent_});
}

}  // namespace contraflow::gpu
