// SPDX-License-Identifier: Apache-2.0
// All PEs of a program, and what the host's program does before their kernels run (shmem_init): it registers the
// symmetric heap and the control page of the path block, opens queue pairs between all of them, and writes templates
// into the send queues.
//
//   shmem::job job(events, cluster, spec);       then run the simulation until the registers have been written
//   const auto x = job[pe].malloc<double>(n);    for every PE
//   kernel: shmem::context c(job[pe], w); ...
#pragma once

#include <deque>
#include <vector>

#include "host/cluster/queue_pair_cluster.h"
#include "shmem/helper.h"
#include "shmem/pe.h"

namespace contraflow::shmem {

class job final : public core::waiter_if {
public:
    // NIC's address of every PE's heap.
    static constexpr std::uint64_t heap_base = 0x7000'0000'0000;

    // PE i is on node i. Throws std::invalid_argument if a NIC has too few queue pairs.
    job(core::scheduler& events, host::queue_pair_cluster& cluster, const spec& s);

    unsigned pes() const { return static_cast<unsigned>(pes_.size()); }
    pe& operator[](unsigned rank) { return pes_.at(rank); }
    const pe& operator[](unsigned rank) const { return pes_.at(rank); }
    const spec& configuration() const { return spec_; }
    // Throws shmem::error if a PE has not made the same calls of malloc and free as the others.
    void check_calls() const {
        heap_.check_calls();
        cached_heap_.check_calls();
    }
    // The host's threads that serve the kernels' queues, if there are any: before the kernels begin, and after they
    // have ended.
    void start_helpers();
    void stop_helpers();
    // Who polls for what: "pe0.context1" waits for "offset 0x400 of its heap == 1 (it is 0)".
    void report_waits(std::vector<core::wait_edge>& edges) const override;

private:
    static std::uint64_t library_bytes(const spec& s, unsigned pes);
    void register_heap(host::queue_pair_node& n);
    pe_addresses addresses_of(unsigned rank);
    static queue_addresses kernel_queue(const host::queue_pair_end& e);
    queue_addresses helper_queue(const host::queue_pair_end& e, unsigned context);
    void make_helpers(unsigned rank);
    void write_templates(const pe& of);

    core::scheduler& events_;
    const spec spec_;
    host::queue_pair_cluster& cluster_;
    const std::uint64_t heap_bytes_, cached_bytes_;  // whole pages
    symmetric_heap heap_, cached_heap_;
    std::vector<gpu::array<std::uint8_t>> heaps_, cached_heaps_;
    std::vector<host::queue_pair_driver::handle> handles_;
    std::deque<pe> pes_;
    // By PE: what its helpers serve, with which queues.
    std::vector<std::vector<helper::served>> served_;
    std::deque<std::vector<host_queues>> helper_queues_;
    std::deque<helper> helpers_;
};

}  // namespace contraflow::shmem
