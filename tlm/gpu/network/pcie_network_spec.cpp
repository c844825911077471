// SPDX-License-Identifier: Apache-2.0
#include "gpu/network/pcie_network_spec.h"

#include <fmt/format.h>

namespace contraflow::gpu {

pcie_network_spec::pcie_network_spec() {
    switch_latency = root_complex_latency = core::sim_time::from_ns(140);
    tags = 256;
    non_posted_data = {12000};  // GPUs' writes: as much as a real port has for posted ones (link_tree.cpp)
}

void pcie_network_spec::describe(config::fields<pcie_network_spec>& f) {
    using spec = pcie_network_spec;
    f("link", &spec::link).text("rate of every link of the tree, as in gen4 x16");
    f("gpus_a_switch", &spec::gpus_a_switch)
        .in(0, 32)
        .unit("GPUs")
        .text("GPUs below each switch; 0: there are no switches, GPUs are below the root complex");
    f("queue", &spec::queue).in(1, 65536).unit("packets").text("packets of each class that wait for a GPU's link");
    describe_tree(f);
    f("non_posted_data", &spec::non_posted_data)
        .in(core::bytes{256}, core::bytes{1u << 24})
        .text("receive buffer of a gen3 x16 port for writes and atomic operations, which are answered; see "
              "completion_data");
    f.renamed("posted_data", "non_posted_data");
    f.renamed("posted_headers", "non_posted_headers");
}

pcie::topology pcie_network_spec::tree(unsigned gpus) const {
    pcie::topology t;
    const auto add = [&](std::string name, pcie::node_kind kind, pcie::node_id parent, pcie::link_rate link_above) {
        pcie::topology_node node;
        node.name = std::move(name);
        node.kind = kind;
        node.link = link_above;
        return t.add(std::move(node), parent);
    };
    const pcie::node_id root = add("root", pcie::node_kind::root_complex, pcie::no_node, link);
    pcie::node_id parent = root;
    for (unsigned i = 0; i < gpus; ++i) {
        if (gpus_a_switch != 0 && i % gpus_a_switch == 0)
            parent = add(fmt::format("switch{}", i / gpus_a_switch), pcie::node_kind::pcie_switch, root, link);
        add(fmt::format("gpu{}", first_gpu + i), pcie::node_kind::endpoint, parent, link);
    }
    if (host) add("host", pcie::node_kind::endpoint, root, host->link);
    return t;
}

}  // namespace contraflow::gpu
