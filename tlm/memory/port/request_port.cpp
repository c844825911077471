// SPDX-License-Identifier: Apache-2.0
#include "memory/port/request_port.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "memory/port/peer_name.h"
#include "memory/transaction/annotated_delay.h"

namespace contraflow::memory {

request_port::request_port(const char* name, const resources& shared, request_owner_if& owner, unsigned number)
    : tlm::tlm_initiator_socket<>(name),
      events_(shared.events),
      owner_(owner),
      number_(number),
      calls_(shared.events, *this) {
    bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
}

void request_port::send(memory_extension& request) {
    if (!ready()) throw std::logic_error(fmt::format("{}: a request before the previous one has ended", name()));
    sending_ = &request;
    sending_since_ = events_.now();
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    switch ((*this)->nb_transport_fw(request.carrier(), phase, delay)) {
    case tlm::TLM_ACCEPTED: return;
    case tlm::TLM_COMPLETED:
        expect(request, time_of(delay), false);
        request_ended(time_of(delay));
        return;
    case tlm::TLM_UPDATED:
        if (phase == tlm::BEGIN_RESP) expect(request, time_of(delay), true);
        request_ended(time_of(delay));
        return;
    }
}

void request_port::request_ended(core::sim_time delay) {
    if (delay == core::sim_time{})
        sending_ = nullptr;
    else
        announce_ready_after(delay);
}

void request_port::announce_ready_after(core::sim_time delay) {
    if (ready_announced_) return;
    ready_announced_ = true;
    calls_.after<&request_port::announce_ready>(delay);
}

void request_port::announce_ready() {
    sending_ = nullptr;
    ready_announced_ = false;
    owner_.request_port_ready(number_);
}

tlm::tlm_sync_enum request_port::nb_transport_bw(tlm::tlm_generic_payload& trans, tlm::tlm_phase& phase,
                                                 sc_core::sc_time& delay) {
    if (phase == tlm::END_REQ) {
        announce_ready_after(time_of(delay));
        return tlm::TLM_ACCEPTED;
    }
    if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;  // an ignorable phase
    memory_extension& request = *extension_of(trans);
    if (sending_ == &request) announce_ready_after(time_of(delay));  // the end of the request is implied
    if (delay != sc_core::SC_ZERO_TIME || !early_.empty() || held_ != nullptr) {
        expect(request, time_of(delay), true);
        return tlm::TLM_ACCEPTED;
    }
    if (owner_.response_arrived(number_, request)) return tlm::TLM_COMPLETED;
    held_ = &request;
    held_wants_end_ = true;
    return tlm::TLM_ACCEPTED;
}

void request_port::expect(memory_extension& request, core::sim_time delay, bool wants_end) {
    early_.push_back({events_.now() + delay, &request, wants_end});
    calls_.after<&request_port::deliver>(delay);
}

void request_port::deliver() {
    const core::sim_time now = events_.now();
    const std::uint32_t generation = calls_.generation();
    while (held_ == nullptr) {
        const auto due = std::find_if(early_.begin(), early_.end(), [&](const auto& e) { return e.due <= now; });
        if (due == early_.end()) return;
        const early_response r = *due;
        early_.erase(due);
        tlm::tlm_generic_payload& trans = r.request->carrier();
        trans.acquire();  // its owner may release it before it has ended
        if (!owner_.response_arrived(number_, *r.request)) {
            held_ = r.request;
            held_wants_end_ = r.wants_end;
        } else if (calls_.generation() == generation && r.wants_end) {
            end_response(trans);
        }
        trans.release();
        if (calls_.generation() != generation) return;
    }
}

memory_extension* request_port::take_response() {
    memory_extension* const taken = held_;
    if (taken == nullptr) return nullptr;
    held_ = nullptr;
    if (held_wants_end_) end_response(taken->carrier());
    if (!early_.empty()) calls_.after<&request_port::deliver>({});
    return taken;
}

void request_port::end_response(tlm::tlm_generic_payload& trans) {
    tlm::tlm_phase phase = tlm::END_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    (*this)->nb_transport_fw(trans, phase, delay);
}

std::string request_port::peer_name() const { return instance_behind(const_cast<request_port&>(*this)[0], *this); }

void request_port::reset() {
    sending_ = held_ = nullptr;
    ready_announced_ = false;
    early_.clear();
    calls_.cancel();
}

}  // namespace contraflow::memory
