// SPDX-License-Identifier: Apache-2.0
#include "host/cluster/queue_pair_node_spec.h"

#include <utility>

namespace contraflow::host {

void queue_pair_links_spec::describe(config::fields<queue_pair_links_spec>& f) {
    using s = queue_pair_links_spec;
    describe_tree(f);
    describe_posted(f);
    f("non_posted_data", &s::non_posted_data)
        .in(core::bytes{64}, core::bytes{1u << 24})
        .text("receive buffer of a gen3 x16 port for the data of AtomicOps; see completion_data");
}

void queue_pair_node_spec::describe(config::fields<queue_pair_node_spec>& f) {
    using s = queue_pair_node_spec;
    describe_host(f);
    f("gpu", &s::gpu).text("its GPU");
    f("nic", &s::nic).text("its NIC");
    describe_links(f);
    f("fabric", &s::fabric).text("links, switches and the root complex");
}

std::vector<config::problem> problems_of(const queue_pair_node_spec& s) {
    auto found = gpu::problems_of(s.gpu.values);
    for (config::problem& p : problems_of(s, s.fabric)) found.push_back(std::move(p));
    return found;
}

}  // namespace contraflow::host
