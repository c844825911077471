// SPDX-License-Identifier: Apache-2.0
// The parts that nodes of all kinds have: the host's memory behind a root complex, and the PCIe links to a GPU and to a
// NIC.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "config/fields.h"
#include "config/tree/problem.h"
#include "pcie/device/timed_reads.h"
#include "pcie/fabric/fabric_spec.h"
#include "pcie/fabric/topology.h"
#include "pcie/link/link_rate.h"

namespace contraflow::host {

// The NIC's place relative to the GPU.
enum class nic_place : std::uint8_t { beside_gpu, across_root_complex, other_socket };

struct host_tree_spec {
    nic_place nic_at = nic_place::beside_gpu;
    core::bytes memory{16u << 20};                                                                        // the host's
    pcie::timed_reads::spec reads{core::sim_time::from_ns(200), core::bandwidth::from_gb_per_s(20), 64};  // reads of it
    pcie::link_rate gpu_link{2, 16}, nic_link{2, 8}, host_link{4, 16};   // host: wide enough not to limit others
    core::bandwidth socket_link = core::bandwidth::from_gb_per_s(12.8);  // nic_at: other_socket

    // For structs that derive from it: the host, and the links.
    template <class S> static void describe_host(config::fields<S>& f);
    template <class S> static void describe_links(config::fields<S>& f);
};

template <class S> void host_tree_spec::describe_host(config::fields<S>& f) {
    f("nic_at", &S::nic_at)
        .text("beside_gpu: under one switch with it; across_root_complex: under the root complex; other_socket: under "
              "that of another socket");
    f("memory", &S::memory).in({1u << 20}, {1u << 30}).text("the host's memory, rings included");
    f(
        "read_latency", [](const S& n) -> auto& { return n.reads.latency; })
        .text("latency of a read of the host's memory");
    f(
        "read_rate", [](const S& n) -> auto& { return n.reads.rate; })
        .in(core::bandwidth::from_gb_per_s(0.001), core::bandwidth::from_gb_per_s(10'000))
        .text("rate of reads of the host's memory");
    f(
        "read_queue", [](const S& n) -> auto& { return n.reads.queue; })
        .unit("requests")
        .in(1, 1024)
        .text("reads that wait for the host's memory");
}

template <class S> void host_tree_spec::describe_links(config::fields<S>& f) {
    f("gpu_link", &S::gpu_link).text("rate of the GPU's PCIe link, as in gen2 x8");
    f("nic_link", &S::nic_link).text("rate of the NIC's PCIe link");
    f("host_link", &S::host_link).text("rate of the host's PCIe link");
    f("socket_link", &S::socket_link).text("other_socket: between the two");
}

// The tree of a node.
struct host_tree_shape {
    pcie::topology nodes;
    pcie::node_id host = pcie::no_node, gpu = pcie::no_node, nic = pcie::no_node;
};
host_tree_shape shape_of(const host_tree_spec& s);
// Names of its nodes in faults and arbitration, which are keys below "fabric".
std::vector<config::problem> problems_of(const host_tree_spec& s, const pcie::link_tree_spec& fabric);

}  // namespace contraflow::host

template <> struct contraflow::config::enum_names<contraflow::host::nic_place> {
    using e = contraflow::host::nic_place;
    static constexpr std::array names{std::pair{e::beside_gpu, "beside_gpu"},
                                      std::pair{e::across_root_complex, "across_root_complex"},
                                      std::pair{e::other_socket, "other_socket"}};
};
