// SPDX-License-Identifier: Apache-2.0
// A program of several nodes with real data: one coroutine per node, whose GPUs exchange data by RDMA, and a check of
// the result against a sequential computation. The GPU's kernels are stand-ins: they change bytes of GPU memory at the
// end of the time that they take.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/units.h"
#include "gpu/kernel/task.h"
#include "host/rdma/rdma_process.h"

namespace contraflow::node_programs {

// A node as its program sees it.
struct node_view {
    unsigned rank = 0;
    host::rdma_process& process;
    const std::vector<nic::position>& positions;  // by rank
    // The program's memory in the GPU: registered on every node, at the same virtual address.
    std::span<std::uint8_t> window;
    std::uint64_t base = 0;
};

// The work and the traffic of a run.
struct program_counts {
    std::uint64_t operations = 0;  // in operation()'s unit
    std::uint64_t messages = 0;
    std::uint64_t payload_bytes = 0;
};

class node_program_if {
public:
    virtual ~node_program_if() = default;
    // The size of the window that each node needs.
    virtual core::bytes window() const = 0;
    // Fills the window of a rank; takes no simulated time. Call for every rank before the first run().
    virtual void prepare(unsigned rank, std::span<std::uint8_t> window) = 0;
    // The view must live until the program has ended.
    virtual gpu::host_task run(const node_view& node) = 0;
    // Empty if the results of all ranks are right, otherwise the first difference.
    virtual std::string verify() const = 0;
    // The name of an operation, in the plural, such as "spin updates".
    virtual std::string operation() const = 0;
    virtual program_counts counts() const = 0;
};

}  // namespace contraflow::node_programs
