// SPDX-License-Identifier: Apache-2.0
#include "memory/crossbar/crossbar.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

namespace contraflow::memory {
namespace {

constexpr unsigned nothing = ~0u;

}  // namespace

crossbar::statistics_set::statistics_set(observe::statistics& group, const std::string& path)
    : requests(group, path + ".requests", "requests", "requests taken in"),
      responses(group, path + ".responses", "responses", "responses given back"),
      unroutable(group, path + ".unroutable", "requests", "requests to an address that leads nowhere"),
      request_flits(group, path + ".request_flits", "flits", "flits of requests, all outputs together"),
      response_flits(group, path + ".response_flits", "flits", "flits of responses, all inputs together"),
      held_back(group, path + ".held_back", "requests", "requests that found the queue of their output full"),
      held_responses(group, path + ".held_responses", "responses",
                     "responses that found the queue of their input full"),
      queued(group, path + ".queued", "requests", "requests and responses in the queues") {}

crossbar::crossbar(const sc_core::sc_module_name& name, const resources& shared, const crossbar_spec& s,
                   const address_to_port_if& routes)
    : sc_core::sc_module(name),
      events_(shared.events),
      spec_(s),
      routes_(routes),
      statistics_(shared.statistics, sc_object::name()),
      requests_(s.outputs),
      responses_(s.inputs),
      wanted_output_(s.inputs, nothing),
      wanted_input_(s.outputs, nothing),
      request_source_(s.inputs),
      response_source_(s.outputs),
      calls_(shared.events, *this) {
    if (s.inputs == 0 || s.outputs == 0 || s.queue == 0 || s.response_queue == 0 || s.flit.count == 0)
        throw std::invalid_argument("crossbar: no inputs or outputs, a queue without room, or empty flits");
    for (unsigned i = 0; i < s.inputs; ++i) {
        inputs_.push_back(std::make_unique<response_port>(fmt::format("up[{}]", i).c_str(), shared,
                                                          static_cast<response_owner_if&>(*this), i));
        responses_[i].number = i;
        responses_[i].forward = false;
    }
    for (unsigned o = 0; o < s.outputs; ++o) {
        outputs_.push_back(std::make_unique<request_port>(fmt::format("down[{}]", o).c_str(), shared,
                                                          static_cast<request_owner_if&>(*this), o));
        requests_[o].number = o;
    }
}

crossbar::~crossbar() = default;

std::uint32_t crossbar::flits_of(const memory_extension& request, bool forward) const {
    const tlm::tlm_generic_payload& trans = request.carrier();
    const bool with_data =
        trans.get_command() == tlm::TLM_IGNORE_COMMAND || trans.is_write() == forward;  // atomics: data both ways
    const std::uint64_t length = spec_.header.count + (with_data ? trans.get_data_length() : 0);
    return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, (length + spec_.flit.count - 1) / spec_.flit.count));
}

bool crossbar::request_arrived(unsigned input, memory_extension& request) {
    if (!intake_.taking) return false;
    const unsigned output = routes_.find(request.carrier().get_address());
    if (output != address_to_port_if::nowhere && full(requests_[output])) {
        wanted_output_[input] = output;
        ++requests_[output].waiting;
        ++statistics_.held_back;
        return false;
    }
    enter_request(input, output, request);
    return true;
}

void crossbar::enter_request(unsigned input, unsigned output, memory_extension& request) {
    ++accepted_;
    ++statistics_.requests;
    if (output == address_to_port_if::nowhere) {
        ++statistics_.unroutable;
        request.carrier().set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        enter(responses_[input], request_source_[input], request);
        return;
    }
    request.push_route(input);
    request.times.pass(name(), events_.now());
    enter(requests_[output], request_source_[input], request);
}

bool crossbar::response_arrived(unsigned output, memory_extension& request) {
    port_queue& back = responses_[request.last_route()];
    if (full(back)) {
        wanted_input_[output] = back.number;
        ++back.waiting;
        ++statistics_.held_responses;
        return false;
    }
    request.pop_route();
    request.times.pass(name(), events_.now());
    enter(back, response_source_[output], request);
    return true;
}

