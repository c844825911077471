// SPDX-License-Identifier: Apache-2.0
#include "torus_nic/nodes/bus_watch.h"

#include <algorithm>

#include <fmt/format.h>

namespace contraflow::torus_nic {

std::string_view name_of(tlp_role r) {
    switch (r) {
    case tlp_role::doorbell: return "doorbell";
    case tlp_role::descriptor_read: return "read of a descriptor";
    case tlp_role::descriptor: return "descriptor";
    case tlp_role::data_read: return "read of data";
    case tlp_role::data_in: return "data read";
    case tlp_role::gpu_request: return "request to the GPU";
    case tlp_role::gpu_answer: return "answer of the GPU";
    case tlp_role::data_out: return "received data";
    case tlp_role::window_move: return "move of a window";
    case tlp_role::flush: return "read behind received data";
    case tlp_role::flushed: return "answer behind received data";
    case tlp_role::record: return "completion record";
    case tlp_role::interrupt: return "interrupt";
    case tlp_role::other: break;
    }
    return "other";
}

bus_watch::bus_watch(host::rdma_cluster& cluster, observe::trace* trace) : cluster_(cluster), trace_(trace) {
    nodes_.reserve(cluster.nodes());
    for (unsigned n = 0; n < cluster.nodes(); ++n) {
        nodes_.emplace_back(*this, n);
        cluster.node(n).tree().add_observer(nodes_.back());
    }
}

tlp_role bus_watch::role_of(host::rdma_node& n, const pcie::tlp& p, bool from_nic) const {
    const auto within = [&p](std::uint64_t base, std::uint64_t bytes) {
        return p.address >= base && p.address - base < bytes;
    };
    if (!from_nic)
        return within(n.nic().answers_base(), nic::peer_reader::window) ? tlp_role::gpu_answer : tlp_role::doorbell;
    const bool in_rings = within(host::rdma_node::host_base, n.free_from());
    const std::uint64_t registers = n.gpu().registers_of(0);
    const bool of_gpu = within(registers, gpu::peer_registers);
    if (p.kind == pcie::tlp_kind::memory_read)
        return in_rings ? tlp_role::descriptor_read : of_gpu ? tlp_role::flush : tlp_role::data_read;
    if (of_gpu)
        return p.address - registers == static_cast<std::uint64_t>(gpu::peer_register::window) ? tlp_role::window_move
                                                                                               : tlp_role::gpu_request;
    if (in_rings) return tlp_role::record;
    return within(host::node_tree::interrupt_address, host::node_tree::interrupt_bytes) ? tlp_role::interrupt
                                                                                        : tlp_role::data_out;
}

void bus_watch::node_watch::tlp_sent(unsigned id, const pcie::tlp& p, core::sim_time begin, core::sim_time end, bool,
                                     bool) {
    host::rdma_node& n = owner_.cluster_.node(node_);
    const pcie::node_id nic = n.nic_in_tree();
    const bool up = id == pcie::port_id{nic, true}.index();
    if (!up && id != pcie::port_id{nic, false}.index()) return;
    tlp_role role = tlp_role::other;
    if (p.kind == pcie::tlp_kind::completion) {
        const auto read = std::ranges::find(reads_, p.tag, &std::pair<std::uint16_t, tlp_role>::first);
        role = read == reads_.end() ? tlp_role::data_in : read->second;
        if (read != reads_.end() && p.byte_count <= p.length) reads_.erase(read);
    } else {
        role = owner_.role_of(n, p, up);
        if (role == tlp_role::descriptor_read) reads_.emplace_back(p.tag, tlp_role::descriptor);
        if (role == tlp_role::flush) reads_.emplace_back(p.tag, tlp_role::flushed);
    }
    if (owner_.trace_ != nullptr)
        owner_.trace_->slice(
            owner_.trace_->track(fmt::format("node{}.nic", node_), up ? "PCIe, from the NIC" : "PCIe, to the NIC"),
            name_of(role), begin, end, fmt::format(R"({{"bytes":{}}})", p.length));
    if (owner_.open_)
        owner_.seen_.push_back(
            {node_, begin, end, up, role, p.kind, p.kind == pcie::tlp_kind::completion ? 0 : p.address, p.length});
}

}  // namespace contraflow::torus_nic
