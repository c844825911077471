// SPDX-License-Identifier: Apache-2.0
#include "host/cluster/node_tree.h"

#include "nic/transmit/table_core.h"

namespace contraflow::host {

node_tree::node_tree(const rdma_node_spec& s, const nic::position& node, const resources& r, const parts& chosen)
    : tree_(
          s, s.fabric, r,
          {gpu::peer_gpu::place_of(s.gpu.values),
           [&](const host_tree::site& at) {
               auto made = std::make_unique<gpu::peer_gpu>(at.name.c_str(), at.bus, at.packets, at.function, at.place,
                                                           s.gpu.values);
               gpu_ = made.get();
               return made;
           }},
          {nic::rdma_nic::place(),
           [&](const host_tree::site& at) {
               const nic::core_factory table = nic::make_table_core(s.core);
               auto made = std::make_unique<nic::rdma_nic>(
                   at.name.c_str(), at.bus, at.packets, at.function, at.place,
                   nic::rdma_nic::spec{node, s.transmit, s.receive, s.port},
                   nic::rdma_nic::parts{chosen.make_core != nullptr ? *chosen.make_core : table, chosen.make_receive});
               nic_ = made.get();
               return made;
           }}),
      opening_(tree_.host()) {}

void node_tree::attach() {
    nic_->port().attach(0, {true, gpu_->window_of(0),
                            gpu_->registers_of(0) + static_cast<std::uint64_t>(gpu::peer_register::window),
                            gpu_->registers_of(0) + static_cast<std::uint64_t>(gpu::peer_register::refused)});
    nic_->transmit().attach(0, {true, gpu_->registers_of(0), gpu_->aperture_base()});
}

void node_tree::open() {
    opening_.write(gpu_->registers_of(0), gpu::peer_register::answer_base, nic_->answers_base());
    opening_.write(gpu_->registers_of(0), gpu::peer_register::answer_size, nic::peer_reader::window);
    for (const unsigned vector :
         {nic::rdma_nic::sent_vector, nic::rdma_nic::arrived_vector, nic::rdma_nic::invalidated_vector})
        nic_->configure_msi(vector, {interrupt_address, vector});
    gpu_->copies().configure_msi({interrupt_address, rdma_process::copied_vector});
}

bool node_tree::control(core::control_verb verb) {
    const bool done = tree_.control(verb);
    if (verb == core::control_verb::reset) opening_.reset();
    return done;
}

}  // namespace contraflow::host
