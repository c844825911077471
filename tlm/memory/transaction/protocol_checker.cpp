// SPDX-License-Identifier: Apache-2.0
#include "memory/transaction/protocol_checker.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace contraflow::memory {

std::string_view rule_text(protocol_rule rule) {
    static constexpr std::array<std::string_view, 14> texts{
        "BEGIN_REQ before the previous request has ended",
        "BEGIN_RESP before the previous response has ended",
        "a phase out of order, or of a transaction that isn't under way",
        "a phase on the wrong path",
        "a return value or an updated phase that doesn't fit the call",
        "TLM_ACCEPTED, yet the phase or the delay was changed",
        "a call one way from within a call the other way",
        "a delay that makes time go back",
        "no data, length, streaming width or length of byte enables, or no such command",
        "response status or DMI hint not as they must be at the start",
        "an attribute changed on the way",
        "the data of a write changed on the way",
        "a response without a response status, or with one that changed afterwards",
        "no memory manager, or no reference left"};
    return texts[static_cast<std::size_t>(rule)];
}

protocol_checker::protocol_checker(const sc_core::sc_module_name& name)
    : sc_core::sc_module(name),
      in("in"),
      out("out") {
    in.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
    out.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
}

protocol_checker::attributes::attributes(const tlm::tlm_generic_payload& trans)
    : command(trans.get_command()),
      data(trans.get_data_ptr()),
      length(trans.get_data_length()),
      streaming_width(trans.get_streaming_width()),
      enables_length(trans.get_byte_enable_length()),
      enables(trans.get_byte_enable_ptr()) {
    if (command != tlm::TLM_WRITE_COMMAND || data == nullptr) return;
    written = 0xcbf29ce484222325u;  // FNV-1a
    for (unsigned i = 0; i < length; ++i) written = (written ^ data[i]) * 0x100000001b3u;
}

bool protocol_checker::attributes::same_but_data(const attributes& o) const {
    return command == o.command && data == o.data && length == o.length && streaming_width == o.streaming_width &&
           enables == o.enables && (enables == nullptr || enables_length == o.enables_length);
}

core::sim_time protocol_checker::at(const sc_core::sc_time& delay) const {
    return {(sc_core::sc_time_stamp() + delay).value()};
}

protocol_checker::record* protocol_checker::find(const tlm::tlm_generic_payload& trans) {
    const auto found =
        std::find_if(under_way_.begin(), under_way_.end(), [&](const record& r) { return r.trans == &trans; });
    return found == under_way_.end() ? nullptr : &*found;
}

void protocol_checker::report(record& r, protocol_rule rule) {
    const std::uint32_t bit = std::uint32_t{1} << static_cast<unsigned>(rule);
    if ((r.reported & bit) != 0) return;
    r.reported |= bit;
    const core::sim_time now = at(sc_core::SC_ZERO_TIME);
    violations_.push_back(
        {rule, r.address, now,
         fmt::format("at {}, {}: transaction at {:#x}: {}", core::to_text(now), name(), r.address, rule_text(rule))});
}

void protocol_checker::report(const tlm::tlm_generic_payload& trans, protocol_rule rule) {
    if (record* const r = find(trans); r != nullptr) {
        report(*r, rule);
        return;
    }
    if (stranger_.trans != &trans) {
        stranger_ = {};
        stranger_.trans = &trans;
        stranger_.address = trans.get_address();
    }
    report(stranger_, rule);
}

// The rules for a transaction at its start, through either interface.
protocol_checker::record protocol_checker::begin(const tlm::tlm_generic_payload& trans) {
    ++seen_;
    record r;
    r.trans = &trans;
    r.address = trans.get_address();
    r.given = attributes(trans);
    const attributes& a = r.given;
    const bool moves_data = a.command == tlm::TLM_READ_COMMAND || a.command == tlm::TLM_WRITE_COMMAND;
    if ((!moves_data && a.command != tlm::TLM_IGNORE_COMMAND) ||
        (moves_data && (a.data == nullptr || a.length == 0 || a.streaming_width == 0)) ||
        (a.enables != nullptr && a.enables_length == 0))
        report(r, protocol_rule::attributes_invalid);
    if (trans.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE || trans.is_dmi_allowed())
        report(r, protocol_rule::attributes_initial);
    return r;
}

void protocol_checker::begin_request(tlm::tlm_generic_payload& trans, core::sim_time when) {
    if (record* const known = find(trans); known != nullptr) {
        report(*known, protocol_rule::phase_order);
        return;
    }
    record r = begin(trans);
    r.time = when;
    if (!trans.has_mm() || trans.get_ref_count() < 1) report(r, protocol_rule::memory_management);
    if (requesting_ != nullptr) report(r, protocol_rule::request_exclusion);
    under_way_.push_back(r);
    requesting_ = &trans;
}

void protocol_checker::check_call(tlm::tlm_generic_payload& trans, record& r, core::sim_time when) {
    if (when < r.time) report(r, protocol_rule::time_backwards);
    r.time = std::max(r.time, when);
    const attributes now(trans);
    if (!now.same_but_data(r.given))
        report(r, protocol_rule::attributes_changed);
    else if (now.written != r.given.written)
        report(r, protocol_rule::written_data_changed);
    if (!trans.has_mm() || trans.get_ref_count() < 1) report(r, protocol_rule::memory_management);
    if (r.state == progress::responding && trans.get_response_status() != r.status)
        report(r, protocol_rule::response_missing);
}

void protocol_checker::end_request(tlm::tlm_generic_payload& trans, core::sim_time when) {
    record* const r = find(trans);
    if (r == nullptr || r->state != progress::requested) {
        report(trans, protocol_rule::phase_order);
        return;
    }
    check_call(trans, *r, when);
    r->state = progress::request_ended;
    if (requesting_ == &trans) requesting_ = nullptr;
}

