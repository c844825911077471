// SPDX-License-Identifier: Apache-2.0
// Initiator socket of a component: sends requests one at a time, as the base protocol's exclusion rule demands, and
// gives its owner each response once, for every order of phases that the protocol allows. The owner may send again in a
// callback: no forward call is ever made within a backward call. Source: IEEE Std 1666-2011, 15.2 (base protocol).
#pragma once

#include <string>
#include <vector>

#include <tlm>

#include "core/timer.h"
#include "memory/port/resources.h"

namespace contraflow::memory {

class request_owner_if {
public:
    // The response to a request sent through that port. False: no room now; call port.take_response() later. This may
    // be within a backward call, so nothing may be sent from here.
    virtual bool response_arrived(unsigned port, memory_extension& request) = 0;
    // ready() has become true. Requests may be sent from here.
    virtual void request_port_ready(unsigned port) = 0;

protected:
    ~request_owner_if() = default;
};

class request_port : public tlm::tlm_initiator_socket<>, public tlm::tlm_bw_transport_if<> {
public:
    // The callbacks get `number`.
    request_port(const char* name, const resources& shared, request_owner_if& owner, unsigned number = 0);

    bool ready() const { return sending_ == nullptr; }
    // Only when ready. The request's owner keeps its reference until the response has arrived.
    void send(memory_extension& request);

    // The response that its owner could not take when it arrived, or null. Do not call it within response_arrived().
    memory_extension* take_response();
    bool holds_response() const { return held_ != nullptr; }
    memory_extension* held() const { return held_; }  // the same, but it stays

    core::sim_time sending_since() const { return sending_since_; }
    // The instance at the other end.
    std::string peer_name() const;
    // Drops everything; the other end must be reset as well.
    void reset();

private:
    struct early_response {  // sent too early, or completed by its sender
        core::sim_time due{};
        memory_extension* request = nullptr;
        bool wants_end = false;
    };

    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& trans, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

    void request_ended(core::sim_time delay);
    void announce_ready_after(core::sim_time delay);
    void announce_ready();
    void expect(memory_extension& request, core::sim_time delay, bool wants_end);
    void deliver();
    void end_response(tlm::tlm_generic_payload& trans);

    core::scheduler& events_;
    request_owner_if& owner_;
    const unsigned number_;
    memory_extension* sending_ = nullptr;  // waits for END_REQ
    bool ready_announced_ = false;         // and END_REQ has arrived, or is about to take effect
    core::sim_time sending_since_{};
    memory_extension* held_ = nullptr;
    bool held_wants_end_ = false;
    std::vector<early_response> early_;
    core::cancellable_calls<request_port> calls_;
};

}  // namespace contraflow::memory
