// SPDX-License-Identifier: Apache-2.0
// Any input to any output, by address; responses return on the path of their requests. Both directions have their own
// wires. A port carries a flit per cycle in each direction. An output has a finite queue; an input whose request finds
// it full is held back, and held inputs take turns. Idle ports cost nothing.
#pragma once

#include <memory>
#include <vector>

#include "core/control.h"
#include "core/timer.h"
#include "core/waiting.h"
#include "memory/crossbar/address_to_port_if.h"
#include "memory/crossbar/crossbar_spec.h"
#include "memory/port/intake.h"
#include "memory/port/request_port.h"
#include "memory/port/response_port.h"
#include "memory/transaction/memory_extension.h"
#include "observe/conservation.h"
#include "observe/statistics.h"

namespace contraflow::memory {

class crossbar : public sc_core::sc_module,
                 public core::waiter_if,
                 public core::controllable_if,
                 private response_owner_if,
                 private request_owner_if {
public:
    crossbar(const sc_core::sc_module_name& name, const resources& shared, const crossbar_spec& s,
             const address_to_port_if& routes);
    ~crossbar() override;

    response_port& up(unsigned input) { return *inputs_[input]; }
    request_port& down(unsigned output) { return *outputs_[output]; }

    bool control(core::control_verb verb) override;
    bool idle() const;
    void report_waits(std::vector<core::wait_edge>& edges) const override;
    void check(observe::conservation& checks) const;
    const crossbar_spec& configuration() const { return spec_; }

    struct statistics_set {
        statistics_set(observe::statistics& group, const std::string& path);
        observe::counter requests, responses, unroutable, request_flits, response_flits, held_back, held_responses;
        observe::gauge queued;
    };
    const statistics_set& statistics() const { return statistics_; }

private:
    // The wires to one output, or back to one input.
    struct port_queue {
        unsigned number = 0;
        bool forward = true;
        payload_fifo queue;
        core::sim_time reserved{};  // reserved until then by the requests in the queue
        bool armed = false;
        bool blocked = false;  // the other end does not accept the request that is due
        core::sim_time blocked_since{};
        unsigned waiting = 0;  // number of ports that are held back for it
        unsigned turn = 0;     // the port that is checked first
    };

    bool request_arrived(unsigned port, memory_extension& request) override;
    void response_port_ready(unsigned port) override;
    void blocking_access(unsigned port, tlm::tlm_generic_payload& trans, sc_core::sc_time& delay) override;
    unsigned debug_access(unsigned port, tlm::tlm_generic_payload& trans) override;
    bool response_arrived(unsigned port, memory_extension& request) override;
    void request_port_ready(unsigned port) override;

    // Requests in flight, which are at least a cycle apart, take no room in the queue.
    bool full(const port_queue& l) const {
        return l.queue.size() >=
               (l.forward ? spec_.queue + spec_.latency.count : spec_.response_queue + spec_.response_latency.count);
    }
    std::uint32_t flits_of(const memory_extension& request, bool forward) const;
    void enter_request(unsigned input, unsigned output, memory_extension& request);
    void enter(port_queue& l, core::sim_time& source, memory_extension& request);
    void arm(port_queue& l, core::sim_time when);
    void request_due(std::uint32_t output) {
        requests_[output].armed = false;
        leave(requests_[output]);
    }
    void response_due(std::uint32_t input) {
        responses_[input].armed = false;
        leave(responses_[input]);
    }
    void leave(port_queue& l);
    bool deliver(port_queue& l);
    void admit(port_queue& l);
    void unblock(port_queue& l);
    void resume();
    void reset();
    template <class Access> void each_piece(tlm::tlm_generic_payload& trans, Access access);

    core::scheduler& events_;
    const crossbar_spec spec_;
    const address_to_port_if& routes_;
    statistics_set statistics_;
    std::vector<std::unique_ptr<response_port>> inputs_;
    std::vector<std::unique_ptr<request_port>> outputs_;
    std::vector<port_queue> requests_;             // by output
    std::vector<port_queue> responses_;            // by input
    std::vector<unsigned> wanted_output_;          // by input that is held back
    std::vector<unsigned> wanted_input_;           // by output whose response is held back
    std::vector<core::sim_time> request_source_;   // by input: its wires are busy until then
    std::vector<core::sim_time> response_source_;  // by output
    std::size_t queued_ = 0;
    intake intake_;
    std::uint64_t accepted_ = 0, answered_ = 0;
    core::cancellable_calls<crossbar> calls_;
};

}  // namespace contraflow::memory
