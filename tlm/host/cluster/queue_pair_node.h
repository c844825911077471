// SPDX-License-Identifier: Apache-2.0
// A node whose GPU talks to the network itself: a GPU with its path block, a NIC with queue pairs, and the host, on a
// PCIe tree. Its construction includes the work of a driver at load time. All of it is bus traffic that takes time, so
// a user runs the simulation until the node is idle before the first doorbell.
//
//   threads --io_port: doorbells, control page, host memory--+        +-- host memory, driver, the CPU's programs
//   GPU memory == path block ============== PCIe ============+========+
//                                            NIC == net::network_port
//
// Addresses. The NIC sees one space: GPU memory at the virtual addresses of the GPU's kernels, the host's memory at its
// bus addresses (below 4 GiB), and the control page of the path block at control().address(). A key says which region.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/zeroed_bytes.h"
#include "gpu/system/pcie_gpu.h"
#include "host/cluster/host_tree.h"
#include "host/cluster/queue_pair_node_spec.h"
#include "host/rdma/queue_pair_driver.h"

namespace contraflow::host {

enum class ring_place : std::uint8_t { gpu, host };

// Rings of an end of a queue pair: powers of two, and whose memory they are in.
struct ring_sizes {
    std::uint32_t entries = 64, completions = 64;
    ring_place entries_in = ring_place::gpu, completions_in = ring_place::gpu;
};

// An end of a queue pair, as the software that uses it sees it. What is written there is in
// nic/queue_pair/work_entry.h: entry n and the n-th completion are at place (n - 1) modulo the size, and n begins at 1.
struct queue_pair_end {
    std::uint32_t number = 0;       // at its NIC
    unsigned node = 0, peer = 0;    // of this end, of the other end
    std::uint32_t peer_number = 0;  // at the other end's NIC
    ring_sizes sizes;
    queue_pair_driver::rings rings;  // bus addresses
    // In the address space of this node's kernels: eight words an entry, eight a completion. In GPU memory they are
    // uncached.
    gpu::array<std::uint64_t> entries, completions;
    gpu::array<std::uint64_t> doorbell;  // [0]: entries written so far; [1]: completions taken so far
};

// The host has too little memory left for rings and flags.
class host_memory_full : public std::invalid_argument {
public:
    host_memory_full(const std::string& node, core::bytes has, core::bytes left, core::bytes wanted);
    core::bytes has() const { return has_; }
    // What it would need to have, at least.
    core::bytes needed() const { return needed_; }

private:
    core::bytes has_, needed_;
};

class queue_pair_node final : public sc_core::sc_module,
                              public core::controllable_if,
                              public core::waiter_if,
                              private pcie::requester_user_if,
                              private pcie::interrupt_user_if {
public:
    static constexpr std::uint64_t host_page = 4096;

    struct resources {
        core::scheduler& events;
        observe::statistics& statistics;
        net::network_port& port;
        nic::packet_pool& packets;
    };
    // `number`: its place in the network.
    queue_pair_node(const sc_core::sc_module_name& name, unsigned number, const queue_pair_node_spec& s,
                    const resources& r);

    gpu::pcie_gpu& gpu() { return *gpu_; }
    nic::queue_pair_nic& nic() { return *nic_; }
    const nic::queue_pair_nic& nic() const { return *nic_; }
    // The driver of the NIC, and the CPU's doorbells.
    queue_pair_driver& driver() { return *driver_; }
    // The CPU's own accesses over PCIe.
    pcie::function& host() { return tree_.host(); }
    pcie::link_tree& tree() { return tree_.links(); }
    const pcie::link_tree& tree() const { return tree_.links(); }
    pcie::node_id nic_in_tree() const { return tree_.nic(); }
    unsigned number() const { return number_; }
    const queue_pair_node_spec& configuration() const { return spec_; }

    // --- memory. GPU memory is allocated by gpu().memory(), uncached where the NIC is to read and write.
    // New whole pages of the host's memory, and their bus address. Throws host_memory_full if too few are left.
    std::uint64_t reserve_host(std::uint64_t bytes);
    // The host's memory, for the CPU's programs, in no time.
    std::span<std::uint8_t> host_bytes(std::uint64_t bus_address, std::uint64_t bytes);
    // Is called after each write to it over PCIe.
    void call_when_host_memory_is_written(core::callback c) { tree_.memory().call_when_written(c); }
    // The host's memory in the address space of kernels: the elements from that bus address on.
    template <gpu::element T> gpu::array<T> host_array(std::uint64_t bus_address, std::size_t count) const {
        return {host_window_.address() + (bus_address - host_tree::host_base), count};
    }

    // --- registration: `bytes` from an address of the NIC's space on, which begins at a page
    queue_pair_driver::handle register_gpu(std::uint64_t address, std::uint64_t bytes, nic::access_rights rights);
    queue_pair_driver::handle register_host(std::uint64_t bus_address, std::uint64_t bytes, nic::access_rights rights);
    // The control page of the path block, in the address space of this node's kernels and of the NIC: others' puts of
    // gpu::ppb_invalidate_and_flush to control().address() flush it.
    const gpu::array<std::uint64_t>& control_page() const { return control_; }
    const queue_pair_driver::handle& control_key() const { return control_key_; }

    // --- queue pairs; queue_pair_cluster::connect() makes them
    // Rings in new memory, for the next queue pair of the NIC. Throws std::invalid_argument if it has no more.
    queue_pair_end make_end(const ring_sizes& sizes);
    // Zeroes its rings, for a queue pair that is opened.
    void clear_rings(const queue_pair_end& q);
    // By the CPU, in no time: the entry to its place in the ring (in GPU memory only while no kernel uses the ring),
    // and the n-th completion, if it is there.
    void write_entry(const queue_pair_end& q, const nic::work_entry& e);
    // The same, and rings: with the entry if the NIC takes it.
    void post(const queue_pair_end& q, const nic::work_entry& e);
    std::optional<nic::queue_completion> completion(const queue_pair_end& q, std::uint32_t n) const;
    // Interrupts: queue pairs that have failed.
    std::uint64_t failures() const { return failures_.value(); }

    bool idle() const;
    // For a watchdog: a count of progress, and the work that has begun and not ended.
    std::uint64_t moved() const { return tree().tlps_moved() + gpu_->moved(); }
    std::uint64_t outstanding() const { return gpu_->outstanding() + (idle() ? 0 : 1); }
    void settle() { gpu_->system().settle(); }
    // pause, enable, reset. A reset drops all work, registrations and queue pairs; memory keeps its bytes, and the
    // control page is registered anew. Only together with the network, after it has been called for all nodes.
    bool control(core::control_verb verb) override;
    void check(observe::conservation& checks) const;
    void report_waits(std::vector<core::wait_edge>& edges) const override { tree_.report_waits(edges); }

private:
    void interrupt(std::uint64_t, std::uint32_t) override { ++failures_; }
    void finished(pcie::operation&) override {}  // each operation has an owner
    void open();
    using entry_bytes = std::array<std::uint8_t, nic::work_entry_bytes>;
    void store_entry(const queue_pair_end& q, std::uint32_t number, const entry_bytes& bytes);
    gpu::array<std::uint64_t> ring_in(ring_place where, std::uint64_t words, std::uint64_t& bus_address);

    const queue_pair_node_spec spec_;
    const unsigned number_;
    core::zeroed_bytes memory_;
    gpu::pcie_gpu* gpu_ = nullptr;
    nic::queue_pair_nic* nic_ = nullptr;
    host_tree tree_;  // owns the two
    std::unique_ptr<queue_pair_driver> driver_;
    gpu::array<std::uint64_t> control_, doorbells_, host_window_;
    queue_pair_driver::handle control_key_;
    std::uint64_t host_used_ = 0;  // bytes
    std::uint32_t ends_ = 0;
    observe::counter failures_;
};

}  // namespace contraflow::host
