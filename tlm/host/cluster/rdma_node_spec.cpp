// SPDX-License-Identifier: Apache-2.0
#include "host/cluster/rdma_node_spec.h"

namespace contraflow::host {

void rdma_node_spec::describe(config::fields<rdma_node_spec>& f) {
    using s = rdma_node_spec;
    const auto generation = [&f](const char* key, auto part) {
        f(key, part).in(1, pcie::newest_generation).text("PCIe generation");
    };
    const auto lanes = [&f](const char* key, auto part) {
        f(key, part).in(1, 16).power_of_two().text("lanes of PCIe");
    };
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
    generation(
        "gpu_generation", [](const s& n) -> auto& { return n.gpu_link.generation; });
    lanes(
        "gpu_lanes", [](const s& n) -> auto& { return n.gpu_link.lanes; });
    generation(
        "nic_generation", [](const s& n) -> auto& { return n.nic_link.generation; });
    lanes(
        "nic_lanes", [](const s& n) -> auto& { return n.nic_link.lanes; });
    generation(
        "host_generation", [](const s& n) -> auto& { return n.host_link.generation; });
    lanes(
        "host_lanes", [](const s& n) -> auto& { return n.host_link.lanes; });
    f("socket_link", &s::socket_link).text("other_socket: between the two");
    f("fabric", &s::fabric).text("links, switches and the root complex");
}

}  // namespace contraflow::host
