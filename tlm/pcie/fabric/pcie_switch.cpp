// SPDX-License-Identifier: Apache-2.0
#include "pcie/fabric/pcie_switch.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

namespace contraflow::pcie {
namespace {

std::size_t index(credit_class c) { return static_cast<std::size_t>(c); }

}  // namespace

pcie_switch::pcie_switch(const sc_core::sc_module_name& name, const port::resources& shared, tlp_pool& pool,
                         const spec& s, route_table routes)
    : sc_module(name),
      pool_(pool),
      spec_(s),
      routes_(std::move(routes)),
      unclaimed_(shared.statistics, std::string(sc_object::name()) + ".unclaimed", "TLPs",
                 "requests that no window claims, and completions without a requester"),
      sent_(s.ports.size()) {
    const auto count = static_cast<unsigned>(spec_.ports.size());
    for (unsigned i = 0; i < count; ++i) {
        ports_.push_back(std::make_unique<port>(spec_.ports[i].name.c_str(), shared, spec_.ports[i].line, *this, i));
        outputs_.emplace_back(port_arbiter::spec{count, spec_.weights});
    }
}

admission pcie_switch::admit(unsigned number, const tlp_transfer& transfer) {
    unsigned leaves_by = routes_.find(*transfer.packet);
    if (leaves_by == number) leaves_by = route_table::nowhere;
    if (leaves_by == route_table::nowhere || spec_.mode == forwarding::store_and_forward || splits(*transfer.packet))
        return {transfer.tail + spec_.latency, leaves_by};
    // Cut through: not before the header is known, and so that a faster output never runs ahead of the input.
    const wire& out = ports_[leaves_by]->line();
    const auto length = out.duration(wire_bytes(*transfer.packet, out.overhead()));
    const auto tail_bound = transfer.tail > length ? transfer.tail - length : core::sim_time{};
    return {std::max(transfer.head, tail_bound) + spec_.latency, leaves_by};
}

unsigned pcie_switch::output_of(unsigned input, credit_class c) const {
    const unsigned out = ports_[input]->front(c).out;
    return out == route_table::nowhere ? input : out;
}

credit_class pcie_switch::leaves_as(unsigned input, credit_class c) const {
    return ports_[input]->front(c).out == route_table::nowhere ? credit_class::completion : c;
}

void pcie_switch::head_ready(unsigned number, credit_class c) {
    if (ports_[number]->front(c).out == route_table::nowhere) {
        ++unclaimed_;
        if (c != credit_class::non_posted) return ports_[number]->pop(c)->release();
    }
    const unsigned out = output_of(number, c);
    outputs_[out].requests[index(c)] |= request_mask{1} << number;
    arbitrate(out);
}

void pcie_switch::transmitted(unsigned number) {
    output& out = outputs_[number];
    out.busy = false;
    const unsigned input = out.input;
    port& from = *ports_[input];
    auto& sent = sent_[input][index(out.flow)];
    if (sent < from.front(out.flow).payload) {  // the next piece must win arbitration like any packet
        outputs_[number].requests[index(out.flow)] |= request_mask{1} << input;
        return;
    }
    sent = 0;
    from.pop(out.flow)->release();
    // The posted write that left may have held back a completion or a request behind it.
    for (const auto c : {credit_class::completion, credit_class::non_posted})
        if (from.front_ready(c)) {
            const unsigned other = output_of(input, c);
            if (other != number) arbitrate(other);
        }
}

std::uint32_t pcie_switch::next_piece(unsigned input, credit_class c) const {
    const received_tlp& head = ports_[input]->front(c);
    if (head.out == route_table::nowhere && c == credit_class::non_posted) return 0;
    if (!splits(*head.packet)) return head.payload;
    // Pieces end at multiples of their largest size, if the header has an address.
    const tlp& p = *head.packet;
    const std::uint32_t sent = sent_[input][index(c)];
    const std::uint32_t first =
        p.kind == tlp_kind::completion ? p.lower_address / dword * dword : static_cast<std::uint32_t>(p.address);
    return std::min(spec_.split - (first + sent) % std::min(spec_.split, 128u), head.payload - sent);
}

void pcie_switch::arbitrate(unsigned number) {
    output& out = outputs_[number];
    if (out.busy || paused_ || (out.requests[0] | out.requests[1] | out.requests[2]) == 0) return;
    if (!ports_[number]->wire_idle())
        return ports_[number]->wake_when_free();  // a DLLP is leaving, or the link retrains
    std::array<request_mask, credit_classes> able{};
    auto held = port::hold::none;  // the reason that holds back a TLP, if no TLP before it can leave
    for (const auto c : all_credit_classes)
        for (request_mask left = out.requests[index(c)]; left != 0; left &= left - 1) {
            const auto input = static_cast<unsigned>(std::countr_zero(left));
            if (!ports_[input]->may_leave(c)) continue;
            const auto why = ports_[number]->held(leaves_as(input, c), next_piece(input, c));
            if (why == port::hold::none)
                able[index(c)] |= request_mask{1} << input;
            else if (held != port::hold::credits)
                held = why;
        }
    const auto winner = out.arbiter.next(able[0] | able[1] | able[2]);
    if (!winner) {
        if (held != port::hold::none) ports_[number]->note_hold(held);
        return;
    }
    // Among the classes that may leave, the oldest head does: posted writes can pass blocked TLPs, but do not starve
    // them.
    credit_class oldest{};
    std::uint64_t order = ~std::uint64_t{0};
    for (const auto c : all_credit_classes)
        if ((able[index(c)] >> *winner & 1) != 0 && ports_[*winner]->front(c).order < order) {
            order = ports_[*winner]->front(c).order;
            oldest = c;
        }
    start(number, *winner, oldest);
}

void pcie_switch::start(unsigned number, unsigned input, credit_class c) {
    output& out = outputs_[number];
    out.requests[index(c)] &= ~(request_mask{1} << input);
    out.busy = true;
    out.input = input;
    out.flow = c;
    tlp* const head = ports_[input]->front(c).packet;
    auto& sent = sent_[input][index(c)];
    tlp* leaving = nullptr;
    if (leaves_as(input, c) != c) {
        sent = head->payload();
        leaving = refusal_of(*head);
    } else if (splits(*head)) {
        const std::uint32_t piece = next_piece(input, c);
        leaving = pool_.take_piece(*head, sent, piece);
        sent += piece;
    } else {
        sent = head->payload();
        head->retain();
        leaving = head;
    }
    if (faults_ != nullptr && leaving->payload() != 0) {
        if (const auto byte = faults_->flips_byte_of(leaving->payload())) {
            tlp* const changed = pool_.copy(*leaving);
            leaving->release();
            changed->data[*byte] ^= 0xff;
            leaving = changed;
        }
    }
    ports_[number]->send(leaving);
}

tlp* pcie_switch::refusal_of(const tlp& request) {
    tlp* const answer = pool_.take(tlp_kind::completion);
    answer->status = completion_status::unsupported_request;
    answer->tag = request.tag;
    answer->relaxed = request.relaxed;
    answer->requester = request.requester;
    answer->completer = spec_.id;
    answer->length = 0;
    answer->byte_count = dword;
    answer->lower_address = 0;
    answer->stream = request.stream;
    answer->position = request.position;
    answer->born = request.born;
    answer->attach(request.note());
    return answer;
}

bool pcie_switch::control(core::control_verb verb) {
    switch (verb) {
    case core::control_verb::pause: paused_ = true; return true;
    case core::control_verb::drain: return true;
    case core::control_verb::enable:
        paused_ = false;
        for (unsigned i = 0; i < size(); ++i) arbitrate(i);
        return true;
    case core::control_verb::reset:
        for (auto& p : ports_) p->reset();
        for (auto& out : outputs_) {
            out.arbiter.reset();
            out.requests = {};
            out.busy = false;
        }
        for (auto& sent : sent_) sent = {};
        paused_ = false;
        return true;
    case core::control_verb::invalidate:
    case core::control_verb::flush: break;
    }
    return false;
}

void pcie_switch::report_waits(std::vector<core::wait_edge>& edges) const {
    for (unsigned input = 0; input < size(); ++input)
        for (const auto c : all_credit_classes) {
            if (!ports_[input]->front_ready(c)) continue;
            const unsigned out = output_of(input, c);
            const std::string waiter = ports_[input]->name();
            if (outputs_[out].busy && outputs_[out].input == input && outputs_[out].flow == c) continue;
            if (!ports_[input]->may_leave(c))
                edges.push_back({waiter, "an older posted write", waiter, ports_[input]->front(c).ready});
            else
                ports_[out]->report_wait(leaves_as(input, c), next_piece(input, c), waiter, edges);
        }
}

}  // namespace contraflow::pcie
