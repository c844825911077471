// SPDX-License-Identifier: Apache-2.0
// A node: the host's memory, a GPU and a NIC on a PCIe tree of their own, a port of the torus, and a process that puts
// and receives. Its construction includes the work of a driver at load time.
//
//   node_tree (host, GPU, NIC) ==channels== torus_port == the torus
//   rdma_process
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/zeroed_bytes.h"
#include "host/cluster/node_tree.h"
#include "host/cluster/rdma_node_spec.h"
#include "host/cluster/torus_port.h"
#include "host/rdma/rdma_process.h"

namespace contraflow::host {

class rdma_node final : public sc_core::sc_module,
                        public core::controllable_if,
                        public core::waiter_if,
                        private pcie::requester_user_if,
                        private pcie::interrupt_user_if {
public:
    static constexpr std::uint64_t host_base = node_tree::host_base;  // bus address of the host's memory
    static constexpr std::uint16_t token = 1;                         // token of its GPU's pages

    struct resources : torus_port::resources {
        core::sim_time torus_word{};
    };
    using parts = node_tree::parts;
    rdma_node(const sc_core::sc_module_name& name, unsigned number, const rdma_node_spec& s, const resources& r,
              const parts& chosen);

    std::span<std::uint8_t> memory() { return memory_.all(); }
    std::span<std::uint8_t> gpu_memory() { return gpu().memory().bytes(); }
    // The first byte of the host's memory behind what the driver has taken.
    std::uint64_t free_from() const;
    // Memory for a process to register: whole pages from that byte on, at virtual addresses from `base` on. GPU pages
    // are made accessible; if BAR1 is read, they are mapped there, and may be read from gpu_usable() on. Throws
    // std::invalid_argument if BAR1 has no room.
    rdma_process::region host_region(std::uint64_t base, std::uint64_t at, std::uint64_t bytes) const;
    rdma_process::region gpu_region(std::uint64_t base, std::uint64_t at, std::uint64_t bytes);
    core::sim_time gpu_usable() const { return gpu_usable_; }
    // The driver's work after the GPU's engines were reset: it finds the NIC again, and the NIC tries it again. Pages
    // in BAR1 are not mapped again.
    void recover_gpu();

    nic::position position() const { return position_; }
    rdma_process& process() { return *process_; }
    nic::rdma_nic& nic() { return tree_.nic(); }
    const nic::rdma_nic& nic() const { return tree_.nic(); }
    gpu::peer_gpu& gpu() { return tree_.gpu(); }
    const torus_port& port() const { return port_; }
    const pcie::link_tree& tree() const { return tree_.links(); }
    pcie::link_tree& tree() { return tree_.links(); }
    // The NIC in that tree.
    pcie::node_id nic_in_tree() const { return tree_.nic_in_tree(); }

    // Whether no work is in progress; programs do not count.
    bool idle() const;
    std::uint64_t moved() const { return tree().tlps_moved(); }
    // pause: PCIe moves nothing. reset: work under way, programs and registrations are gone, memory keeps its bytes;
    // only together with the torus, which drops what it holds. Other verbs are refused.
    bool control(core::control_verb verb) override;
    void check(observe::conservation& checks) const;
    void report_waits(std::vector<core::wait_edge>& edges) const override;

private:
    void interrupt(std::uint64_t, std::uint32_t vector) override { process_->interrupt(vector); }
    // Unused: each operation has an owner; the ends of the driver's operations are ignored.
    void finished(pcie::operation&) override {}

    const rdma_node_spec spec_;
    const resources r_;
    const nic::position position_;
    core::zeroed_bytes memory_;
    node_tree tree_;
    torus_port port_;
    std::unique_ptr<torus_port::channel> requests_, to_torus_, from_torus_;
    std::unique_ptr<rdma_process> process_;
    core::sim_time gpu_usable_{};
};

}  // namespace contraflow::host
