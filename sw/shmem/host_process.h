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
// The host itself has to wait for that end, before it reads the GPU's memory (await_arrivals).
#pragma once

#include <array>
#include <string>
#include <vector>

#include "gpu/kernel/coroutine_timer.h"
#include "gpu/ppb/ppb_protocol.h"
#include "shmem/host_queues.h"
#include "shmem/pe.h"

namespace contraflow::shmem {

class host_process final : private pcie::requester_user_if {
public:
    struct spec {
        core::sim_time post = core::sim_time::from_ns(150);
        core::sim_time look = core::sim_time::from_ns(50);
        core::bandwidth memory = core::bandwidth::from_gb_per_s(60);
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
    // What others had put when their flags came here is in the GPU's memory: a read of the path block's register of
    // flushes is answered behind the flush that was sent before the flag.
    gpu::task<> await_arrivals();
    gpu::coroutine_timer& timer() { return timer_; }
    void report_waits(std::vector<core::wait_edge>& edges) const;

private:
    struct place {
        std::uint64_t address = 0;
        std::uint32_t key = 0;
    };
    gpu::task<> post(unsigned to, nic::work_entry e);
    gpu::task<> take(unsigned to);
    std::uint64_t flag(std::size_t i) const;
    void finished(pcie::operation&) override { timer_.resume_after({}, *reader_); }

    struct answer_awaiter {
        host_process& of;
        bool await_ready() const noexcept { return false; }
        template <class Promise> void await_suspend(std::coroutine_handle<Promise> h) const {
            h.promise().on().wait_in(h);
            of.reader_ = &h.promise().on();
            of.node_.host().start(of.read_);
        }
        void await_resume() const noexcept {}
    };

    const pe& pe_;
    host::queue_pair_node& node_;
    const spec spec_;
    host_queues queues_;
    gpu::coroutine_timer timer_;
    std::uint64_t flags_at_ = 0;  // bus address
    std::uint32_t flags_key_ = 0;
    std::vector<place> others_;
    std::string waits_for_, holder_;
    pcie::operation read_;
    std::array<std::uint8_t, gpu::ppb_register_size> answer_{};
    gpu::coroutine_stack* reader_ = nullptr;
};

}  // namespace contraflow::shmem
