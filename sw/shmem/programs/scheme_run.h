// SPDX-License-Identifier: Apache-2.0
// A program on all nodes of a cluster, by a scheme.
//
//   scheme_run r(events, cluster, program, {.how = scheme::gio});
//   run the simulation until nothing is scheduled: registers are written
//   r.start(); run the simulation until r.finished(); r.stop();
//   r.problem()                                         "" or what is wrong
//   r.step_ends(0)                                      when PE 0 has ended each step
#pragma once

#include <deque>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "shmem/context.h"
#include "shmem/host_process.h"
#include "shmem/programs/program_if.h"

namespace contraflow::shmem {

// The symmetric heap that a job asks for does not hold its program's arrays.
class heap_too_small : public std::invalid_argument {
public:
    heap_too_small(core::bytes needed, core::bytes has, bool cached);
    core::bytes needed() const { return needed_; }
    bool cached() const { return cached_; }

private:
    core::bytes needed_;
    bool cached_;
};

class scheme_run final : public core::waiter_if {
public:
    struct spec {
        scheme how = scheme::gio;
        shmem::spec job;
        host_process::spec host;
        static void describe(config::fields<spec>& f);
    };
    // Bytes of the heap of a PE that the program and the run need, in uncached and in cached pages.
    struct heap_need {
        std::uint64_t uncached = 0, cached = 0;
    };
    static heap_need heap_need_of(const program_if& p, unsigned pes);
    // The program decides the number of contexts, and the heap where the job says 0; throws heap_too_small where it
    // says less than is needed. ikn has a thread of the host, unless the job says more.
    scheme_run(core::scheduler& events, host::queue_pair_cluster& cluster, program_if& program, const spec& s);

    void start();
    bool finished() const;
    // Threads of the host end; afterwards nothing is scheduled any more.
    void stop() { job_.stop_helpers(); }
    // Call it when it is finished: rethrows what a kernel or a host program has thrown.
    std::string problem();

    core::sim_time started() const { return started_; }
    const std::vector<core::sim_time>& step_ends(unsigned pe) const { return step_ends_.at(pe); }
    shmem::job& job() { return job_; }
    void report_waits(std::vector<core::wait_edge>& edges) const override;

private:
    // A kernel of one PE.
    struct step_kernel {
        scheme_run* run = nullptr;
        unsigned rank = 0, step = 0;
        bool edge = false, interior = false;
        gpu::kernel body(gpu::wave w);
        gpu::kernel whole_program(gpu::wave w);
    };
    static shmem::spec job_spec(const spec& s, const program_if& p, unsigned pes);
    gpu::host_program& node_gpu(unsigned rank) const { return cluster_.node(rank).gpu().host(); }
    gpu::host_task one_kernel(unsigned rank);
    gpu::host_task host_program(unsigned rank);
    gpu::task<> communicate(unsigned rank, unsigned step);
    gpu::kernel_launch kernel_of(unsigned rank, unsigned step, bool edge, bool interior);
    std::size_t flag_of(unsigned pe, unsigned workgroup) const {
        return std::size_t{pe} * program_.workgroups() + workgroup;
    }
    void ended(unsigned rank, unsigned step);

    core::scheduler& events_;
    host::queue_pair_cluster& cluster_;
    program_if& program_;
    const spec spec_;
    shmem::job job_;
    std::deque<host_process> processes_;
    std::vector<gpu::array<std::uint64_t>> flags_, counts_;  // by PE: symmetric; workgroups that have ended steps
    std::deque<step_kernel> kernels_;
    core::sim_time started_{};
    std::vector<std::vector<core::sim_time>> step_ends_;
};

}  // namespace contraflow::shmem
