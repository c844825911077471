// SPDX-License-Identifier: Apache-2.0
#include "pcie/device/function.h"

namespace contraflow::pcie {

function::spec function::with_id(spec s, function_id id) {
    s.requests.id = s.answers.id = id;
    s.answers.max_payload = s.requests.max_payload;
    return s;
}

function::function(const sc_core::sc_module_name& name, const port::resources& shared, tlp_pool& pool, spec s,
                   const address_map::function& place, requester_user_if& user)
    : sc_module(name),
      latency_(s.latency),
      place_(place),
      port_("link", shared, s.link, *this, 0),
      requester_(shared.events, pool, with_id(s, place.id).requests, user,
                 core::callback::to<&function::timed_out>(*this)),
      completer_(shared.events, pool, with_id(s, place.id).answers),
      unexpected_(shared.statistics, std::string(sc_object::name()) + ".unexpected", "TLPs",
                  "completions without a request, or without the data that is due"),
      timeouts_(shared.statistics, std::string(sc_object::name()) + ".timeouts", "TLPs",
                "requests that were not answered in time: their tags are in quarantine"),
      late_(shared.statistics, std::string(sc_object::name()) + ".late_completions", "TLPs",
            "completions of requests that had been given up: the last one ends its tag's quarantine"),
      refused_writes_(shared.statistics, std::string(sc_object::name()) + ".refused_writes", "TLPs",
                      "posted writes that no region accepted; there is no answer") {}

// ---- sending

void function::start(operation& o) {
    requester_.start(o);
    may_transmit(0);
}

void function::answer(inbound_request& r) {
    completer_.answer(r);
    may_transmit(0);
}

void function::may_transmit(unsigned) {
    if (paused_) return;
    if (!port_.wire_idle()) return port_.wake_when_free();
    if (completion_turn_) {
        if (send_completion() || send_request()) return;
    } else if (send_request() || send_completion()) {
        return;
    }
}

bool function::send_completion() {
    const auto bytes = completer_.next();
    if (!bytes) return false;
    if (const auto why = port_.held(credit_class::completion, *bytes); why != port::hold::none) {
        port_.note_hold(why);
        return false;
    }
    const auto made = completer_.make();
    completion_turn_ = false;
    port_.send(made.packet);
    if (made.frees_front) port_.pop(credit_class::non_posted)->release();
    completer_.settle();
    return true;
}

bool function::send_request() { return send_request(false) || send_request(true); }

bool function::send_request(bool urgent) {
    const auto demand = requester_.next(urgent);
    if (!demand) return false;
    if (const auto why = port_.held(demand->flow, demand->payload); why != port::hold::none) {
        port_.note_hold(why);
        return false;
    }
    completion_turn_ = true;
    port_.send(requester_.make(urgent));
    requester_.settle();
    return true;
}

// ---- receiving

// pop() announces the next head, and a region may call back from within it. Both return at once, because this loop
// handles all heads.
void function::take_in(credit_class c) {
    bool& busy = taking_[index(c)];
    if (busy) return;
    busy = true;
    while (!paused_ && port_.front_ready(c) && port_.may_leave(c) && take_one(c)) {}
    busy = false;
    // TLPs that waited only for older writes may be handed on now.
    if (c == credit_class::posted) {
        if (port_.has(credit_class::non_posted)) take_in(credit_class::non_posted);
        if (port_.has(credit_class::completion)) take_in(credit_class::completion);
    }
}

bool function::take_one(credit_class c) {
    const tlp& packet = *port_.front(c).packet;
    switch (c) {
    case credit_class::posted: {
        const access_result r = completer_.take_write(packet);
        if (r == access_result::busy) return false;
        if (r != access_result::done) ++refused_writes_;
        port_.pop(c)->release();
        return true;
    }
    case credit_class::non_posted: {
        if (completer_.answers_front()) return false;
        const access_result r = completer_.take_request(packet, port_.front(c).ready);
        if (r == access_result::busy) return false;
        if (r == access_result::later) {
            port_.pop(c)->release();
            return true;
        }
        may_transmit(0);  // it stays in its buffer until it is answered
        return !completer_.answers_front();
    }
    case credit_class::completion: break;
    }
    const auto r = requester_.take(packet, port_.front(c).ready);
    if (r == requester::verdict::refused) return false;
    if (r == requester::verdict::unexpected) ++unexpected_;
    if (r == requester::verdict::late) ++late_;
    port_.pop(c)->release();
    may_transmit(0);  // a tag may be free again
    return true;
}

// ---- control

bool function::control(core::control_verb verb) {
    switch (verb) {
    case core::control_verb::pause: paused_ = true; return true;
    case core::control_verb::drain: return true;
    case core::control_verb::enable:
        paused_ = false;
        for (const auto c : all_credit_classes) take_in(c);
        may_transmit(0);
        return true;
    case core::control_verb::reset:
        port_.reset();
        requester_.reset();
        completer_.reset();
        taking_ = {};
        paused_ = false;
        completion_turn_ = true;
        return true;
    case core::control_verb::invalidate:
    case core::control_verb::flush: break;
    }
    return false;
}

void function::report_waits(std::vector<core::wait_edge>& edges) const {
    const std::string self = port_.name();
    if (const auto bytes = completer_.next()) port_.report_wait(credit_class::completion, *bytes, self, edges);
    if (const auto demand = requester_.next())
        port_.report_wait(demand->flow, demand->payload, self, edges);
    else if (requester_.lacks_tag())
        edges.push_back({self,
                         requester_.tags_in_use() != 0 ? "a tag of a completed request"
                                                       : "a tag in quarantine, by its late completion",
                         port_.peer_name(), requester_.oldest_since()});
    else if (requester_.tags_in_use() != 0)
        edges.push_back({self, "completions", port_.peer_name(), requester_.oldest_since()});
}

}  // namespace contraflow::pcie
