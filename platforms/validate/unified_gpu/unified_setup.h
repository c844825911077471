// SPDX-License-Identifier: Apache-2.0
// Machines of several GPUs behind the rows M1 to M9, and the host programs that run on them.
#pragma once

#include <cstdint>
#include <vector>

#include "host/system/unified_machine.h"
#include "runner/bench.h"
#include "validate/table/row.h"

namespace contraflow::validate {

// The default machine of unified_gpu with that number of GPUs of two units; no page moves.
host::unified_machine::spec few_units(unsigned gpu_count);
// The shipped r9_nano.yaml: MGPUSim's default parameters, four GPUs in a PCIe tree.
const host::unified_machine::spec& r9_nano();

// A machine with one process.
class unified_bench : public runner::bench {
public:
    unified_bench(const host::unified_machine::spec& s, const run_environment& environment);

    // Runs it to its end and returns the time. Its exceptions, the waits of an endless run, and bytes that are not
    // conserved, become a std::runtime_error.
    core::sim_time run(gpu::host_task program);
    // The same in parts: begin, a simulation that the caller runs, and the end, where nothing may be left.
    void begin(gpu::host_task program) { machine.driver().start(std::move(program)); }
    void finish();

    // Runs on that GPU, a physical or a unified one; the selected GPU stays the same.
    host::command_queue& queue_on(unsigned number);
    gpu::array<std::uint32_t> array_on(unsigned number, std::size_t words);
    // The unified GPU of all GPUs in order; it is made at the first call.
    unsigned everyone();
    // The GPU that has the page according to the page table, numbered from 1.
    unsigned gpu_of(std::uint64_t address);

    // For the simulation's watchdog.
    std::vector<const core::waiter_if*> waiters() const override { return {&machine}; }
    std::uint64_t moved() override { return machine.moved(); }
    std::uint64_t outstanding() override { return machine.outstanding(); }

    host::unified_machine machine;
    host::context& process = machine.driver().create_context();

private:
    const run_environment& environment_;
    unsigned everyone_ = 0;  // none yet
};

}  // namespace contraflow::validate
