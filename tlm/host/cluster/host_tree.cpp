// SPDX-License-Identifier: Apache-2.0
#include "host/cluster/host_tree.h"

#include <utility>

#include "pcie/fabric/fault_check.h"

namespace contraflow::host {

host_tree_shape shape_of(const host_tree_spec& s) {
    using pcie::node_id, pcie::node_kind;
    host_tree_shape shape;
    const auto add = [&](std::string name, node_kind kind, node_id parent, pcie::link_rate rate = {}) {
        pcie::topology_node n;
        n.name = std::move(name);
        n.kind = kind;
        n.link = rate;
        return shape.nodes.add(n, parent);
    };
    const bool two = s.nic_at == nic_place::other_socket;
    const node_id machine = two ? add("machine", node_kind::machine, pcie::no_node) : pcie::no_node;
    if (two) shape.nodes.socket_link = s.socket_link;
    const node_id root = add("rc", node_kind::root_complex, machine);
    shape.host = add("host", node_kind::endpoint, root, s.host_link);
    const node_id sw = add("switch", node_kind::pcie_switch, root, s.gpu_link);
    shape.gpu = add("gpu", node_kind::endpoint, sw, s.gpu_link);
    const node_id above_nic = two                                 ? add("rc1", node_kind::root_complex, machine)
                              : s.nic_at == nic_place::beside_gpu ? sw
                                                                  : root;
    shape.nic = add("nic", node_kind::endpoint, above_nic, s.nic_link);
    return shape;
}

std::vector<config::problem> problems_of(const host_tree_spec& s, const pcie::link_tree_spec& fabric) {
    return config::below("fabric", pcie::problems_of(fabric, shape_of(s).nodes));
}

host_tree::host_tree(const host_tree_spec& s, const pcie::link_tree_spec& fabric, const resources& r, const device& gpu,
                     const device& nic)
    : shape_(shape_of(s)),
      interrupts_(r.interrupts) {
    const pcie::node_id host = shape_.host, gpu_node = shape_.gpu;
    std::vector<pcie::function_spec> places(shape_.nodes.size());
    places[host].fixed = {{host_base, r.memory.size()}, {interrupt_address, interrupt_bytes}};
    places[gpu_node] = gpu.place;
    places[shape_.nic] = nic.place;
    map_ = std::make_unique<pcie::address_map>(shape_.nodes, places);
    const pcie::port::resources shared{r.events, r.statistics};
    links_ = std::make_unique<pcie::link_tree>(
        shared, pool_, *map_, fabric,
        [&](pcie::node_id id, std::uint32_t, const std::string& name,
            const pcie::port::spec& line) -> pcie::device_if& {
            pcie::function::spec f;
            f.link = line;
            f.latency = fabric.endpoint_latency;
            f.requests.tags = fabric.tags;
            f.requests.max_payload = static_cast<std::uint32_t>(fabric.max_payload.count);
            f.requests.max_read_request = static_cast<std::uint32_t>(fabric.max_read_request.count);
            f.requests.completion_timeout = fabric.completion_timeout;
            f.answers.read_completion_boundary = static_cast<std::uint32_t>(fabric.read_completion_boundary.count);
            if (id != host) {
                const device& d = id == gpu_node ? gpu : nic;
                return *devices_.emplace_back(d.make({name, shared, pool_, f, map_->at(id)}));
            }
            host_ = std::make_unique<pcie::function>(name.c_str(), shared, pool_, f, map_->at(id), r.user);
            return *host_;
        });
    memory_ = std::make_unique<pcie::timed_memory>(r.events, *host_, s.reads, std::string(host_->name()) + ".memory",
                                                   r.memory);
    host_->map_fixed(0, *memory_);
    host_->map_fixed(1, interrupts_);
}

bool host_tree::control(core::control_verb verb) {
    const bool done = links_->control(verb);
    if (verb == core::control_verb::reset) memory_->reads().reset();
    return done;
}

void host_tree::report_waits(std::vector<core::wait_edge>& edges) const {
    for (const core::waiter_if* w : links_->waiters()) w->report_waits(edges);
    memory_->reads().report_waits(edges);
}

}  // namespace contraflow::host
