// SPDX-License-Identifier: Apache-2.0
#include "gpu/link_bridge.h"

#include <fmt/format.h>

namespace contraflow::gpu {
namespace {

bool carries_data(const tlm::tlm_generic_payload& trans, packet_class kind) {
    if (trans.get_command() == tlm::TLM_IGNORE_COMMAND) return true;
    return trans.is_write() == (kind == packet_class::request);
}

std::uint32_t length_of(const tlm::tlm_generic_payload& trans, packet_class kind) {
    if (!carries_data(trans, kind)) return 0;
    const std::uint32_t data = trans.get_data_length();
    const bool enables = kind == packet_class::request && trans.get_byte_enable_ptr() != nullptr;
    return data + (enables ? (data + 7) / 8 : 0);
}

}  // namespace

link_bridge::link_bridge(const sc_core::sc_module_name& name, const memory::resources& shared, const spec& s,
                         const memory::address_map& map, network& net)
    : sc_core::sc_module(name),
      spec_(s),
      events_(shared.events),
      map_(map),
      network_(net),
      router_(net.router(s.socket)),
      held_responses_(s.by_address.parts() * router_.links()),
      requests_(shared.statistics, std::string(this->name()) + ".requests", "requests",
                "requests sent to other sockets' memory"),
      served_(shared.statistics, std::string(this->name()) + ".served", "requests",
              "requests of other sockets taken in"),
      data_out_(shared.statistics, std::string(this->name()) + ".data_out", "bytes",
                "data in the packets that left here, requests and responses"),
      data_in_(shared.statistics, std::string(this->name()) + ".data_in", "bytes",
               "data in the packets that came here, requests and responses") {
    for (unsigned i = 0; i < held_responses_.size(); ++i) {
        up_.push_back(std::make_unique<memory::response_port>(fmt::format("up[{}]", i).c_str(), shared,
                                                              static_cast<memory::response_owner_if&>(*this), i));
        down_.push_back(std::make_unique<memory::request_port>(fmt::format("down[{}]", i).c_str(), shared,
                                                               static_cast<memory::request_owner_if&>(*this), i));
    }
    router_.set_user(*this);
}

// ---- requests of this socket, and what answers them

bool link_bridge::request_arrived(unsigned port, memory::memory_extension& request) {
    if (!router_.can_inject(packet_class::request, home_of(request))) return false;
    in_call_ = true;
    send_request(port, request);
    in_call_ = false;
    return true;
}

void link_bridge::send_request(unsigned port, memory::memory_extension& request) {
    const std::uint32_t length = length_of(request.carrier(), packet_class::request);
    request.push_route(port);
    ++requests_;
    if (sent_ == answered_) answered_last_ = events_.now();
    ++sent_;
    data_out_ += length;
    router_.inject(packet_class::request, {&request, length, static_cast<std::uint16_t>(spec_.socket),
                                           static_cast<std::uint16_t>(home_of(request))});
}

// ---- requests of others, and their answers

bool link_bridge::response_arrived(unsigned port, memory::memory_extension& request) {
    if (!router_.can_inject(packet_class::response, request.last_route())) {
        held_responses_[port] = &request;
        return false;
    }
    in_call_ = true;
    send_response(request);
    in_call_ = false;
    return true;
}

void link_bridge::send_response(memory::memory_extension& request) {
    const std::uint32_t length = length_of(request.carrier(), packet_class::response);
    const std::uint32_t source = request.pop_route();
    ++returned_;
    data_out_ += length;
    router_.inject(packet_class::response, {&request, length, static_cast<std::uint16_t>(spec_.socket),
                                            static_cast<std::uint16_t>(source), 0, length == 0});
}

// ---- the network

bool link_bridge::can_take(packet_class kind, const link::packet& p) {
    if (in_call_) {
        // Nothing may call back into whoever is calling; looked at again as soon as that has returned.
        later<&link_bridge::offer_again>(kind);
        return false;
    }
    if (kind == packet_class::request) return way_in(p).ready();
    return up_[static_cast<const memory::memory_extension*>(p.load)->last_route()]->ready();
}

void link_bridge::take_packet(packet_class kind, const link::packet& p) {
    auto& request = *static_cast<memory::memory_extension*>(p.load);
    data_in_ += p.payload;
    if (kind == packet_class::response) {
        ++answered_;
        answered_last_ = events_.now();
        up_[request.pop_route()]->respond(request);
        return;
    }
    ++taken_;
    ++served_;
    request.push_route(p.source);
    way_in(p).send(request);
}

void link_bridge::may_inject(packet_class kind) {
    if (!in_call_) return inject_held(kind);
    // A packet of the other class began to move when one was given to the link.
    later<&link_bridge::inject_held>(kind);
}

void link_bridge::inject_held(packet_class kind) {
    const unsigned first = next_;
    next_ = next_ + 1 == ports() ? 0 : next_ + 1;
    for (unsigned n = 0; n < ports(); ++n) {
        const unsigned i = first + n < ports() ? first + n : first + n - ports();
        if (kind == packet_class::request) {
            const memory::memory_extension* const held = up_[i]->held();
            if (held != nullptr && router_.can_inject(kind, home_of(*held))) send_request(i, up_[i]->take_request());
        } else if (held_responses_[i] != nullptr && router_.can_inject(kind, held_responses_[i]->last_route())) {
            held_responses_[i] = nullptr;
            send_response(*down_[i]->take_response());
        }
    }
}

// ---- past time

void link_bridge::blocking_access(unsigned, tlm::tlm_generic_payload& trans, sc_core::sc_time& delay) {
    const unsigned home = map_.socket_of(trans.get_address());
    const core::sim_time there_and_back = network_.latency(spec_.socket, home) + network_.latency(home, spec_.socket);
    delay += sc_core::sc_time::from_value(there_and_back.ps);
    (*peers_[home]->down_[peers_[home]->port_for(spec_.socket, trans.get_address())])->b_transport(trans, delay);
}

unsigned link_bridge::debug_access(unsigned, tlm::tlm_generic_payload& trans) {
    link_bridge& home = *peers_[map_.socket_of(trans.get_address())];
    return (*home.down_[home.port_for(spec_.socket, trans.get_address())])->transport_dbg(trans);
}

// ---- questions and control

bool link_bridge::at_rest() const { return sent_ == answered_ && taken_ == returned_; }

void link_bridge::reset() {
    for (const auto& p : up_) p->reset();
    for (const auto& p : down_) p->reset();
    held_responses_.assign(held_responses_.size(), nullptr);
    next_ = 0;
    sent_ = answered_ = taken_ = returned_ = 0;
    ++epoch_;
}

void link_bridge::report_waits(std::vector<core::wait_edge>& edges) const {
    if (sent_ != answered_)
        edges.push_back(
            {name(), fmt::format("answers to {} requests", sent_ - answered_), router_.name(), answered_last_});
    for (const auto& p : down_)
        if (!p->ready()) edges.push_back({name(), "acceptance of a request", p->peer_name(), p->sending_since()});
    for (const auto& p : up_) {
        if (!p->ready()) edges.push_back({name(), "acceptance of a response", p->peer_name(), p->responding_since()});
        if (p->held() != nullptr)
            edges.push_back({name(), "room in the queue of a link", router_.name(), p->held_since()});
    }
}

void link_bridge::check(observe::conservation& checks) const {
    checks.check(fmt::format("{}: requests to other sockets and answers", name()), "requests", sent_, answered_);
    checks.check(fmt::format("{}: requests of other sockets and answers", name()), "requests", taken_, returned_);
}

}  // namespace contraflow::gpu
