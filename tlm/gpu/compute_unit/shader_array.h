// SPDX-License-Identifier: Apache-2.0
// What neighbouring compute units share: an instruction cache, from which their wavefronts fetch lines of code, and a
// scalar cache, through which they load their kernel's arguments. Requests to each go in the order in which they were
// made, as fast as the cache takes them. Both are reads of the physical memory where code_memory puts kernels; no TLB
// is on their way. A unit's wavefronts bound how many there are.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include <systemc>

#include "core/control.h"
#include "core/timer.h"
#include "core/waiting.h"
#include "gpu/compute_unit/code_memory.h"
#include "gpu/compute_unit/request_profile.h"
#include "memory/port/request_port.h"
#include "memory/transaction/payload.h"
#include "observe/conservation.h"
#include "observe/counter.h"

namespace contraflow::gpu {

// A unit that fetches. Neither call may make another request.
class code_client_if {
public:
    // The line with that number among those that the wavefront in that slot has asked for.
    virtual void code_arrived(unsigned slot, std::uint32_t number) = 0;
    virtual void arguments_arrived(unsigned slot, std::uint32_t number) = 0;
    // Before either of them, for a line that was answered with an error: false if its wavefront has ended.
    virtual bool line_refused(unsigned slot, std::uint32_t number, bool of_arguments,
                              const tlm::tlm_generic_payload& answered) = 0;

protected:
    ~code_client_if() = default;
};

class shader_array final : public sc_core::sc_module,
                           public core::waiter_if,
                           public core::controllable_if,
                           private memory::request_owner_if {
public:
    // `first`: the number of its first unit within the GPU.
    shader_array(const sc_core::sc_module_name& name, const memory::resources& shared, const shader_array_spec& s,
                 unsigned socket, unsigned first, code_memory& code, request_profile& profile);
    ~shader_array() override;

    memory::request_port instructions;  // to the instruction cache
    memory::request_port scalars;       // to the scalar cache

    // Its next unit. Units join in the order of their numbers.
    void add_unit(code_client_if& unit) { units_.push_back(&unit); }
    const shader_array_spec& configuration() const { return spec_; }
    code_memory& code() { return code_; }
    // Lines at a physical address; not within a call backward. `unit`: its number within the GPU.
    void fetch(unsigned unit, unsigned slot, std::uint32_t number, std::uint64_t address) {
        ask(0, unit, slot, number, address);
    }
    void load_arguments(unsigned unit, unsigned slot, std::uint32_t number, std::uint64_t address) {
        ask(1, unit, slot, number, address);
    }

    bool control(core::control_verb verb) override;  // reset only
    bool idle() const { return answered_ == asked_; }
    std::uint64_t answered() const { return answered_; }
    void report_waits(std::vector<core::wait_edge>& edges) const override;
    void check(observe::conservation& checks) const;

private:
    bool response_arrived(unsigned port, memory::memory_extension& request) override;
    void request_port_ready(unsigned port) override { pump(port); }
    void ask(unsigned port, unsigned unit, unsigned slot, std::uint32_t number, std::uint64_t address);
    void pump(unsigned port);
    void drop();
    memory::request_port& port(unsigned number) { return number == 0 ? instructions : scalars; }
    const memory::request_port& port(unsigned number) const { return number == 0 ? instructions : scalars; }

    const memory::resources shared_;
    const shader_array_spec spec_;
    const unsigned socket_, first_;
    code_memory& code_;
    request_profile& profile_;
    std::vector<code_client_if*> units_;
    // By port, requests that wait for it, and all that are not answered, each in its place of the list.
    std::array<memory::payload_fifo, 2> waiting_;
    std::array<std::vector<memory::payload*>, 2> under_way_;
    std::array<std::vector<std::uint32_t>, 2> free_;
    std::uint64_t asked_ = 0, answered_ = 0, right_ = 0;
    std::uint64_t failed_ = 0;  // answered with an error, for which a kernel has failed

    observe::counter fetched_;
    observe::counter loaded_;
};

}  // namespace contraflow::gpu
