// SPDX-License-Identifier: Apache-2.0
#include "memory/port/response_port.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "memory/port/peer_name.h"
#include "memory/transaction/annotated_delay.h"

namespace contraflow::memory {

response_port::response_port(const char* name, const resources& shared, response_owner_if& owner, unsigned number)
    : tlm::tlm_target_socket<>(name),
      events_(shared.events),
      payloads_(shared.payloads),
      owner_(owner),
      number_(number),
      calls_(shared.events, *this) {
    bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
}

response_port::~response_port() = default;

memory_extension& response_port::lend(tlm::tlm_generic_payload& trans) {
    memory_extension& lent = payloads_.lend(trans);
    lent.times.begin(events_.now());
    lent_.push_back(&lent);
    return lent;
}

tlm::tlm_sync_enum response_port::nb_transport_fw(tlm::tlm_generic_payload& trans, tlm::tlm_phase& phase,
                                                  sc_core::sc_time& delay) {
    if (phase == tlm::BEGIN_REQ) {
        if (held_ != nullptr || deferred_ != nullptr)
            throw std::logic_error(fmt::format("{}: BEGIN_REQ before the previous request has ended", name()));
        memory_extension* const known = extension_of(trans);
        memory_extension& request = known != nullptr ? *known : lend(trans);
        request.carried_by(trans);
        if (delay != sc_core::SC_ZERO_TIME) {
            deferred_ = &request;
            calls_.after<&response_port::begin_deferred>(time_of(delay));
            return tlm::TLM_ACCEPTED;
        }
        if (owner_.request_arrived(number_, request)) {
            phase = tlm::END_REQ;
            return tlm::TLM_UPDATED;
        }
        held_ = &request;
        held_since_ = events_.now();
        return tlm::TLM_ACCEPTED;
    }
    if (phase == tlm::END_RESP && responding_ == &trans) {
        calls_.after<&response_port::give_waiting>(time_of(delay));
        return tlm::TLM_COMPLETED;
    }
    return tlm::TLM_ACCEPTED;  // an ignorable phase
}

void response_port::begin_deferred() {
    memory_extension& request = *deferred_;
    deferred_ = nullptr;
    held_ = &request;
    held_since_ = events_.now();
    if (owner_.request_arrived(number_, request)) take_request();
}

memory_extension& response_port::take_request() {
    memory_extension& request = *held_;
    held_ = nullptr;
    tlm::tlm_phase phase = tlm::END_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    (*this)->nb_transport_bw(request.carrier(), phase, delay);
    return request;
}

void response_port::respond(memory_extension& request) {
    if (ready())
        give(request);
    else
        waiting_.push(request);
}

void response_port::give(memory_extension& request) {
    tlm::tlm_generic_payload& trans = request.carrier();
    if (!lent_.empty()) {
        if (const auto mine = std::find(lent_.begin(), lent_.end(), &request); mine != lent_.end()) {
            *mine = lent_.back();
            lent_.pop_back();
            payloads_.take_back(request);
        }
    }
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    const tlm::tlm_sync_enum answer = (*this)->nb_transport_bw(trans, phase, delay);
    if (answer == tlm::TLM_ACCEPTED || delay != sc_core::SC_ZERO_TIME) {
        responding_ = &trans;
        responding_since_ = events_.now();
    }
    if (answer != tlm::TLM_ACCEPTED && responding_ != nullptr)
        calls_.after<&response_port::give_waiting>(time_of(delay));
}

void response_port::give_waiting() {
    responding_ = nullptr;
    while (!waiting_.empty() && responding_ == nullptr) give(waiting_.pop());
    if (ready()) owner_.response_port_ready(number_);
}

std::string response_port::peer_name() const { return instance_behind(const_cast<response_port&>(*this)[0], *this); }

void response_port::reset() {
    held_ = deferred_ = nullptr;
    responding_ = nullptr;
    waiting_.clear();
    for (memory_extension* const lent : lent_) payloads_.take_back(*lent);
    lent_.clear();
    calls_.cancel();
}

}  // namespace contraflow::memory
