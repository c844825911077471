// SPDX-License-Identifier: Apache-2.0
// A process of the host that puts from and to the symmetric heap for its GPU, as a program with kernels that do not
// communicate does between them (as with MPI). Flags are in the host's memory.
//
//   co_await h.put_nbi(dest, source, bytes, 1);    addresses of this GPU
//   co_await h.fence(1);
//   co_await h.signal(1, 3, step);                 flag 3 of PE 1's process
//   co_await h.wait(2, step);                      flag 2 of this one
//   co_await h.quiet();
//
// A fence is sent before the flag. A kernel that is launched when the flag is here begins later than the flush ends.
#pragma once

#include <string>
#include <vector>

#include "gpu/kernel/coroutine_timer.h"
#include "shmem/host_queues.h"
#include "shmem/pe.h"

namespace contraflow::shmem {

class host_process {
public:
    struct spec {
        core::sim_time post = core::sim_time::from_ns(150);
        core::sim_time look = core::sim_time::from_ns(50);
        static void describe(config::fields<spec>& f);
    };
    // Uses the index-th queue pairs between PEs, whose rings are in the hosts' memory.
    host_process(core::scheduler& events, host::queue_pair_cluster& cluster, const pe& of, unsigned index,
                 std::size_t flags, const spec& s);
    // Of the other processes, by PE; before the first signal.
    void meet(const std::vector<host_process*>& all);

    gpu::task<> put_nbi(std::uint64_t dest, std::uint64_t source, std::uint64_t bytes, unsigned to);
    gpu::task<> fence(unsigned to);
    gpu::task<> signal(unsigned to, std::size_t flag, std::uint64_t value);
    // Until the flag is at least that.
    gpu::task<> wait(std::size_t flag, std::uint64_t value);
    // All puts are complete. Throws shmem::error if one has failed.
    gpu::task<> quiet();
    gpu::coroutine_timer& timer() { return timer_; }
    // What it waits for; empty: nothing.
    std::string wait_text() const { return waits_for_; }

private:
    struct place {
        std::uint64_t address = 0;
        std::uint32_t key = 0;
    };
    gpu::task<> post(unsigned to, nic::work_entry e);
    gpu::task<> take(unsigned to);
    std::uint64_t flag(std::size_t i) const;

    const pe& pe_;
    host::queue_pair_node& node_;
    const spec spec_;
    host_queues queues_;
    gpu::coroutine_timer timer_;
    std::uint64_t flags_at_ = 0;  // bus address
    std::uint32_t flags_key_ = 0;
    std::vector<place> others_;
    std::string waits_for_;
};

}  // namespace contraflow::shmem
