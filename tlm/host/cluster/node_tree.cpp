// SPDX-License-Identifier: Apache-2.0
#include "host/cluster/node_tree.h"

#include "nic/transmit/table_core.h"

namespace contraflow::host {

node_tree::node_tree(const rdma_node_spec& s, const nic::position& node, const resources& r, const parts& chosen)
    : interrupts_(r.interrupts) {
    using pcie::node_id, pcie::node_kind;
    const auto add = [&](std::string name, node_kind kind, node_id parent, pcie::link_rate rate = {}) {
        pcie::topology_node n;
        n.name = std::move(name);
        n.kind = kind;
        n.link = rate;
        return nodes_.add(n, parent);
    };
    const bool two = s.nic_at == nic_place::other_socket;
    const node_id machine = two ? add("machine", node_kind::machine, pcie::no_node) : pcie::no_node;
    if (two) nodes_.socket_link = s.socket_link;
    const node_id root = add("rc", node_kind::root_complex, machine);
    const node_id host = add("host", node_kind::endpoint, root, s.host_link);
    const node_id sw = add("switch", node_kind::pcie_switch, root, s.gpu_link);
    const node_id gpu = add("gpu", node_kind::endpoint, sw, s.gpu_link);
    const node_id above_nic = two                                 ? add("rc1", node_kind::root_complex, machine)
                              : s.nic_at == nic_place::beside_gpu ? sw
                                                                  : root;
    const node_id nic = add("nic", node_kind::endpoint, above_nic, s.nic_link);
    nic_in_tree_ = nic;
    std::vector<pcie::function_spec> places(nodes_.size());
    places[host].fixed = {{host_base, r.memory.size()}, {interrupt_address, interrupt_bytes}};
    places[gpu] = gpu::peer_gpu::place_of(s.gpu.values);
    places[nic] = nic::rdma_nic::place();
    map_ = std::make_unique<pcie::address_map>(nodes_, places);
    const pcie::port::resources shared{r.events, r.statistics};
    const nic::core_factory table = nic::make_table_core(s.core);
    links_ = std::make_unique<pcie::link_tree>(
        shared, pool_, *map_, s.fabric,
        [&](node_id id, std::uint32_t, const std::string& name, const pcie::port::spec& line) -> pcie::device_if& {
            pcie::function::spec f;
            f.link = line;
            f.latency = s.fabric.endpoint_latency;
            f.requests.tags = s.fabric.tags;
            f.requests.max_read_request = static_cast<std::uint32_t>(s.fabric.max_read_request.count);
            f.requests.completion_timeout = s.fabric.completion_timeout;
            f.answers.read_completion_boundary = static_cast<std::uint32_t>(s.fabric.read_completion_boundary.count);
            if (id == gpu) {
                gpu_ = std::make_unique<gpu::peer_gpu>(name.c_str(), shared, pool_, f, map_->at(id), s.gpu.values);
                return *gpu_;
            }
            if (id == nic) {
                nic_ = std::make_unique<nic::rdma_nic>(
                    name.c_str(), shared, pool_, f, map_->at(id),
                    nic::rdma_nic::spec{node, s.transmit, s.receive, s.port},
                    nic::rdma_nic::parts{chosen.make_core != nullptr ? *chosen.make_core : table, chosen.make_receive});
                return *nic_;
            }
            host_ = std::make_unique<pcie::function>(name.c_str(), shared, pool_, f, map_->at(id), r.user);
            return *host_;
        });
    memory_ = std::make_unique<pcie::timed_memory>(r.events, *host_, s.reads, std::string(host_->name()) + ".memory",
                                                   r.memory);
    host_->map_fixed(0, *memory_);
    host_->map_fixed(1, interrupts_);
    opening_ = std::make_unique<register_writer>(*host_);
}

void node_tree::attach() {
    nic_->port().attach(0, {true, gpu_->window_of(0),
                            gpu_->registers_of(0) + static_cast<std::uint64_t>(gpu::peer_register::window),
                            gpu_->registers_of(0) + static_cast<std::uint64_t>(gpu::peer_register::refused)});
    nic_->transmit().attach(0, {true, gpu_->registers_of(0), gpu_->aperture_base()});
}

void node_tree::open() {
    opening_->write(gpu_->registers_of(0), gpu::peer_register::answer_base, nic_->answers_base());
    opening_->write(gpu_->registers_of(0), gpu::peer_register::answer_size, nic::peer_reader::window);
    for (const unsigned vector :
         {nic::rdma_nic::sent_vector, nic::rdma_nic::arrived_vector, nic::rdma_nic::invalidated_vector})
        nic_->configure_msi(vector, {interrupt_address, vector});
    gpu_->copies().configure_msi({interrupt_address, rdma_process::copied_vector});
}

bool node_tree::control(core::control_verb verb) {
    const bool done = links_->control(verb);
    if (verb == core::control_verb::reset) {
        memory_->reads().reset();
        opening_->reset();
    }
    return done;
}

void node_tree::report_waits(std::vector<core::wait_edge>& edges) const {
    for (const core::waiter_if* w : links_->waiters()) w->report_waits(edges);
    memory_->reads().report_waits(edges);
}

}  // namespace contraflow::host