// The output wires carry the flits of the input wires after the latency.
void crossbar::enter(port_queue& l, core::sim_time& source, memory_extension& request) {
    const core::sim_time now = events_.now();
    request.flits = flits_of(request, l.forward);
    const core::sim_time wire = spec_.cycle * request.flits;
    const core::cycles latency = l.forward ? spec_.latency : spec_.response_latency;
    const core::sim_time in = std::max(now, source);
    source = in + wire;
    request.due = std::max(in + spec_.cycle * latency.count, l.reserved) + wire;
    l.reserved = request.due;
    (l.forward ? statistics_.request_flits : statistics_.response_flits) += request.flits;
    l.queue.push(request);
    statistics_.queued.set(now, static_cast<double>(++queued_));
    if (l.queue.size() == 1) arm(l, request.due);
}

void crossbar::arm(port_queue& l, core::sim_time when) {
    if (l.armed) return;
    l.armed = true;
    l.forward ? calls_.at<&crossbar::request_due>(when, l.number) : calls_.at<&crossbar::response_due>(when, l.number);
}

// The request that is due leaves. The next one follows when the wires have carried it, even if the first had to wait.
void crossbar::leave(port_queue& l) {
    const core::sim_time now = events_.now();
    if (l.queue.empty() || (l.forward && !intake_.serving)) return;
    if (!deliver(l)) {
        l.blocked = true;
        l.blocked_since = now;
        return;
    }
    statistics_.queued.set(now, static_cast<double>(--queued_));
    if (l.waiting > 0) admit(l);
    if (l.queue.empty()) return;
    const memory_extension& next = l.queue.front();
    arm(l, std::max(next.due, now + spec_.cycle * next.flits));
}

bool crossbar::deliver(port_queue& l) {
    if (l.forward) {
        request_port& out = *outputs_[l.number];
        if (!out.ready()) return false;
        memory_extension& request = l.queue.pop();
        request.milestone(stage::crossbar, events_.now());
        out.send(request);
        return true;
    }
    response_port& back = *inputs_[l.number];
    if (!back.ready()) return false;
    memory_extension& request = l.queue.pop();
    request.milestone(stage::response_crossbar, events_.now());
    ++answered_;
    ++statistics_.responses;
    back.respond(request);
    return true;
}

// Ports that wait for this port_queue enter it, in round-robin order.
void crossbar::admit(port_queue& l) {
    auto& wanted = l.forward ? wanted_output_ : wanted_input_;
    const auto ports = static_cast<unsigned>(wanted.size());
    for (unsigned i = 0, first = l.turn; i < ports && l.waiting > 0 && !full(l); ++i) {
        if (l.forward && !intake_.taking) return;
        const unsigned port = (first + i) % ports;
        if (wanted[port] != l.number) continue;
        wanted[port] = nothing;
        --l.waiting;
        l.turn = (port + 1) % ports;
        if (l.forward) {
            enter_request(port, l.number, inputs_[port]->take_request());
        } else {
            memory_extension& response = *outputs_[port]->take_response();
            response.pop_route();
            enter(l, response_source_[port], response);
        }
    }
}

void crossbar::unblock(port_queue& l) {
    if (!l.blocked) return;
    l.blocked = false;
    if (!l.armed) leave(l);
}

void crossbar::request_port_ready(unsigned output) { unblock(requests_[output]); }
void crossbar::response_port_ready(unsigned input) { unblock(responses_[input]); }

template <class Access> void crossbar::each_piece(tlm::tlm_generic_payload& trans, Access access) {
    const std::uint64_t first = trans.get_address();
    const std::uint64_t length = trans.get_data_length();
    const std::uint64_t span = routes_.span(first);
    if (length <= span) {
        access(routes_.find(first), trans);
        return;
    }
    // A piece points into the same data; its byte enables advance with it unless they repeat.
    tlm::tlm_generic_payload piece;
    for (std::uint64_t done = 0; done < length;) {
        const std::uint64_t part = std::min(length - done, routes_.span(first + done));
        piece.set_command(trans.get_command());
        piece.set_address(first + done);
        piece.set_data_ptr(trans.get_data_ptr() + done);
        piece.set_data_length(static_cast<unsigned>(part));
        piece.set_streaming_width(static_cast<unsigned>(part));
        if (trans.get_byte_enable_ptr() != nullptr) {
            piece.set_byte_enable_ptr(trans.get_byte_enable_ptr() + done);
            piece.set_byte_enable_length(static_cast<unsigned>(part));
        }
        piece.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
        if (!access(routes_.find(first + done), piece)) return;
        done += part;
    }
}

