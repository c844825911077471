// SPDX-License-Identifier: Apache-2.0
// A program in steps: workgroups compute, put, and wait for what others put to them. Who communicates is up to the
// scheme (scheme_run.h): the kernel itself, or the host between kernels. So one program runs by each.
//
//   a step of a workgroup: edge -> its messages -> interior -> messages of its senders are here
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "config/fields.h"
#include "gpu/kernel/kernel_launch.h"
#include "shmem/job.h"

namespace contraflow::shmem {

class context;

enum class scheme : std::uint8_t {
    gio,              // kernels use the NIC themselves
    ikn,              // threads of the host serve the kernels' queues
    inter_k,          // a kernel a step, then the host communicates
    inter_k_empty,    // the same with kernels that do nothing
    inter_k_overlap,  // a kernel for the edge; the host communicates while another one computes the interior
    cpu               // no kernels: the host computes
};
// Whether kernels call the library; otherwise the host's programs communicate.
constexpr bool by_kernels(scheme s) { return s == scheme::gio || s == scheme::ikn; }

enum class part : std::uint8_t { edge, interior };

class program_if {
public:
    // Addresses of the sender's GPU.
    struct message {
        std::uint64_t dest = 0, source = 0, bytes = 0;
        unsigned to = 0;
    };
    struct sender {
        unsigned pe = 0, workgroup = 0;
        unsigned behind = 0;  // it is about the sender's step so many before this one
    };
    virtual ~program_if() = default;
    // Allocates and fills memory; takes no simulated time.
    virtual void prepare(job& j) = 0;
    virtual unsigned steps() const = 0;
    virtual unsigned workgroups() const = 0;
    virtual unsigned threads(unsigned wave_width) const = 0;  // of a workgroup, on a machine of such wavefronts
    // What prepare() takes of a PE's symmetric heap, in uncached and in cached pages.
    virtual std::uint64_t heap_bytes() const = 0;
    virtual std::uint64_t cached_heap_bytes() const { return 0; }
    // Each put is awaited by its sender and told to nobody.
    virtual bool blocking() const { return false; }
    // No workgroup begins a step before all of its PE have ended the one before.
    virtual bool in_step() const { return false; }
    // The first ones, which reports of a step's time leave out.
    virtual unsigned warm_up() const { return 1; }
    virtual gpu::task<> compute(pe& of, gpu::wave w, unsigned step, part which) = 0;
    // By the host with all its threads: changes the bytes, and returns those that its memory carries for that. By
    // default there is nothing to do.
    virtual core::bytes compute_on_host(pe&, unsigned /*step*/) { return {}; }
    // A program that puts whenever its data are ready: a kernel does all of it, so it runs by gio and ikn only. It has
    // one step, and calls nothing of the interface but whole().
    virtual bool puts_at_any_time() const { return false; }
    virtual gpu::task<> whole(context&, gpu::wave) { co_return; }
    // What a workgroup puts in a step, at most one message to each other PE; and who puts to it.
    virtual std::vector<message> messages(const pe& of, unsigned workgroup, unsigned step) const = 0;
    virtual std::vector<sender> senders(const pe& of, unsigned workgroup, unsigned step) const = 0;
    // Empty if the results of all PEs are right, otherwise the first difference.
    virtual std::string verify(job& j) const = 0;
};

}  // namespace contraflow::shmem

template <> struct contraflow::config::enum_names<contraflow::shmem::scheme> {
    using e = contraflow::shmem::scheme;
    static constexpr std::array names{std::pair{e::gio, "gio"},
                                      std::pair{e::ikn, "ikn"},
                                      std::pair{e::inter_k, "inter_k"},
                                      std::pair{e::inter_k_empty, "inter_k_empty"},
                                      std::pair{e::inter_k_overlap, "inter_k_overlap"},
                                      std::pair{e::cpu, "cpu"}};
};
