// SPDX-License-Identifier: Apache-2.0
// A thread of the host that serves kernels (IKN): a context's queue is in the host's memory. The thread looks there for
// entries and gives them to the NIC through queue pairs of its own; kernels look there for completions. It looks all
// the time, at one place after the other; while nothing is written to that memory, the looks that find nothing cost no
// callbacks.
//
//   kernel --stores over PCIe--> entries in host memory --thread--> host_queues --> NIC
//          --loads over PCIe---> completions in host memory <--thread--
#pragma once

#include <vector>

#include "gpu/kernel/coroutine_timer.h"
#include "shmem/host_queues.h"
#include "shmem/pe.h"

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
    helper(core::scheduler& events, host::queue_pair_node& node, const pe& of, std::vector<served> all,
           std::vector<host_queues>& queues);

    // It looks for entries until it is stopped.
    void start();
    // It ends when it has come round.
    void stop();

private:
    // The place at which it looks next: an entry, or the completion of the oldest one that is open.
    struct place {
        std::size_t queue = 0;
        bool completion = false;
    };
    // Until the look that is the first one after a write, or after a call of stop().
    struct written_awaiter {
        helper& of;
        bool await_ready() const noexcept { return false; }
        template <class Promise> void await_suspend(std::coroutine_handle<Promise> h) const {
            h.promise().on().wait_in(h);
            of.since_ = of.events_.now();
            of.sleeps_ = true;
        }
        void await_resume() const noexcept {}
    };

    gpu::host_task run();
    // Whether there was one.
    gpu::task<bool> take_entry(served& q);
    gpu::task<bool> take_completion(served& q);
    place after(place p) const;
    std::size_t places() const { return all_.size() + open_queues_; }
    void written();
    void complete(served& q, nic::work_status s, std::uint8_t opcode);
    std::span<const std::uint8_t, nic::work_entry_bytes> entry(const served& q) const;

    core::scheduler& events_;
    host::queue_pair_node& node_;
    const pe& pe_;
    const spec& spec_;
    std::vector<served> all_;
    std::vector<host_queues>& queues_;
    gpu::coroutine_timer timer_;
    bool stops_ = false, runs_ = false, sleeps_ = false;
    place next_;
    std::size_t open_queues_ = 0;  // of those that it serves, with entries that are not complete
    std::size_t vain_ = 0;         // looks since the last write, or since one that found something
    core::sim_time since_{};       // it sleeps: the look before next_
    gpu::coroutine_stack thread_;  // last member: its coroutine uses the others
};

}  // namespace contraflow::shmem
