// SPDX-License-Identifier: Apache-2.0
#include "gpu/system/gpu_hardware.h"

#include <algorithm>

#include <fmt/format.h>

#include "gpu/network/pcie_network.h"

namespace contraflow::gpu {

gpu_hardware::gpu_hardware(const memory::resources& shared, const gpu_spec& s, const machine_memory& machine,
                           std::span<cta_sink_if* const> sinks, core::sim_time series_window,
                           const link::lane_set_factory& controllers)
    : shared_(shared),
      map_(machine.map) {
    if (s.sockets > 1 && s.network.in_pcie_tree) {
        auto tree = std::make_unique<pcie_network>("pcie", pcie::port::resources{shared.events, shared.statistics},
                                                   s.network.pcie, map_);
        pcie_ = tree.get();
        network_ = std::move(tree);
    } else if (s.sockets > 1) {
        auto links = std::make_unique<net::network>(
            "",
            link::reversible_link::resources{shared.events, shared.statistics, s.cycle(), series_window, controllers},
            s.network, s.sockets);
        links_ = links.get();
        network_ = std::move(links);
    }
    for (unsigned i = 0; i < s.sockets; ++i)
        sockets_.push_back(std::make_unique<gpu_socket>(fmt::format("gpu{}", map_.first() + i).c_str(), shared, s, i,
                                                        machine, network_.get(), *sinks[i]));
    std::vector<rdma_engine*> engines;
    for (const auto& k : sockets_)
        if (k->rdma() != nullptr) engines.push_back(k->rdma());
    for (rdma_engine* e : engines) e->set_peers(engines);
}

gpu_hardware::~gpu_hardware() = default;

void gpu_hardware::invalidate_copies() {
    for (const auto& k : sockets_) k->invalidate_copies();
}

void gpu_hardware::debug_write(std::uint64_t physical, std::span<const std::byte> from) {
    // A write transaction only reads its data, but the TLM interface takes no const pointer.
    auto* const data = reinterpret_cast<std::uint8_t*>(const_cast<std::byte*>(from.data()));
    sockets_[map_.socket_of(physical)]->debug_access(tlm::TLM_WRITE_COMMAND, physical, data, from.size());
}

void gpu_hardware::debug_read(std::uint64_t physical, std::span<std::byte> to) const {
    sockets_[map_.socket_of(physical)]->debug_access(tlm::TLM_READ_COMMAND, physical,
                                                     reinterpret_cast<std::uint8_t*>(to.data()), to.size());
}

std::uint64_t gpu_hardware::moved() const {
    std::uint64_t sum = network_ ? network_->moved() : 0;
    for (const auto& k : sockets_) {
        for (const auto& u : k->units()) sum += u->instructions() + u->answered();
        for (const auto& a : k->shader_arrays()) sum += a->answered();
    }
    return sum;
}

bool gpu_hardware::computing() const {
    return std::any_of(sockets_.begin(), sockets_.end(), [](const auto& k) {
        return std::any_of(k->units().begin(), k->units().end(), [](const auto& u) { return u->computing(); });
    });
}

std::uint64_t gpu_hardware::outstanding() const {
    std::uint64_t sum = 0;
    for (const auto& k : sockets_) sum += k->outstanding();
    return sum;
}

bool gpu_hardware::idle() const {
    bool rest = !network_ || network_->outstanding() == 0;
    for (const auto& k : sockets_) rest &= k->idle();
    return rest;
}

void gpu_hardware::settle() {
    if (network_) network_->settle();
}

void gpu_hardware::check(observe::conservation& checks) const {
    for (const auto& k : sockets_) k->check(checks);
    if (network_) network_->check(checks);
    checks.check("payloads taken and given back", "payloads", shared_.payloads.taken(),
                 shared_.payloads.taken() - shared_.payloads.in_flight());
}

void gpu_hardware::report_waits(std::vector<core::wait_edge>& edges) const {
    for (const auto& k : sockets_) k->report_waits(edges);
    if (network_) network_->report_waits(edges);
}

bool gpu_hardware::control(core::control_verb verb) {
    bool done = false;
    for (const auto& k : sockets_) done |= k->control(verb);
    if (verb == core::control_verb::reset && network_) network_->control(verb);
    return done;
}

}  // namespace contraflow::gpu
