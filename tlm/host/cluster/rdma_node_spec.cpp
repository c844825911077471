// SPDX-License-Identifier: Apache-2.0
#include "host/cluster/rdma_node_spec.h"

#include <fmt/format.h>

namespace contraflow::host {

void node_links_spec::describe(config::fields<node_links_spec>& f) {
    describe_tree(f);
    describe_posted(f);
    f.removed("transfers", "a node's devices write and read as they are programmed");
}

void rdma_node_spec::describe(config::fields<rdma_node_spec>& f) {
    using s = rdma_node_spec;
    f("nic_at", &s::nic_at)
        .text("beside_gpu: under one switch with it; across_root_complex: under the root complex; other_socket: under "
              "that of another socket");
    f("memory", &s::memory).in({1u << 20}, {1u << 30}).text("the host's memory, rings included");
    f(
        "read_latency", [](const s& n) -> auto& { return n.reads.latency; })
        .text("latency of a read of the host's memory");
    f(
        "read_rate", [](const s& n) -> auto& { return n.reads.rate; })
        .text("rate of reads of the host's memory");
    f(
        "read_queue", [](const s& n) -> auto& { return n.reads.queue; })
        .unit("requests")
        .in(1, 1024)
        .text("reads that wait for the host's memory");
    f("gpu", &s::gpu).text("its peer-to-peer side");
    f("transmit", &s::transmit).text("the NIC's transmit side");
    f("core", &s::core).text("times of the core beside the transmit side");
    f("receive", &s::receive).text("the NIC's receive side");
    f("port", &s::port).text("what writes received data over PCIe");
    f("process", &s::process).text("rings, and the host's own times");
    f("torus_queue", &s::torus_queue)
        .unit("packets")
        .in(1, 1024)
        .text("packets that have left the transmit side and wait for the torus");
    f("gpu_link", &s::gpu_link).text("rate of the GPU's PCIe link, as in gen2 x8");
    f("nic_link", &s::nic_link).text("rate of the NIC's PCIe link");
    f("host_link", &s::host_link).text("rate of the host's PCIe link");
    for (const char* const part : {"gpu", "nic", "host"})
        for (const char* const key : {"generation", "lanes"})
            f.renamed(fmt::format("{}_{}", part, key), fmt::format("{}_link", part));
    f("socket_link", &s::socket_link).text("other_socket: between the two");
    f("fabric", &s::fabric).text("links, switches and the root complex");
}

}  // namespace contraflow::host
