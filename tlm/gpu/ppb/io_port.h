// SPDX-License-Identifier: Apache-2.0
// The way of a GPU's threads out to PCIe: a target behind the crossbar for the addresses from memory::io_space on. A
// store becomes a posted write of the GPU's function and is answered when it has left; all leave in order of arrival. A
// store to the control page of the GPU's own path block goes to it directly, and is answered when the flush has ended.
// A load becomes a read of the function. Atomic operations are refused.
//
//   crossbar == in ==> [queue] --stores--> posted writes  --\ function
//                              --loads---> reads          --/
//                              --control-> path_block::write_control()
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <systemc>

#include "config/fields.h"
#include "core/control.h"
#include "core/timer.h"
#include "core/waiting.h"
#include "gpu/ppb/path_block.h"
#include "memory/port/delay_line.h"
#include "memory/port/intake.h"
#include "memory/port/response_port.h"
#include "observe/conservation.h"
#include "observe/statistics.h"
#include "pcie/device/function.h"

namespace contraflow::gpu {

class io_port final : public sc_core::sc_module,
                      public core::waiter_if,
                      public core::controllable_if,
                      private memory::response_owner_if,
                      private pcie::requester_user_if {
public:
    struct spec {
        unsigned queue = 64;
        static void describe(config::fields<spec>& f);
    };
    io_port(const sc_core::sc_module_name& name, const memory::resources& shared, const spec& s);

    memory::response_port in;
    // Before the first request. `own`: null where the GPU has no path block.
    void connect(pcie::function& function, path_block* own) {
        function_ = &function;
        own_ = own;
    }

    std::uint64_t moved() const { return answered_; }
    bool idle() const { return accepted_ == answered_ && in.ready(); }
    // pause and drain: takes nothing more. A reset drops everything; the function must be reset as well.
    bool control(core::control_verb verb) override;
    void report_waits(std::vector<core::wait_edge>& edges) const override;
    void check(observe::conservation& checks) const;

    struct statistics_set {
        statistics_set(observe::statistics& group, const std::string& path);
        observe::counter stores, stored_bytes, loads, loaded_bytes, controls, refused;
        observe::gauge under_way;
        observe::histogram store_latency, load_latency;
    };
    const statistics_set& statistics() const { return statistics_; }

private:
    struct job : pcie::operation {
        memory::memory_extension* request = nullptr;  // null: not in use
        core::sim_time since{};
        bool control = false;
    };

    bool request_arrived(unsigned port, memory::memory_extension& request) override;
    void response_port_ready(unsigned) override {}
    void blocking_access(unsigned port, tlm::tlm_generic_payload& trans, sc_core::sc_time& delay) override;
    unsigned debug_access(unsigned, tlm::tlm_generic_payload&) override { return 0; }
    void finished(pcie::operation& o) override;

    void take(memory::memory_extension& request);
    void start();
    void begin(memory::memory_extension& request);
    void controlled(std::uint32_t number);
    void refuse(memory::memory_extension& request, tlm::tlm_response_status why);
    void end(memory::memory_extension& request);
    void answer(memory::memory_extension& request);
    void take_held();

    core::scheduler& events_;
    pcie::function* function_ = nullptr;
    path_block* own_ = nullptr;
    statistics_set statistics_;
    std::vector<job> jobs_;
    std::vector<std::uint32_t> free_;
    unsigned waiting_ = 0;  // requests that have not begun; each has reserved a job
    memory::payload_fifo queue_;
    core::timer<&io_port::start> start_;
    memory::delay_line<io_port, &io_port::answer> answers_;
    core::cancellable_calls<io_port> calls_;
    memory::intake intake_;
    std::uint64_t accepted_ = 0, answered_ = 0;
};

}  // namespace contraflow::gpu
