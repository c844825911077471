// SPDX-License-Identifier: Apache-2.0
// Sits between an initiator and a target socket, passes every call through unchanged, and lists the violations of the
// TLM-2.0 base protocol. The address may change on the way (interconnects do that), nothing else may. Source: IEEE Std
// 1666-2011, 11.1 (transport interfaces), 14 (generic payload), 15.2 (base protocol).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tlm>

#include "core/units.h"

namespace contraflow::memory {

enum class protocol_rule : std::uint8_t {
    request_exclusion,     // BEGIN_REQ before the previous request has ended
    response_exclusion,    // BEGIN_RESP before the previous response has ended
    phase_order,           // a phase out of order, or of a transaction that isn't under way
    phase_path,            // a phase on the wrong path
    return_value,          // a return value or an updated phase that doesn't fit the call
    accepted_unchanged,    // TLM_ACCEPTED, yet phase or delay was changed
    direction_nesting,     // a call one way from within a call the other way
    time_backwards,        // a delay that makes time go back
    attributes_invalid,    // no data, no length, no streaming width, no byte enables' length, no such command
    attributes_initial,    // response status or DMI hint not as they must be at the start
    attributes_changed,    // an attribute changed on the way
    written_data_changed,  // the data of a write changed on the way
    response_missing,      // a response without a response status, or one that changed after the response
    memory_management,     // no memory manager, or no reference left
};
std::string_view rule_text(protocol_rule rule);

class protocol_checker : public sc_core::sc_module,
                         public tlm::tlm_fw_transport_if<>,
                         public tlm::tlm_bw_transport_if<> {
public:
    explicit protocol_checker(const sc_core::sc_module_name& name);

    tlm::tlm_target_socket<> in;
    tlm::tlm_initiator_socket<> out;

    struct violation {
        protocol_rule rule{};
        std::uint64_t address = 0;  // the transaction's
        core::sim_time when{};
        std::string text;  // "at 12ns, cu0.check: transaction at 0x1000: BEGIN_REQ before the previous request ..."
    };
    // Each rule at most once for a transaction.
    const std::vector<violation>& violations() const { return violations_; }
    // Transactions that have begun and not ended; there must be none at the end of a run.
    std::size_t under_way() const { return under_way_.size(); }
    std::uint64_t seen() const { return seen_; }
    // Drops all transactions, when both sides are reset.
    void reset();

private:
    enum class progress : std::uint8_t { requested, request_ended, responding };
    struct attributes {
        tlm::tlm_command command{};
        unsigned char* data = nullptr;
        unsigned length = 0, streaming_width = 0, enables_length = 0;
        unsigned char* enables = nullptr;
        std::uint64_t written = 0;  // checksum of a write's data
        explicit attributes(const tlm::tlm_generic_payload& trans);
        attributes() = default;
        bool same_but_data(const attributes& o) const;
    };
    struct record {
        const tlm::tlm_generic_payload* trans = nullptr;
        std::uint64_t address = 0;
        progress state = progress::requested;
        attributes given;
        tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;
        core::sim_time time{};
        std::uint32_t reported = 0;  // rules, one bit each
    };

    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& trans, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& trans, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    void b_transport(tlm::tlm_generic_payload& trans, sc_core::sc_time& delay) override;
    unsigned transport_dbg(tlm::tlm_generic_payload& trans) override { return out->transport_dbg(trans); }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& trans, tlm::tlm_dmi& dmi) override {
        return out->get_direct_mem_ptr(trans, dmi);
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64 begin, sc_dt::uint64 end) override {
        in->invalidate_direct_mem_ptr(begin, end);
    }

    record* find(const tlm::tlm_generic_payload& trans);
    record begin(const tlm::tlm_generic_payload& trans);
    void begin_request(tlm::tlm_generic_payload& trans, core::sim_time at);
    void end_request(tlm::tlm_generic_payload& trans, core::sim_time at);
    void begin_response(tlm::tlm_generic_payload& trans, core::sim_time at);
    void end_response(tlm::tlm_generic_payload& trans, core::sim_time at);
    void check_call(tlm::tlm_generic_payload& trans, record& r, core::sim_time at);
    void check_status(record& r);
    void finish(const tlm::tlm_generic_payload* trans);
    void report(record& r, protocol_rule rule);
    void report(const tlm::tlm_generic_payload& trans, protocol_rule rule);
    core::sim_time at(const sc_core::sc_time& delay) const;

    std::vector<record> under_way_;
    record stranger_;  // the last transaction that was not in progress and broke a rule
    const tlm::tlm_generic_payload* requesting_ = nullptr;
    const tlm::tlm_generic_payload* responding_ = nullptr;
    unsigned forward_calls_ = 0;
    unsigned backward_calls_ = 0;
    std::uint64_t seen_ = 0;
    std::vector<violation> violations_;
};

}  // namespace contraflow::memory
