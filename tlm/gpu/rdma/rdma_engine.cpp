// SPDX-License-Identifier: Apache-2.0
#include "gpu/rdma/rdma_engine.h"

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
                         const memory::low_module_finder_if& homes, net::network_if& net)
    : sc_core::sc_module(name),
      spec_(s),
      outside_name_(std::string(this->name()) + ".to_outside"),
      latency_(s.cycle * s.engine.latency.count),
      events_(shared.events),
      homes_(homes),
      network_(net),
      outside_(net.port(s.gpu)),
      held_responses_(s.by_address.parts() * outside_.ports()),
      requests_(shared.statistics, std::string(this->name()) + ".requests", "requests",
                "requests sent to other sockets' memory"),
      served_(shared.statistics, std::string(this->name()) + ".served", "requests",
              "requests of other sockets taken in"),
      data_out_(shared.statistics, std::string(this->name()) + ".data_out", "bytes",
                "data in the packets that left here, requests and responses"),
      data_in_(shared.statistics, std::string(this->name()) + ".data_in", "bytes",
               "data in the packets that came here, requests and responses") {
    for (unsigned i = 0; i < held_responses_.size(); ++i) {
        to_l1_.push_back(std::make_unique<memory::response_port>(fmt::format("to_l1[{}]", i).c_str(), shared,
                                                                 static_cast<memory::response_owner_if&>(*this), i));
        to_l2_.push_back(std::make_unique<memory::request_port>(fmt::format("to_l2[{}]", i).c_str(), shared,
                                                                static_cast<memory::request_owner_if&>(*this), i));
    }
    outside_.set_client(*this);
    if (!queued()) return;
    queue_statistics_ = std::make_unique<queue_statistics>(shared.statistics, this->name());
    queues_.reserve(flows * ports());
    for (const flow f : {flow::request_out, flow::request_in, flow::response_out, flow::response_in})
        for (unsigned i = 0; i < ports(); ++i)
            queues_.emplace_back(events_, static_cast<rdma_queue::owner_if&>(*this), f, i);
}

// ---- requests of this GPU, and what answers them

bool rdma_engine::request_arrived(unsigned port, memory::memory_extension& request) {
    if (!intake_.taking) return false;
    if (queued()) {
        if (full(flow::request_out, port)) return false;
        enter(flow::request_out, port, request);
        return true;
    }
    if (!outside_.can_inject(net::packet_class::request, home_of(request))) return false;
    request.times.pass(to_l1_[port]->name(), events_.now());
    in_call_ = true;
    send_request(port, request);
    in_call_ = false;
    return true;
}

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
                                                 static_cast<std::uint16_t>(home_of(request))});
}

void rdma_engine::answer(unsigned port, memory::memory_extension& request) {
    request.pop_route();
    request.times.pass(to_l1_[port]->name(), events_.now());
    to_l1_[port]->respond(request);
}

// ---- requests of others, and their answers

bool rdma_engine::response_arrived(unsigned port, memory::memory_extension& request) {
    if (queued()) {
        if (full(flow::response_out, port)) return false;
        enter(flow::response_out, port, request);
        return true;
    }
    if (!outside_.can_inject(net::packet_class::response, request.last_route())) {
        held_responses_[port] = &request;
        return false;
    }
    request.times.pass(to_l2_[port]->name(), events_.now());
    in_call_ = true;
    send_response(port, request);
    in_call_ = false;
    return true;
}

void rdma_engine::send_response(unsigned, memory::memory_extension& request) {
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
    if (kind == net::packet_class::request && !intake_.serving) return false;
    if (queued())
        return !full(kind == net::packet_class::request ? flow::request_in : flow::response_in, way_in(kind, p));
    if (in_call_) {
        // Nothing may call back into whoever is calling; looked at again as soon as that has returned.
        later<&rdma_engine::offer_again>(kind);
        return false;
    }
    return kind == net::packet_class::request ? to_l2_[way_in(kind, p)]->ready() : to_l1_[way_in(kind, p)]->ready();
}

void rdma_engine::take_packet(net::packet_class kind, const link::packet& p) {
    auto& request = static_cast<memory::memory_extension&>(*p.payload);
    const unsigned port = way_in(kind, p);
    data_in_ += p.bytes;
    request.times.pass(outside_name_.c_str(), events_.now());
    if (kind == net::packet_class::response) {
        ++answered_;
        answered_last_ = events_.now();
        return queued() ? enter(flow::response_in, port, request) : answer(port, request);
    }
    ++taken_;
    ++served_;
    request.push_route(p.source);
    return queued() ? enter(flow::request_in, port, request) : serve(port, request);
}

void rdma_engine::may_inject(net::packet_class kind) {
    if (!in_call_) return inject_held(kind);
    // A packet of the other class began to move when one was given to the link.
    later<&rdma_engine::inject_held>(kind);
}

void rdma_engine::inject_held(net::packet_class kind) {
    const unsigned first = next_;
    next_ = next_ + 1 == ports() ? 0 : next_ + 1;
    for (unsigned n = 0; n < ports(); ++n) inject_held(kind, first + n < ports() ? first + n : first + n - ports());
}

void rdma_engine::inject_held(net::packet_class kind, unsigned port) {
    if (queued())
        return send_out(queue(kind == net::packet_class::request ? flow::request_out : flow::response_out, port));
    if (kind == net::packet_class::request) {
        const memory::memory_extension* const held = to_l1_[port]->held();
        if (held == nullptr || !intake_.taking || !outside_.can_inject(kind, home_of(*held))) return;
        memory::memory_extension& request = to_l1_[port]->take_request();
        request.times.pass(to_l1_[port]->name(), events_.now());
        send_request(port, request);
    } else if (held_responses_[port] != nullptr && outside_.can_inject(kind, held_responses_[port]->last_route())) {
        held_responses_[port] = nullptr;
        memory::memory_extension& request = *to_l2_[port]->take_response();
        request.times.pass(to_l2_[port]->name(), events_.now());
        send_response(port, request);
    }
}

// ---- past time

void rdma_engine::blocking_access(unsigned, tlm::tlm_generic_payload& trans, sc_core::sc_time& delay) {
    const unsigned home = homes_.find(trans.get_address());
    const core::sim_time there_and_back =
        network_.latency(spec_.gpu, home) + network_.latency(home, spec_.gpu) + latency_ * flows;
    delay += sc_core::sc_time::from_value(there_and_back.ps);
    (*peers_[home]->to_l2_[peers_[home]->port_for(spec_.gpu, trans.get_address())])->b_transport(trans, delay);
}

unsigned rdma_engine::debug_access(unsigned, tlm::tlm_generic_payload& trans) {
    rdma_engine& home = *peers_[homes_.find(trans.get_address())];
    return (*home.to_l2_[home.port_for(spec_.gpu, trans.get_address())])->transport_dbg(trans);
}

}  // namespace contraflow::gpu
