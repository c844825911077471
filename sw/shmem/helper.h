// SPDX-License-Identifier: Apache-2.0
// A thread of the host that serves kernels (IKN): a context's queue is in the host's memory. The thread looks there for
// entries and gives them to the NIC through queue pairs of its own; kernels look there for completions.
//
//   kernel --stores over PCIe--> entries in host memory --thread--> host_queues --> NIC
//          --loads over PCIe---> completions in host memory <--thread--
#pragma once

#include <vector>

#include "gpu/kernel/coroutine_timer.h"
#include "shmem/host_queues.h"
#include "shmem/shmem_spec.h"

namespace contraflow::shmem {

class helper {
public:
    // A kernel's queue to a PE.
    struct served {
        unsigned context = 0, to = 0;
        std::uint64_t entries_at = 0, completions_at = 0;  // bus addresses in the host's memory
        std::uint32_t taken = 0, completed = 0;
    };
    // `queues`: by context; the thread uses those of the contexts that it serves.
    helper(core::scheduler& events, host::queue_pair_node& node, const spec& s, std::vector<served> all,
           std::vector<host_queues>& queues);

    // It looks for entries until it is stopped.
    void start();
    void stop() { stops_ = true; }

private:
    gpu::host_task run();
    gpu::task<> take_entry(served& q);
    gpu::task<> take_completion(served& q);
    void complete(served& q, nic::work_status s, std::uint8_t opcode);
    std::span<const std::uint8_t, nic::work_entry_bytes> entry(const served& q) const;

    host::queue_pair_node& node_;
    const spec spec_;
    std::vector<served> all_;
    std::vector<host_queues>& queues_;
    gpu::coroutine_timer timer_;
    bool stops_ = false, runs_ = false;
    gpu::coroutine_stack thread_;  // last member: its coroutine uses the others
};

}  // namespace contraflow::shmem
