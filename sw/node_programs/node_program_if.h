// SPDX-License-Identifier: Apache-2.0
// A program of several nodes with real data: one coroutine per node, whose GPUs exchange data by RDMA, and a check of
// the result against a sequential computation. The GPU's kernels are stand-ins: they change bytes of GPU memory at the
// end of the time that they take.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "config/fields.h"
#include "core/units.h"
#include "gpu/kernel/task.h"
#include "host/rdma/rdma_process.h"

namespace contraflow::node_programs {

// How messages reach and leave the NIC: through the host's memory, or from and to the GPU.
enum class peer_to_peer : std::uint8_t {
    off,    // copied to the host, put from there into the other host, copied to the GPU
    rx,     // copied to the host, put from there into the other GPU
    rx_tx,  // put from GPU to GPU
};

// A node as its program sees it.
struct node_view {
    unsigned rank = 0;
    host::rdma_process& process;
    const std::vector<nic::position>& positions;  // by rank
    // The program's memory in the GPU: registered on every node, at the same virtual address.
    std::span<std::uint8_t> window;
    std::uint64_t base = 0;
    peer_to_peer mode = peer_to_peer::rx_tx;
    std::uint64_t staging = 0;  // unless mode is rx_tx: a window in the host's memory, of the same size
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

template <> struct contraflow::config::enum_names<contraflow::node_programs::peer_to_peer> {
    using mode = contraflow::node_programs::peer_to_peer;
    static constexpr std::array names{std::pair{mode::off, "off"}, std::pair{mode::rx, "rx"},
                                      std::pair{mode::rx_tx, "rx_tx"}};
};
