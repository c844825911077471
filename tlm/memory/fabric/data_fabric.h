// SPDX-License-Identifier: Apache-2.0
// A stage between a unit's first level and the crossbar in which requests wait for random times. Requests to
// different lines leave in any order, those to a line in order of arrival, and so do those to a page of I/O. Answers
// pass at once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <systemc>

#include "config/fields.h"
#include "core/control.h"
#include "core/random.h"
#include "core/timer.h"
#include "core/waiting.h"
#include "memory/port/intake.h"
#include "memory/port/request_port.h"
#include "memory/port/response_port.h"
#include "observe/conservation.h"
#include "observe/statistics.h"

namespace contraflow::memory {

struct data_fabric_spec {
    core::sim_time reorder{};
    unsigned one_in = 1;
    unsigned queue = 32;
    std::uint64_t seed = 1;

    // Set by the machine, not by a configuration.
    core::bytes line{128};

    static void describe(config::fields<data_fabric_spec>& f);
};

class data_fabric final : public sc_core::sc_module,
                          public core::waiter_if,
                          public core::controllable_if,
                          private response_owner_if,
                          private request_owner_if {
public:
    data_fabric(const sc_core::sc_module_name& name, const resources& shared, const data_fabric_spec& s);

    response_port up;
    request_port down;

    bool idle() const { return accepted_ == answered_ && up.ready(); }
    // It has no copies, so it refuses invalidate and flush.
    bool control(core::control_verb verb) override;
    void report_waits(std::vector<core::wait_edge>& edges) const override;
    void check(observe::conservation& checks) const;

private:
    struct waiting {
        memory_extension* request = nullptr;
        std::uint64_t line = 0;
        core::sim_time due{}, since{};
    };

    bool request_arrived(unsigned port, memory_extension& request) override;
    void response_port_ready(unsigned) override;
    void blocking_access(unsigned port, tlm::tlm_generic_payload& trans, sc_core::sc_time& delay) override;
    unsigned debug_access(unsigned port, tlm::tlm_generic_payload& trans) override;
    bool response_arrived(unsigned port, memory_extension& request) override;
    void request_port_ready(unsigned) override { send(); }

    void take_in(memory_extension& request);
    void send();
    void reset();

    core::scheduler& events_;
    const data_fabric_spec spec_;
    std::vector<waiting> waiting_;  // in order of arrival
    core::random_source draw_;
    core::timer<&data_fabric::send> send_;
    intake intake_;
    std::uint64_t accepted_ = 0, answered_ = 0;
    observe::counter requests_, overtaken_;
    observe::gauge queued_;
};

}  // namespace contraflow::memory
