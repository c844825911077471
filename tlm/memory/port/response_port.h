// SPDX-License-Identifier: Apache-2.0
// Target socket of a component: takes requests or holds the sender back, and gives responses one at a time, for every
// order of phases that the protocol allows. No backward call is ever made within a forward call. Source: IEEE Std
// 1666-2011, 15.2 (base protocol).
#pragma once

#include <string>
#include <vector>

#include <tlm>

#include "core/timer.h"
#include "memory/port/resources.h"
#include "memory/transaction/memory_extension.h"

namespace contraflow::memory {

class response_owner_if {
public:
    // A request. False: no room now; its sender is held back until port.take_request(). This is called within a forward
    // call, so nothing may be answered from here.
    virtual bool request_arrived(unsigned port, memory_extension& request) = 0;
    // The last response that had to wait has been taken.
    virtual void response_port_ready(unsigned port) = 0;
    // Loosely timed: does everything at once and adds the time to `delay`, without waiting.
    virtual void blocking_access(unsigned port, tlm::tlm_generic_payload& trans, sc_core::sc_time& delay) = 0;
    // For loading and checking memory: changes no time and no state except the bytes written. Returns their number.
    virtual unsigned debug_access(unsigned port, tlm::tlm_generic_payload& trans) = 0;

protected:
    ~response_owner_if() = default;
};

class response_port : public tlm::tlm_target_socket<>, public tlm::tlm_fw_transport_if<> {
public:
    // The callbacks get `number`.
    response_port(const char* name, const resources& shared, response_owner_if& owner, unsigned number = 0);
    ~response_port() override;

    // The request that is held back, or null.
    memory_extension* held() const { return held_; }
    core::sim_time held_since() const { return held_since_; }
    // Takes the held request; its sender may send another. Do not call it within request_arrived().
    memory_extension& take_request();

    // Gives a response; the request belongs to its initiator again. The port keeps it if the other end is busy.
    void respond(memory_extension& request);
    // All responses have been taken.
    bool ready() const { return responding_ == nullptr && waiting_.empty(); }
    core::sim_time responding_since() const { return responding_since_; }

    // The instance at the other end.
    std::string peer_name() const;
    // Drops everything; the other end must be reset as well.
    void reset();

private:
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& trans, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    void b_transport(tlm::tlm_generic_payload& trans, sc_core::sc_time& delay) override {
        owner_.blocking_access(number_, trans, delay);
    }
    unsigned transport_dbg(tlm::tlm_generic_payload& trans) override { return owner_.debug_access(number_, trans); }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }

    memory_extension& lend(tlm::tlm_generic_payload& trans);
    void give(memory_extension& request);
    void give_waiting();
    void begin_deferred();

    core::scheduler& events_;
    payload_pool& payloads_;
    response_owner_if& owner_;
    const unsigned number_;
    memory_extension* held_ = nullptr;
    core::sim_time held_since_{};
    memory_extension* deferred_ = nullptr;  // given before its time
    const tlm::tlm_generic_payload* responding_ = nullptr;
    core::sim_time responding_since_{};
    payload_fifo waiting_;
    std::vector<memory_extension*> lent_;
    core::cancellable_calls<response_port> calls_;
};

}  // namespace contraflow::memory
