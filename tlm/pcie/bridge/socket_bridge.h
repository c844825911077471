// SPDX-License-Identifier: Apache-2.0
// A PCIe function between TLM-2.0 sockets and the fabric: a bus of any initiators and targets joins a PCIe tree.
//
//   initiator == in ==> [queue] -> MRd, DMWr, AtomicOp -> | fabric | -> BAR 0 == out ==> target
//             <= nb_transport_bw = <- Cpl, CplD        <- | fabric | <-       <= nb_transport_bw =
//
// Both are sockets of the base protocol with non-blocking transport, for any generic payload. A request at `in` is sent
// to the bus address that is the sum of its own address and `bus_offset`. A request from the fabric leaves by `out`,
// with one transaction for each line, at `local_base` plus its offset in BAR 0. transaction_bridge.h says how errors
// are mapped. A transaction that PCIe does not support is answered at `in` at once. Blocking transport is answered with
// TLM_GENERIC_ERROR_RESPONSE, and debug transport reaches nothing: the other side of a fabric can be accessed only with
// timing.
#pragma once

#include "core/timer.h"
#include "memory/port/request_port.h"
#include "memory/port/response_port.h"
#include "pcie/bridge/transaction_bridge.h"

namespace contraflow::pcie {

class socket_bridge final : public sc_core::sc_module,
                            public device_if,
                            private bridge_user_if,
                            private memory::response_owner_if,
                            private memory::request_owner_if {
public:
    struct spec {
        transaction_bridge::spec bridge;
        std::size_t queue = 16;        // requests at `in` whose TLPs have not all left; a further one waits outside
        std::uint64_t bus_offset = 0;  // added to addresses at `in`; wraps
    };
    struct resources {
        core::scheduler& events;
        observe::statistics& statistics;
        memory::payload_pool& payloads;  // lends extensions to foreign payloads
        tlp_pool& packets;
    };
    socket_bridge(const sc_core::sc_module_name& name, const resources& shared, const spec& s,
                  const address_map::function& place);

    memory::response_port in;
    memory::request_port out;

    const transaction_bridge& bridge() const { return bridge_; }
    port& link() override { return bridge_.link(); }
    // pause: sends nothing and hands nothing over; drain: takes no requests at `in`. A reset drops everything; both
    // ends of the fabric and of the sockets must be reset together.
    bool control(core::control_verb verb) override;
    void report_waits(std::vector<core::wait_edge>& edges) const override;
    void check(observe::conservation& checks) const { bridge_.check(checks); }

private:
    // in
    bool request_arrived(unsigned, memory::memory_extension& request) override;
    void response_port_ready(unsigned) override { bridge_.resume(credit_class::completion); }
    void blocking_access(unsigned, tlm::tlm_generic_payload& trans, sc_core::sc_time&) override {
        trans.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    }
    unsigned debug_access(unsigned, tlm::tlm_generic_payload&) override { return 0; }
    // out
    bool response_arrived(unsigned, memory::memory_extension& made) override;
    void request_port_ready(unsigned) override;
    // the fabric
    bool can_take_response(memory::memory_extension&) override { return in.ready(); }
    void take_response(memory::memory_extension& request) override { in.respond(request); }
    bool can_take_request(const memory::memory_extension&, function_id) override { return out.ready(); }
    void take_request(memory::memory_extension& made, function_id) override { out.send(made); }
    void request_left() override;

    bool room() const { return accepting_ && bridge_.requests_waiting() < spec_.queue; }
    void accept(memory::memory_extension& request);
    void take_held();
    void answer_refused();
    void pass_responses();

    core::scheduler& events_;
    const spec spec_;
    transaction_bridge bridge_;
    bool accepting_ = true;
    memory::payload_fifo refused_;    // will be answered unchanged
    memory::payload_fifo responses_;  // from `out`, for the bridge
    core::timer<&socket_bridge::take_held> take_held_;
    core::timer<&socket_bridge::answer_refused> answer_refused_;
    core::timer<&socket_bridge::pass_responses> pass_responses_;
};

}  // namespace contraflow::pcie
