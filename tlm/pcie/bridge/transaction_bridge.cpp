// SPDX-License-Identifier: Apache-2.0
#include "pcie/bridge/transaction_bridge.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "memory/transaction/byte_enables.h"

namespace contraflow::pcie {
namespace {

using memory::atomic_op;
using memory::operand_type;

bool all_enabled(const tlm::tlm_generic_payload& trans) {
    const std::uint8_t* const e = trans.get_byte_enable_ptr();
    return e == nullptr || std::memchr(e, TLM_BYTE_DISABLED, trans.get_byte_enable_length()) == nullptr;
}

std::uint16_t hints_of(const memory::memory_extension& e) {
    return static_cast<std::uint16_t>(static_cast<unsigned>(e.policy) | static_cast<unsigned>(e.scope) << 2);
}
void read_hints(std::uint16_t hints, memory::memory_extension& e) {
    e.policy = static_cast<memory::cache_policy>(hints & 3);
    e.scope = static_cast<memory::scope>(hints >> 2 & 3);
}

completion_status status_of(tlm::tlm_response_status s) {
    if (s == tlm::TLM_OK_RESPONSE) return completion_status::successful;
    return s == tlm::TLM_ADDRESS_ERROR_RESPONSE ? completion_status::unsupported_request
                                                : completion_status::completer_abort;
}

tlm::tlm_response_status status_of(const operation& o) {
    if (o.timed_out) return completion_timed_out;
    switch (o.status) {
    case completion_status::successful: return tlm::TLM_OK_RESPONSE;
    case completion_status::unsupported_request: return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    case completion_status::completer_abort: break;
    }
    return tlm::TLM_GENERIC_ERROR_RESPONSE;
}

}  // namespace

template <class T> std::uint32_t transaction_bridge::store_of<T>::take() {
    if (free.empty()) {
        free.push_back(static_cast<std::uint32_t>(all.size()));
        all.emplace_back();
    }
    const std::uint32_t number = free.back();
    free.pop_back();
    return number;
}

template <class T> void transaction_bridge::store_of<T>::clear() {
    free.clear();
    for (auto i = static_cast<std::uint32_t>(all.size()); i-- > 0;) free.push_back(i);
}

transaction_bridge::transaction_bridge(const char* name, const port::resources& shared, tlp_pool& packets,
                                       const spec& s, const address_map::function& place, bridge_user_if& user)
    : events_(shared.events),
      packets_(packets),
      spec_(s),
      user_(user),
      function_(name, shared, packets, s.device, place, *this) {
    if (s.local_base % line_bytes != 0)
        throw std::invalid_argument(fmt::format("{}: BAR 0 begins within a line", name));
    function_.map_bar(0, *this);
}

transaction_bridge::~transaction_bridge() {
    for (inbound& in : inbound_.all)
        for (memory::payload* const p : in.made) p->release();
}

// ---- requests of this side

void transaction_bridge::describe_atomic(outbound& o, const tlm::tlm_generic_payload& trans,
                                         const memory::atomic_request& a) {
    const bool floating = a.type == operand_type::f32 || a.type == operand_type::f64;
    const bool one = trans.get_data_length() == size_of(a.type) && all_enabled(trans);
    const bool standard = one && (a.op == atomic_op::exchange || a.op == atomic_op::compare_exchange ||
                                  (a.op == atomic_op::add && !floating));
    o.prefixes = 0;
    if (standard) {
        o.form = a.op == atomic_op::add        ? atomic_form::fetch_add
                 : a.op == atomic_op::exchange ? atomic_form::swap
                                               : atomic_form::compare_and_swap;
        if (a.op != atomic_op::compare_exchange) return;
        o.length *= 2;
        std::memcpy(o.compare.data(), &a.compare, o.compare.size());
        return;
    }
    o.form = atomic_form::vendor_defined;
    o.prefixes = 2;
    o.prefix[0] = static_cast<std::uint32_t>(a.op) | static_cast<std::uint32_t>(a.type) << 8;
}

std::optional<tlm::tlm_response_status> transaction_bridge::send(memory::memory_extension& request,
                                                                 std::uint64_t bus_address) {
    const tlm::tlm_generic_payload& trans = request.carrier();
    const std::uint32_t length = trans.get_data_length();
    const bool atomic = trans.get_command() == tlm::TLM_IGNORE_COMMAND;
    if (length == 0 || trans.get_streaming_width() < length) return tlm::TLM_BURST_ERROR_RESPONSE;
    if (atomic && (request.atomic().op == atomic_op::none || bus_address % size_of(request.atomic().type) != 0))
        return tlm::TLM_GENERIC_ERROR_RESPONSE;
    const std::uint32_t number = outbound_.take();
    outbound& o = outbound_[number];
    o.number = number;
    o.request = &request;
    o.begun = false;
    o.byte_enables = all_enabled(trans) ? nullptr : trans.get_byte_enable_ptr();
    if (o.byte_enables != nullptr && trans.get_byte_enable_length() < length) {
        o.repeated.resize(length);
        for (std::uint32_t i = 0; i < length; ++i) o.repeated[i] = o.byte_enables[i % trans.get_byte_enable_length()];
        o.byte_enables = o.repeated.data();
    }
    o.address = bus_address;
    o.length = length;
    o.enables = nullptr;
    o.prefixes = 0;
    o.hints = hints_of(request);
    switch (trans.get_command()) {
    case tlm::TLM_READ_COMMAND: o.kind = operation_kind::read; break;
    case tlm::TLM_WRITE_COMMAND:
        o.kind = operation_kind::confirmed_write;
        o.enables = o.byte_enables;
        break;
    case tlm::TLM_IGNORE_COMMAND:
        o.kind = operation_kind::atomic;
        describe_atomic(o, trans, request.atomic());
        break;
    }
    ++sent_;
    ++waiting_;
    function_.start(o);
    return std::nullopt;
}

void transaction_bridge::fetch(operation& o, std::uint64_t offset, std::uint8_t* to, std::uint32_t length) {
    const auto& out = static_cast<const outbound&>(o);
    const tlm::tlm_generic_payload& trans = out.request->carrier();
    if (o.kind == operation_kind::atomic && o.form == atomic_form::compare_and_swap) {
        const std::uint32_t half = length / 2;
        std::memcpy(to, out.compare.data(), half);
        std::memcpy(to + half, trans.get_data_ptr(), half);
        return;
    }
    std::memcpy(to, trans.get_data_ptr() + offset, length);
}

void transaction_bridge::leaving(operation& o, std::uint64_t offset, tlp& packet) {
    auto& out = static_cast<outbound&>(o);
    memory::memory_extension& request = *out.request;
    const core::sim_time now = events_.now();
    if (packet.kind == tlp_kind::atomic && packet.form == atomic_form::vendor_defined) {
        const std::uint8_t* const enables = out.byte_enables;
        const unsigned size = size_of(request.atomic().type);
        std::uint32_t meant = 0;
        for (std::uint32_t i = 0; i * size < packet.length; ++i)
            if (enables == nullptr || enables[offset + i * size] != TLM_BYTE_DISABLED) meant |= 1u << i;
        packet.prefix[1] = meant;
    }
    if (!out.begun) {
        out.begun = true;
        request.milestone(memory::stage::link_queue, now);
        request.times.pass(function_.name(), now);
    }
    note& n = packets_.take_note<note>();
    n.times.begin(request.times.last());
    if (request.times.recorded()) n.times.record();
    if (now > request.times.last()) n.times.add(memory::stage::link_queue, now);
    packet.attach(&n);
}

void transaction_bridge::store(operation& o, std::uint64_t offset, const std::uint8_t* from, std::uint32_t length,
                               const tlp&) {
    const auto& out = static_cast<const outbound&>(o);
    memory::enabled_copy(out.request->carrier().get_data_ptr() + offset, from, length,
                         out.byte_enables == nullptr ? nullptr : out.byte_enables + offset, length);
}

bool transaction_bridge::may_complete(operation& o) {
    return user_.can_take_response(*static_cast<outbound&>(o).request);
}

void transaction_bridge::release_note(outbound& o) {
    if (o.answered != nullptr) std::exchange(o.answered, nullptr)->release();
}

// If there was no answer, the note is left alone: its request may still be under way.
void transaction_bridge::completed(operation& o, tlp_note* attached, core::sim_time at) {
    auto& out = static_cast<outbound&>(o);
    release_note(out);
    if (attached == nullptr) return;
    out.answered = static_cast<note*>(attached);
    out.answered->retain();
    out.answered->times.add(memory::stage::response_link, at);
}

void transaction_bridge::finished(operation& o) {
    auto& out = static_cast<outbound&>(o);
    memory::memory_extension& request = *out.request;
    if (out.answered != nullptr)
        request.times.absorb(out.answered->times);
    else
        request.milestone(out.begun ? memory::stage::response_link : memory::stage::link_queue, events_.now());
    release_note(out);
    request.carrier().set_response_status(status_of(o));
    outbound_.free.push_back(out.number);
    ++ended_;
    user_.take_response(request);
}

// ---- requests of the other side

bool transaction_bridge::make_atomic(memory::payload& p, std::uint64_t address, const tlp& packet) {
    memory::atomic_request what;
    if (packet.form == atomic_form::vendor_defined) {
        if (packet.prefixes != 2) return false;
        what.op = static_cast<atomic_op>(packet.prefix[0] & 0xff);
        what.type = static_cast<operand_type>(packet.prefix[0] >> 8 & 0xff);
        p.modify(address, packet.length, what);
        std::memcpy(p.bytes(), packet.data, packet.length);
        const unsigned size = size_of(what.type);
        std::array<std::uint8_t, line_bytes> enables;
        bool gaps = false;
        for (std::uint32_t i = 0; i * size < packet.length; ++i) {
            const bool meant = (packet.prefix[1] >> i & 1) != 0;
            gaps |= !meant;
            std::memset(enables.data() + i * size, meant ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED, size);
        }
        if (gaps) p.use_enables(enables.data());
        return true;
    }
    const bool swaps = packet.form == atomic_form::compare_and_swap;
    const std::uint32_t size = swaps ? packet.length / 2 : packet.length;
    if (size != 4 && size != 8) return false;
    what.op = packet.form == atomic_form::fetch_add ? atomic_op::add
              : swaps                               ? atomic_op::compare_exchange
                                                    : atomic_op::exchange;
    what.type = size == 4 ? operand_type::u32 : operand_type::u64;
    if (swaps) std::memcpy(&what.compare, packet.data, size);
    p.modify(address, size, what);
    std::memcpy(p.bytes(), packet.data + (swaps ? size : 0), size);
    return true;
}

// `from`: the offset in the packet's data at which the line's bytes begin.
void transaction_bridge::make_line(inbound& in, const tlp& packet, std::uint64_t address, std::uint32_t from,
                                   std::uint32_t length) {
    memory::payload& p = made_.take();
    in.made.push_back(&p);
    if (packet.kind == tlp_kind::memory_read) return p.read(address, length);
    p.write(address, length);
    std::memcpy(p.bytes(), packet.data + from, length);
    std::array<std::uint8_t, line_bytes> enables;
    bool gaps = false;
    for (std::uint32_t i = 0; i < length; ++i) {
        const bool meant = enabled(packet, from + i);
        gaps |= !meant;
        enables[i] = meant ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
    }
    if (gaps) p.use_enables(enables.data());
}

bool transaction_bridge::make(inbound& in, std::uint64_t offset, const tlp& packet) {
    const byte_span span = span_of(packet);
    const std::uint64_t address = spec_.local_base + offset;
    in.made.clear();
    in.handed = in.responses = 0;
    in.answering = false;
    if (packet.kind == tlp_kind::atomic) {
        if (span.length > line_bytes) return false;
        in.made.push_back(&made_.take());
        if (!make_atomic(*in.made.front(), address, packet)) {
            in.made.front()->release();
            in.made.clear();
            return false;
        }
    } else {
        const auto begin = static_cast<std::uint32_t>(span.address - packet.address);
        for (std::uint32_t done = 0; done < span.length;) {
            const std::uint32_t part =
                std::min(span.length - done, line_bytes - static_cast<std::uint32_t>((address + done) % line_bytes));
            make_line(in, packet, address + done, begin + done, part);
            done += part;
        }
    }
    const auto* const times = static_cast<const note*>(packet.note());
    in.timed = times != nullptr;
    for (memory::payload* const p : in.made) {
        memory::memory_extension& e = p->extension();
        read_hints(packet.hints, e);
        if (times != nullptr)
            e.times = times->times;
        else
            e.times.begin(events_.now());
    }
    return true;
}

access_result transaction_bridge::hand_over(std::uint32_t& held, std::uint64_t offset, const tlp& packet,
                                            inbound_request* asked) {
    if (held == none) {
        const std::uint32_t number = inbound_.take();
        if (!make(inbound_[number], offset, packet)) {
            inbound_.free.push_back(number);
            return access_result::aborted;
        }
        held = number;
        inbound_[held].from = packet.requester;
    }
    const std::uint32_t number = held;
    inbound& in = inbound_[number];
    in.asked = asked;
    if (asked != nullptr) asked->number = number;
    for (bool last = false; !last;) {  // after the last one the record may be reused
        memory::memory_extension& e = in.made[in.handed]->extension();
        if (!user_.can_take_request(e, in.from)) return access_result::busy;
        if (in.timed) e.milestone(memory::stage::link, asked != nullptr ? asked->ready : events_.now());
        e.push_route(number * most_lines + in.handed);
        last = ++in.handed == in.made.size();
        if (last) {
            held = none;
            if (asked == nullptr) ++posted_;
        }
        user_.take_request(e, in.from);
    }
    return asked != nullptr ? access_result::later : access_result::done;
}

access_result transaction_bridge::write(std::uint64_t offset, const tlp& packet) {
    if (span_of(packet).length == 0) return access_result::done;
    return hand_over(held_posted_, offset, packet, nullptr);
}

access_result transaction_bridge::request(inbound_request& r, const tlp& packet) {
    if (r.length != 0) return hand_over(held_, r.offset, packet, &r);
    r.number = none;
    flush_waits_ = posted_ != 0;
    return flush_waits_ ? access_result::busy : access_result::done;
}

void transaction_bridge::respond(memory::memory_extension& made) {
    const std::uint32_t number = made.pop_route() / most_lines;
    inbound& in = inbound_[number];
    if (++in.responses != in.made.size()) return;
    if (in.asked == nullptr) {
        release(number);
        --posted_;
        if (flush_waits_ && posted_ == 0) function_.resume(credit_class::non_posted);
        return;
    }
    in.asked->status = completion_status::successful;
    for (const memory::payload* const p : in.made) {
        in.asked->status = status_of(p->get_response_status());
        if (in.asked->status != completion_status::successful) break;
    }
    function_.answer(*in.asked);
}

void transaction_bridge::fetch(const inbound_request& r, std::uint32_t from, std::uint8_t* to, std::uint32_t length) {
    const inbound& in = inbound_[r.number];
    // The first line may be shorter than the others.
    std::size_t line = 0;
    for (; from >= in.made[line]->get_data_length(); ++line) from -= in.made[line]->get_data_length();
    while (length != 0) {
        const std::uint32_t part = std::min(length, in.made[line]->get_data_length() - from);
        std::memcpy(to, in.made[line++]->bytes() + from, part);
        to += part;
        length -= part;
        from = 0;
    }
}

void transaction_bridge::leaving(inbound_request& r, tlp&) {
    if (r.number == none) return;
    inbound& in = inbound_[r.number];
    if (in.answering || r.note == nullptr) return;
    in.answering = true;
    memory::memory_extension& e = in.made.back()->extension();
    e.milestone(memory::stage::response_link_queue, events_.now());
    e.times.pass(function_.name(), events_.now());
    static_cast<note*>(r.note)->times = e.times;
}

void transaction_bridge::answered(inbound_request& r) {
    release(r.number);
    user_.response_left();
}

void transaction_bridge::release(std::uint32_t number) {
    inbound& in = inbound_[number];
    for (memory::payload* const p : in.made) p->release();
    in.made.clear();
    inbound_.free.push_back(number);
}

// ---- control

bool transaction_bridge::control(core::control_verb verb) {
    if (verb == core::control_verb::reset) reset();
    return function_.control(verb);
}

void transaction_bridge::reset() {
    for (inbound& in : inbound_.all) {
        for (memory::payload* const p : in.made) p->release();
        in.made.clear();
    }
    inbound_.clear();
    for (outbound& o : outbound_.all) release_note(o);
    outbound_.clear();
    held_ = held_posted_ = none;
    posted_ = 0;
    flush_waits_ = false;
    ended_ = sent_;
    waiting_ = 0;
}

void transaction_bridge::check(observe::conservation& checks) const {
    checks.check(fmt::format("{}: requests sent and answered", name()), "requests", sent_, ended_);
    checks.check(fmt::format("{}: transactions made and released", name()), "transactions", made_.taken(),
                 made_.taken() - made_.in_flight());
    checks.check(fmt::format("{}: unexpected completions", name()), "TLPs", 0, function_.unexpected());
}

}  // namespace contraflow::pcie
