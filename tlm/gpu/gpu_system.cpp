// SPDX-License-Identifier: Apache-2.0
#include "gpu/gpu_system.h"

#include <stdexcept>

#include <fmt/format.h>

#include "gpu/pcie_network.h"

namespace contraflow::gpu {
namespace {

const gpu_spec& checked(const gpu_spec& s) {
    if (const auto found = problems_of(s); !found.empty()) throw std::invalid_argument(config::first_text(found));
    return s;
}

}  // namespace

gpu_system::gpu_system(core::scheduler& events, observe::statistics& statistics, const gpu_spec& s,
                       core::sim_time series_window, const link::lane_controller_factory& controllers)
    : spec_(checked(s)),
      shared_{events, statistics, payloads_},
      map_(s.sockets, s.dram.size),
      pages_(statistics, "pages", s.pages, map_),
      profile_(statistics, "requests"),
      dispatcher_(events, statistics, "dispatcher", s.dispatcher, s.cycle(), s.sockets),
      memory_(pages_, *this),
      host_(dispatcher_, memory_) {
    if (s.sockets > 1 && s.network.pcie) {
        network_ = std::make_unique<pcie_network>("pcie", pcie::port::resources{events, statistics}, *s.network.pcie,
                                                  s.sockets);
    } else if (s.sockets > 1) {
        auto links = std::make_unique<gpu::network>(
            "", link::reversible_link::resources{events, statistics, s.cycle(), series_window, controllers}, s.network,
            s.sockets);
        links_ = links.get();
        network_ = std::move(links);
    }
    for (unsigned i = 0; i < s.sockets; ++i)
        sockets_.push_back(std::make_unique<gpu_socket>(fmt::format("gpu{}", i).c_str(), shared_, s, i, machine_,
                                                        network_.get(), dispatcher_));
    std::vector<rdma_engine*> engines;
    for (const auto& k : sockets_) {
        for (const auto& u : k->units()) dispatcher_.add_unit(u->configuration().socket, *u);
        if (k->rdma() != nullptr) engines.push_back(k->rdma());
    }
    for (rdma_engine* e : engines) e->set_peers(engines);
    dispatcher_.add_boundary(*this);
}

gpu_system::~gpu_system() = default;

bool gpu_system::kernel_begins(const kernel_launch&) {
    for (const auto& k : sockets_) k->forget_copies();
    if (network_) network_->kernel_launched();
    return true;
}

void gpu_system::debug_write(std::uint64_t physical, std::span<const std::byte> from) {
    // A write of a transaction reads its data; the interface has no const.
    auto* const data = reinterpret_cast<std::uint8_t*>(const_cast<std::byte*>(from.data()));
    sockets_[map_.socket_of(physical)]->debug_access(tlm::TLM_WRITE_COMMAND, physical, data, from.size());
}

void gpu_system::debug_read(std::uint64_t physical, std::span<std::byte> to) const {
    sockets_[map_.socket_of(physical)]->debug_access(tlm::TLM_READ_COMMAND, physical,
                                                     reinterpret_cast<std::uint8_t*>(to.data()), to.size());
}

std::uint64_t gpu_system::moved() const {
    std::uint64_t sum = dispatcher_.ctas_finished() + (network_ ? network_->moved() : 0);
    for (const auto& k : sockets_)
        for (const auto& u : k->units()) sum += u->instructions() + u->answered();
    return sum;
}

std::uint64_t gpu_system::outstanding() const {
    std::uint64_t sum = dispatcher_.idle() ? 0 : 1;
    for (const auto& k : sockets_) sum += k->outstanding();
    return sum;
}

bool gpu_system::at_rest() const {
    bool rest = dispatcher_.idle() && (!network_ || network_->outstanding() == 0);
    for (const auto& k : sockets_) rest &= k->at_rest();
    return rest;
}

void gpu_system::settle() {
    if (network_) network_->settle();
}

void gpu_system::check(observe::conservation& checks) const {
    dispatcher_.check(checks);
    profile_.check(checks);
    for (const auto& k : sockets_) k->check(checks);
    if (network_) network_->check(checks);
    checks.check("payloads taken and given back", "payloads", payloads_.taken(),
                 payloads_.taken() - payloads_.in_flight());
}

void gpu_system::report_waits(std::vector<core::wait_edge>& edges) const {
    dispatcher_.report_waits(edges);
    for (const auto& k : sockets_) k->report_waits(edges);
    if (network_) network_->report_waits(edges);
}

bool gpu_system::control(core::control_verb verb) {
    bool done = false;
    for (const auto& k : sockets_) done |= k->control(verb);
    if (verb != core::control_verb::reset) return done;
    if (network_) network_->control(verb);
    dispatcher_.reset(std::make_exception_ptr(std::runtime_error("the GPU was reset")));
    return true;
}

}  // namespace contraflow::gpu
