// SPDX-License-Identifier: Apache-2.0
#include "pcie/bridge/socket_bridge.h"

namespace contraflow::pcie {

socket_bridge::socket_bridge(const sc_core::sc_module_name& name, const resources& shared, const spec& s,
                             const address_map::function& place)
    : sc_module(name),
      in("in", {shared.events, shared.statistics, shared.payloads}, *this),
      out("out", {shared.events, shared.statistics, shared.payloads}, *this),
      events_(shared.events),
      spec_(s),
      bridge_("function", {shared.events, shared.statistics}, shared.packets, s.bridge, place, *this),
      take_held_(shared.events, *this),
      answer_refused_(shared.events, *this),
      pass_responses_(shared.events, *this) {
    events_.keep_kernel_time();  // the modules at its sockets may ask the kernel for the time
}

// ---- requests to the fabric

bool socket_bridge::request_arrived(unsigned, memory::memory_extension& request) {
    if (!room()) return false;
    accept(request);
    return true;
}

// Called within a forward call: a refused request is answered after that call.
void socket_bridge::accept(memory::memory_extension& request) {
    tlm::tlm_generic_payload& trans = request.carrier();
    const auto refusal = bridge_.send(request, trans.get_address() + spec_.bus_offset);
    if (!refusal) return;
    trans.set_response_status(*refusal);
    refused_.push(request);
    answer_refused_.arm_by(events_.now());
}

void socket_bridge::answer_refused() {
    while (!refused_.empty()) in.respond(refused_.pop());
}

void socket_bridge::request_left() {
    if (in.held() != nullptr && room()) take_held_.arm_by(events_.now());
}

void socket_bridge::take_held() {
    if (in.held() != nullptr && room()) accept(in.take_request());
}

// ---- requests from the fabric

void socket_bridge::request_port_ready(unsigned) {
    bridge_.resume(credit_class::posted);
    bridge_.resume(credit_class::non_posted);
}

// May run within a backward call: nothing may be sent from here. The end of one request makes room for another.
bool socket_bridge::response_arrived(unsigned, memory::memory_extension& made) {
    responses_.push(made);
    pass_responses_.arm_by(events_.now());
    return true;
}

void socket_bridge::pass_responses() {
    while (!responses_.empty()) bridge_.respond(responses_.pop());
}

// ---- control

bool socket_bridge::control(core::control_verb verb) {
    switch (verb) {
    case core::control_verb::drain: accepting_ = false; return true;
    case core::control_verb::enable:
        accepting_ = true;
        bridge_.control(verb);
        take_held_.arm_by(events_.now());
        return true;
    case core::control_verb::reset:
        accepting_ = true;
        refused_.clear();
        responses_.clear();
        take_held_.cancel();
        answer_refused_.cancel();
        pass_responses_.cancel();
        in.reset();
        out.reset();
        return bridge_.control(verb);
    case core::control_verb::pause:
    case core::control_verb::invalidate:
    case core::control_verb::flush: break;
    }
    return bridge_.control(verb);
}

void socket_bridge::report_waits(std::vector<core::wait_edge>& edges) const {
    bridge_.report_waits(edges);
    if (in.held() != nullptr) edges.push_back({in.peer_name(), "room for a request", name(), in.held_since()});
    if (!in.ready()) edges.push_back({name(), "its response to be taken", in.peer_name(), in.responding_since()});
    if (!out.ready()) edges.push_back({name(), "its request to be taken", out.peer_name(), out.sending_since()});
}

}  // namespace contraflow::pcie
