// SPDX-License-Identifier: Apache-2.0
#include "gpu/rdma/rdma_engine.h"

#include <algorithm>

#include <fmt/format.h>

namespace contraflow::gpu {
namespace {

bool carries_data(const tlm::tlm_generic_payload& trans, net::packet_class kind) {
    if (trans.get_command() == tlm::TLM_IGNORE_COMMAND) return true;
    return trans.is_write() == (kind == net::packet_class::request);
}

std::uint32_t length_of(const tlm::tlm_generic_payload& trans, net::packet_class kind) {
    if (!carries_data(trans, kind)) return 0;
    const std::uint32_t data = trans.get_data_length();
    const bool enables = kind == net::packet_class::request && trans.get_byte_enable_ptr() != nullptr;
    return data + (enables ? (data + 7) / 8 : 0);
}

}  // namespace

rdma_engine::rdma_engine(const sc_core::sc_module_name& name, const memory::resources& shared, const spec& s,
                         const memory::address_to_port_if& owners, net::network_if& net)
    : sc_core::sc_module(name),
      spec_(s),
      outside_name_(std::string(this->name()) + ".to_outside"),
      latency_(s.engine.queue == 0 ? core::sim_time{} : s.cycle * s.engine.latency.count),
      events_(shared.events),
      owners_(owners),
      network_(net),
      outside_(net.port(s.gpu)),
      later_(shared.events, *this),
      requests_(shared.statistics, std::string(this->name()) + ".requests", "requests",
                "requests sent to other sockets' memory"),
      served_(shared.statistics, std::string(this->name()) + ".served", "requests",
              "requests of other sockets taken in"),
      data_out_(shared.statistics, std::string(this->name()) + ".data_out", "bytes",
                "data in the packets that left here, requests and responses"),
      data_in_(shared.statistics, std::string(this->name()) + ".data_in", "bytes",
               "data in the packets that came here, requests and responses") {
    for (unsigned i = 0; i < s.by_address.parts() * outside_.links(); ++i) {
        to_l1_.push_back(std::make_unique<memory::response_port>(fmt::format("to_l1[{}]", i).c_str(), shared,
                                                                 static_cast<memory::response_owner_if&>(*this), i));
        to_l2_.push_back(std::make_unique<memory::request_port>(fmt::format("to_l2[{}]", i).c_str(), shared,
                                                                static_cast<memory::request_owner_if&>(*this), i));
    }
    outside_.set_client(*this);
    make_channels(shared.statistics);
}

void rdma_engine::make_channels(observe::statistics& group) {
    struct naming {
        const char *name, *statistic, *unit, *text;
    };
    constexpr std::array<naming, flows> names{{
        {"request_out", ".requests_out", "requests", "requests of this GPU, on their way to the network"},
        {"request_in", ".requests_in", "requests", "requests of other GPUs, on their way to memory"},
        {"response_out", ".responses_out", "responses", "responses to other GPUs, on their way to the network"},
        {"response_in", ".responses_in", "responses", "responses to this GPU, on their way to the requester"},
    }};
    const unsigned depth = spec_.engine.queue;
    if (depth != 0)
        for (const naming& n : names)
            gauges_.push_back(std::make_unique<flow_gauge>(group, name(), n.statistic, n.unit, n.text));
    for (unsigned i = 0; i < ports(); ++i)
        for (unsigned f = 0; f < flows; ++f) {
            const bool out =
                f == static_cast<unsigned>(flow::request_out) || f == static_cast<unsigned>(flow::response_out);
            core::channel_spec s{.path = fmt::format("{}.{}[{}]", name(), names[f].name, i), .depth = depth};
            if (depth != 0) {
                s.latency = latency_;
                s.interval = spec_.cycle;
            }
            channels_.emplace_back(events_, s, channel::sender{*this, i * flows + f, name()},
                                   channel::receiver{*this, i * flows + f, out ? outside_.name() : name()});
            if (depth != 0) channels_.back().set_observer(gauges_[f].get());
        }
}

// ---- between ports and channels

bool rdma_engine::request_arrived(unsigned port, memory::memory_extension& request) {
    return intake_.taking && push_in_call(flow::request_out, port, request, to_l1_[port]->name());
}

bool rdma_engine::response_arrived(unsigned port, memory::memory_extension& request) {
    return push_in_call(flow::response_out, port, request, to_l2_[port]->name());
}

// This runs within a protocol call, so nothing may call back into the caller.
bool rdma_engine::push_in_call(flow f, unsigned port, memory::memory_extension& request, const char* from) {
    channel& to = channel_of(f, port);
    if (!to.ready(&request)) return false;
    request.times.pass(from, events_.now());
    in_call_ = true;
    to.push(&request);
    in_call_ = false;
    return true;
}

// Requests that are held back at the port enter the channel.
void rdma_engine::refill(flow f, unsigned port) {
    channel& to = channel_of(f, port);
    if (f == flow::request_out) {
        memory::memory_extension* const held = to_l1_[port]->held();
        if (held == nullptr || !intake_.taking || !to.ready(held)) return;
        to_l1_[port]->take_request();
        held->times.pass(to_l1_[port]->name(), events_.now());
        to.push(held);
    } else {
        memory::memory_extension* const held = to_l2_[port]->held();
        if (held == nullptr || !to.ready(held)) return;
        to_l2_[port]->take_response();
        held->times.pass(to_l2_[port]->name(), events_.now());
        to.push(held);
    }
}

void rdma_engine::channel_ready(unsigned number) {
    switch (const flow f = flow_of(number)) {
    case flow::request_out:
    case flow::response_out: return refill(f, port_of(number));
    case flow::request_in: return outside_.offer_again(net::packet_class::request);
    case flow::response_in: return outside_.offer_again(net::packet_class::response);
    }
}

bool rdma_engine::can_take(unsigned number, memory::memory_extension* const& request) {
    const unsigned port = port_of(number);
    switch (flow_of(number)) {
    case flow::request_out:
        return intake_.serving && outside_.can_inject(net::packet_class::request, owner_of(*request));
    case flow::request_in: return intake_.serving && to_l2_[port]->ready();
    case flow::response_out: return outside_.can_inject(net::packet_class::response, request->last_route());
    case flow::response_in: return to_l1_[port]->ready();
    }
    return false;
}

void rdma_engine::take(unsigned number, memory::memory_extension* request) {
    const unsigned port = port_of(number);
    switch (flow_of(number)) {
    case flow::request_out: return send_request(port, *request);
    case flow::request_in: return serve(port, *request);
    case flow::response_out: return send_response(*request);
    case flow::response_in: return answer(port, *request);
    }
}

// ---- what leaves the channels

void rdma_engine::send_request(unsigned port, memory::memory_extension& request) {
    const std::uint32_t length = length_of(request.carrier(), net::packet_class::request);
    request.push_route(port);
    request.times.pass(outside_name_.c_str(), events_.now());
    ++requests_;
    if (counters_ != nullptr) counters_->count(request);
    if (sent_ == answered_) answered_last_ = events_.now();
    ++sent_;
    data_out_ += length;
    outside_.inject(net::packet_class::request, {&request, length, static_cast<std::uint16_t>(spec_.gpu),
                                                 static_cast<std::uint16_t>(owner_of(request))});
}

void rdma_engine::answer(unsigned port, memory::memory_extension& request) {
    request.pop_route();
    request.times.pass(to_l1_[port]->name(), events_.now());
    to_l1_[port]->respond(request);
}

void rdma_engine::send_response(memory::memory_extension& request) {
    const std::uint32_t length = length_of(request.carrier(), net::packet_class::response);
    const std::uint32_t source = request.pop_route();
    request.times.pass(outside_name_.c_str(), events_.now());
    ++returned_;
    data_out_ += length;
    outside_.inject(net::packet_class::response, {&request, length, static_cast<std::uint16_t>(spec_.gpu),
                                                  static_cast<std::uint16_t>(source), 0, length == 0});
}

void rdma_engine::serve(unsigned port, memory::memory_extension& request) {
    request.times.pass(to_l2_[port]->name(), events_.now());
    to_l2_[port]->send(request);
}

// ---- the network

bool rdma_engine::can_take(net::packet_class kind, const link::packet& p) {
    const bool request = kind == net::packet_class::request;
    if (request && !intake_.serving) return false;
    if (in_call_) {  // tried again as soon as the call has returned
        later_.after<&rdma_engine::offer_again>({}, static_cast<std::uint32_t>(kind));
        return false;
    }
    auto& what = p.payload_as<memory::memory_extension>();
    return channel_of(request ? flow::request_in : flow::response_in, port_in(kind, p)).ready(&what);
}

void rdma_engine::take_packet(net::packet_class kind, const link::packet& p) {
    auto& request = p.payload_as<memory::memory_extension>();
    const unsigned port = port_in(kind, p);
    data_in_ += p.bytes;
    if (observer_ && p.bytes != 0) observer_(p.source, p.bytes);
    request.times.pass(outside_name_.c_str(), events_.now());
    if (kind == net::packet_class::response) {
        ++answered_;
        answered_last_ = events_.now();
        return channel_of(flow::response_in, port).push(&request);
    }
    ++taken_;
    ++served_;
    request.push_route(p.source);
    channel_of(flow::request_in, port).push(&request);
}

// The link may call this within a call of this engine, after it has started a packet of the other class.
void rdma_engine::may_inject(net::packet_class kind) {
    const auto number = static_cast<std::uint32_t>(kind);
    in_call_ ? later_.after<&rdma_engine::inject_held>({}, number) : inject_held(number);
}

void rdma_engine::inject_held(std::uint32_t kind) {
    const flow f =
        static_cast<net::packet_class>(kind) == net::packet_class::request ? flow::request_out : flow::response_out;
    const unsigned first = next_;
    next_ = next_ + 1 == ports() ? 0 : next_ + 1;
    for (unsigned n = 0; n < ports(); ++n)
        channel_of(f, first + n < ports() ? first + n : first + n - ports()).resume();
}

// ---- past time

void rdma_engine::blocking_access(unsigned, tlm::tlm_generic_payload& trans, sc_core::sc_time& delay) {
    const unsigned owner = owners_.find(trans.get_address());
    const core::sim_time there_and_back =
        network_.latency(spec_.gpu, owner) + network_.latency(owner, spec_.gpu) + latency_ * flows;
    delay += sc_core::sc_time::from_value(there_and_back.ps);
    (*peers_[owner]->to_l2_[peers_[owner]->port_for(spec_.gpu, trans.get_address())])->b_transport(trans, delay);
}

unsigned rdma_engine::debug_access(unsigned, tlm::tlm_generic_payload& trans) {
    rdma_engine& owner = *peers_[owners_.find(trans.get_address())];
    return (*owner.to_l2_[owner.port_for(spec_.gpu, trans.get_address())])->transport_dbg(trans);
}

// ---- questions and control

bool rdma_engine::idle() const {
    return sent_ == answered_ && taken_ == returned_ &&
           std::all_of(channels_.begin(), channels_.end(), [](const channel& c) { return c.held() == 0; });
}

bool rdma_engine::control(core::control_verb verb) {
    if (verb == core::control_verb::reset) {
        reset();
        return true;
    }
    if (!intake_.control(verb)) return false;
    if (verb != core::control_verb::enable) return true;
    for (unsigned i = 0; i < ports(); ++i) {
        refill(flow::request_out, i);
        channel_of(flow::request_in, i).resume();
    }
    inject_held(static_cast<std::uint32_t>(net::packet_class::request));
    outside_.offer_again(net::packet_class::request);
    return true;
}

void rdma_engine::reset() {
    for (const auto& p : to_l1_) p->reset();
    for (const auto& p : to_l2_) p->reset();
    for (channel& c : channels_) c.reset();
    later_.cancel();
    intake_ = {};
    next_ = 0;
    sent_ = answered_ = taken_ = returned_ = 0;
}

void rdma_engine::report_waits(std::vector<core::wait_edge>& edges) const {
    if (sent_ != answered_)
        edges.push_back(
            {name(), fmt::format("answers to {} requests", sent_ - answered_), outside_.name(), answered_last_});
    for (const auto& p : to_l2_)
        if (!p->ready()) edges.push_back({name(), "acceptance of a request", p->peer_name(), p->sending_since()});
    for (const auto& p : to_l1_) {
        if (!p->ready()) edges.push_back({name(), "acceptance of a response", p->peer_name(), p->responding_since()});
        if (p->held() != nullptr && !intake_.taking)
            edges.push_back({name(), "to be enabled", name(), p->held_since()});
    }
    for (const channel& c : channels_) c.report_waits(edges);
}

void rdma_engine::check(observe::conservation& checks) const {
    checks.check(fmt::format("{}: requests to other sockets and answers", name()), "requests", sent_, answered_);
    checks.check(fmt::format("{}: requests of other sockets and answers", name()), "requests", taken_, returned_);
}

}  // namespace contraflow::gpu