void crossbar::blocking_access(unsigned, tlm::tlm_generic_payload& trans, sc_core::sc_time& delay) {
    const bool repeats =
        trans.get_byte_enable_ptr() != nullptr && trans.get_byte_enable_length() < trans.get_data_length();
    if (trans.get_data_length() > routes_.span(trans.get_address()) &&
        (repeats || trans.get_command() == tlm::TLM_IGNORE_COMMAND)) {
        trans.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
        return;
    }
    const std::uint64_t cycles = spec_.latency.count + spec_.response_latency.count + 2;
    delay += sc_core::sc_time::from_value((spec_.cycle * cycles).ps);
    each_piece(trans, [&](unsigned output, tlm::tlm_generic_payload& piece) {
        if (output == address_to_port_if::nowhere)
            piece.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        else
            (*outputs_[output])->b_transport(piece, delay);
        trans.set_response_status(piece.get_response_status());
        return piece.is_response_ok();
    });
}

unsigned crossbar::debug_access(unsigned, tlm::tlm_generic_payload& trans) {
    unsigned total = 0;
    each_piece(trans, [&](unsigned output, tlm::tlm_generic_payload& piece) {
        if (output == address_to_port_if::nowhere) return false;
        const unsigned wanted = piece.get_data_length();
        const unsigned done = (*outputs_[output])->transport_dbg(piece);
        total += done;
        return done == wanted;
    });
    return total;
}

bool crossbar::control(core::control_verb verb) {
    if (verb == core::control_verb::reset) {
        reset();
        return true;
    }
    if (!intake_.control(verb)) return false;  // it has no copies to invalidate or to write back
    if (intake_.serving) resume();
    return true;
}

// Looks again at all requests that may have been stopped.
void crossbar::resume() {
    for (unsigned input = 0; input < inputs_.size() && intake_.taking; ++input) {
        const memory_extension* const held = inputs_[input]->held();
        if (held == nullptr || wanted_output_[input] != nothing) continue;
        const unsigned output = routes_.find(held->carrier().get_address());
        if (output != address_to_port_if::nowhere && full(requests_[output])) {
            wanted_output_[input] = output;
            ++requests_[output].waiting;
        } else {
            enter_request(input, output, inputs_[input]->take_request());
        }
    }
    for (port_queue& l : requests_) {
        if (l.waiting > 0) admit(l);
        if (!l.queue.empty() && !l.blocked) arm(l, std::max(events_.now(), l.queue.front().due));
    }
}

void crossbar::reset() {
    for (const auto& p : inputs_) p->reset();
    for (const auto& p : outputs_) p->reset();
    for (auto* const queues : {&requests_, &responses_}) {
        for (port_queue& l : *queues) {
            l.queue.clear();
            l.reserved = l.blocked_since = {};
            l.armed = l.blocked = false;
            l.waiting = l.turn = 0;
        }
    }
    wanted_output_.assign(wanted_output_.size(), nothing);
    wanted_input_.assign(wanted_input_.size(), nothing);
    request_source_.assign(request_source_.size(), {});
    response_source_.assign(response_source_.size(), {});
    queued_ = 0;
    statistics_.queued.set(events_.now(), 0);
    intake_ = {};
    accepted_ = answered_ = 0;
    calls_.cancel();
}

bool crossbar::idle() const {
    return accepted_ == answered_ &&
           std::all_of(inputs_.begin(), inputs_.end(), [](const auto& p) { return p->ready(); });
}

void crossbar::report_waits(std::vector<core::wait_edge>& edges) const {
    for (const auto& p : outputs_)
        if (!p->ready()) edges.push_back({p->name(), "acceptance of a request", p->peer_name(), p->sending_since()});
    for (const auto& p : inputs_)
        if (!p->ready())
            edges.push_back({p->name(), "acceptance of a response", p->peer_name(), p->responding_since()});
    for (unsigned i = 0; i < inputs_.size(); ++i)
        if (wanted_output_[i] != nothing)
            edges.push_back({inputs_[i]->name(), "room in an output's queue", outputs_[wanted_output_[i]]->name(),
                             inputs_[i]->held_since()});
}

void crossbar::check(observe::conservation& checks) const {
    checks.check(fmt::format("{}: requests taken and answered", name()), "requests", accepted_, answered_);
}

}  // namespace contraflow::memory
