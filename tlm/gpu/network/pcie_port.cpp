// SPDX-License-Identifier: Apache-2.0
#include "gpu/network/pcie_port.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "memory/transaction/memory_extension.h"

namespace contraflow::gpu {

pcie_port::pcie_port(const char* name, const pcie::port::resources& shared, pcie::tlp_pool& packets, const spec& s,
                     unsigned number, const pcie_places& places)
    : events_(shared.events),
      spec_(s),
      number_(number),
      places_(places),
      bridge_(name, shared, packets, {s.device, places.memory.base(number)}, places.functions[number], *this),
      name_(bridge_.name()),
      port_(shared.events, name_, {*this, *this, name_}),
      outstanding_to_(places.functions.size()) {
    port_.set_routes(std::vector<unsigned>(places.functions.size()), {name_, name_});
}

// ---- to the network

bool pcie_port::room(net::packet_class kind) const {
    return (kind == net::packet_class::request ? bridge_.requests_waiting() : bridge_.responses_waiting()) <
           spec_.queue;
}

bool pcie_port::can_take(unsigned number, const link::packet&) {
    return accepting_ && room(net::network_port::class_of(number));
}

void pcie_port::take(unsigned number, link::packet p) {
    auto& e = p.payload_as<memory::memory_extension>();
    last_sent_ = events_.now();
    if (net::network_port::class_of(number) == net::packet_class::response) {
        --inside_;
        return bridge_.respond(e);
    }
    ++outstanding_to_[p.target];
    if (bridge_.send(e, places_.bus_address(p.target, e.carrier().get_address())))
        throw std::logic_error(name_ + ": a request that PCIe does not have");
}

void pcie_port::tell_refused(net::packet_class kind) {
    if (accepting_ && room(kind)) port_.may_inject(net::network_port::number_of(kind, 0));
}

// ---- from the network

link::packet pcie_port::request_of(const memory::memory_extension& made, pcie::function_id from) const {
    const tlm::tlm_generic_payload& trans = made.carrier();
    return {const_cast<memory::memory_extension*>(&made), trans.is_read() ? 0 : trans.get_data_length(),
            static_cast<std::uint16_t>(places_.gpu_of(from)), static_cast<std::uint16_t>(number_)};
}

link::packet pcie_port::response_of(const memory::memory_extension& request) const {
    const tlm::tlm_generic_payload& trans = request.carrier();
    const bool elsewhere = places_.memory.contains(trans.get_address());
    return {const_cast<memory::memory_extension*>(&request), trans.is_write() ? 0 : trans.get_data_length(),
            static_cast<std::uint16_t>(elsewhere ? places_.memory.socket_of(trans.get_address()) : number_),
            static_cast<std::uint16_t>(number_)};
}

bool pcie_port::can_take_request(const memory::memory_extension& made, pcie::function_id from) {
    return port_.arrivals(net::packet_class::request).ready(request_of(made, from));
}

void pcie_port::take_request(memory::memory_extension& made, pcie::function_id from) {
    ++inside_;
    last_given_ = events_.now();
    const link::packet p = request_of(made, from);
    made.origin.gpu = p.source;
    port_.arrivals(net::packet_class::request).push(p);
}

bool pcie_port::can_take_response(memory::memory_extension& request) {
    return port_.arrivals(net::packet_class::response).ready(response_of(request));
}

void pcie_port::take_response(memory::memory_extension& request) {
    const link::packet answer = response_of(request);
    --outstanding_to_[answer.source];
    port_.arrivals(net::packet_class::response).push(answer);
}

void pcie_port::channel_ready(unsigned number) {
    if (net::network_port::class_of(number) == net::packet_class::response)
        return bridge_.resume(pcie::credit_class::completion);
    bridge_.resume(pcie::credit_class::posted);
    bridge_.resume(pcie::credit_class::non_posted);
}

// ---- control

bool pcie_port::control(core::control_verb verb) {
    switch (verb) {
    case core::control_verb::drain: accepting_ = false; return true;
    case core::control_verb::enable:
        accepting_ = true;
        bridge_.control(verb);
        for (const auto kind : {net::packet_class::response, net::packet_class::request}) tell_refused(kind);
        return true;
    case core::control_verb::reset:
        port_.reset();
        std::fill(outstanding_to_.begin(), outstanding_to_.end(), 0);
        inside_ = 0;
        accepting_ = true;
        return bridge_.control(verb);
    case core::control_verb::pause:
    case core::control_verb::invalidate:
    case core::control_verb::flush: break;
    }
    return bridge_.control(verb);
}

void pcie_port::report_waits(std::vector<core::wait_edge>& edges) const {
    bridge_.report_waits(edges);
    if (bridge_.outstanding() != 0)
        edges.push_back({name_, "answers", bridge_.device().link().peer_name(), last_sent_});
    if (inside_ != 0)
        edges.push_back({name_, fmt::format("responses to {} requests", inside_), port_.client_name(), last_given_});
    port_.report_waits(edges);
}

}  // namespace contraflow::gpu
