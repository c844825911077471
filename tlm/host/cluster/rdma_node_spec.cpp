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
    describe_host(f);
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
    describe_links(f);
    for (const char* const part : {"gpu", "nic", "host"})
        for (const char* const key : {"generation", "lanes"})
            f.renamed(fmt::format("{}_{}", part, key), fmt::format("{}_link", part));
    f("fabric", &s::fabric).text("links, switches and the root complex");
}

}  // namespace contraflow::host