void protocol_checker::begin_response(tlm::tlm_generic_payload& trans, core::sim_time when) {
    record* const r = find(trans);
    if (r == nullptr || r->state == progress::responding) {
        report(trans, protocol_rule::phase_order);
        return;
    }
    check_call(trans, *r, when);
    if (requesting_ == &trans) requesting_ = nullptr;  // the end of the request is implied
    if (responding_ != nullptr) report(*r, protocol_rule::response_exclusion);
    r->state = progress::responding;
    r->status = trans.get_response_status();
    if (r->status == tlm::TLM_INCOMPLETE_RESPONSE) report(*r, protocol_rule::response_missing);
    responding_ = &trans;
}

void protocol_checker::end_response(tlm::tlm_generic_payload& trans, core::sim_time when) {
    record* const r = find(trans);
    if (r == nullptr || r->state != progress::responding) {
        report(trans, protocol_rule::phase_order);
        return;
    }
    check_call(trans, *r, when);
}

void protocol_checker::finish(const tlm::tlm_generic_payload* trans) {
    if (requesting_ == trans) requesting_ = nullptr;
    if (responding_ == trans) responding_ = nullptr;
    std::erase_if(under_way_, [&](const record& r) { return r.trans == trans; });
}

tlm::tlm_sync_enum protocol_checker::nb_transport_fw(tlm::tlm_generic_payload& trans, tlm::tlm_phase& phase,
                                                     sc_core::sc_time& delay) {
    const tlm::tlm_phase given = phase;
    const sc_core::sc_time given_delay = delay;
    if (given == tlm::BEGIN_REQ)
        begin_request(trans, at(delay));
    else if (given == tlm::END_RESP)
        end_response(trans, at(delay));
    else if (given == tlm::END_REQ || given == tlm::BEGIN_RESP)
        report(trans, protocol_rule::phase_path);
    if (backward_calls_ > 0) report(trans, protocol_rule::direction_nesting);
    if (given == tlm::END_RESP) finish(&trans);  // its initiator may use it again after the call

    ++forward_calls_;
    const tlm::tlm_sync_enum answer = out->nb_transport_fw(trans, phase, delay);
    --forward_calls_;

    if (answer == tlm::TLM_ACCEPTED) {
        if (phase != given || delay != given_delay) report(trans, protocol_rule::accepted_unchanged);
        return answer;
    }
    if (delay < given_delay) report(trans, protocol_rule::time_backwards);
    if (given == tlm::END_RESP) {
        if (answer == tlm::TLM_UPDATED) report(trans, protocol_rule::return_value);
    } else if (given == tlm::BEGIN_REQ && answer == tlm::TLM_COMPLETED) {
        begin_response(trans, at(delay));
        finish(&trans);
    } else if (given == tlm::BEGIN_REQ && phase == tlm::END_REQ) {
        end_request(trans, at(delay));
    } else if (given == tlm::BEGIN_REQ && phase == tlm::BEGIN_RESP) {
        begin_response(trans, at(delay));
    } else if (given == tlm::BEGIN_REQ) {
        report(trans, protocol_rule::return_value);
    }
    return answer;
}

tlm::tlm_sync_enum protocol_checker::nb_transport_bw(tlm::tlm_generic_payload& trans, tlm::tlm_phase& phase,
                                                     sc_core::sc_time& delay) {
    const tlm::tlm_phase given = phase;
    const sc_core::sc_time given_delay = delay;
    if (given == tlm::END_REQ)
        end_request(trans, at(delay));
    else if (given == tlm::BEGIN_RESP)
        begin_response(trans, at(delay));
    else if (given == tlm::BEGIN_REQ || given == tlm::END_RESP)
        report(trans, protocol_rule::phase_path);
    if (forward_calls_ > 0) report(trans, protocol_rule::direction_nesting);
    record before;
    if (const record* const r = find(trans); r != nullptr) before = *r;

    ++backward_calls_;
    const tlm::tlm_sync_enum answer = in->nb_transport_bw(trans, phase, delay);
    --backward_calls_;

    // The transaction may be gone after the end of its response, so only its record is used from here on.
    const auto blame = [&](protocol_rule rule) {
        record* const r = before.trans == nullptr ? nullptr : find(*before.trans);
        report(r != nullptr ? *r : before, rule);
    };
    if (answer == tlm::TLM_ACCEPTED) {
        if (phase != given || delay != given_delay) blame(protocol_rule::accepted_unchanged);
        return answer;
    }
    if (delay < given_delay) blame(protocol_rule::time_backwards);
    if (given == tlm::END_REQ || (given == tlm::BEGIN_RESP && answer == tlm::TLM_UPDATED && phase != tlm::END_RESP))
        blame(protocol_rule::return_value);
    else if (given == tlm::BEGIN_RESP)
        finish(&trans);
    return answer;
}

void protocol_checker::b_transport(tlm::tlm_generic_payload& trans, sc_core::sc_time& delay) {
    record r = begin(trans);
    r.time = at(delay);
    out->b_transport(trans, delay);
    if (at(delay) < r.time) report(r, protocol_rule::time_backwards);
    const attributes now(trans);
    if (!now.same_but_data(r.given))
        report(r, protocol_rule::attributes_changed);
    else if (now.written != r.given.written)
        report(r, protocol_rule::written_data_changed);
    if (trans.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE) report(r, protocol_rule::response_missing);
}

void protocol_checker::reset() {
    under_way_.clear();
    requesting_ = responding_ = nullptr;
}

}  // namespace contraflow::memory
