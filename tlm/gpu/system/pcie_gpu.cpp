// SPDX-License-Identifier: Apache-2.0
#include "gpu/system/pcie_gpu.h"

namespace contraflow::gpu {

namespace {

constexpr unsigned ppb_client = 1;  // the host has the first port

}  // namespace

pcie_gpu::pcie_gpu(const sc_core::sc_module_name& name, const pcie::port::resources& shared, pcie::tlp_pool& packets,
                   const pcie::function::spec& f, const pcie::address_map::function& place, const pcie_gpu_spec& s)
    : sc_core::sc_module(name),
      spec_(config::buildable(s)),
      function_("pcie", shared, packets, f, place, *this),
      system_(shared.events, shared.statistics, s.machine(), core::sim_time::from_us(5), {},
              std::string(this->name()) + "."),
      ppb_("ppb", system_.resources(), s.path_block()),
      io_("io", system_.resources(), s.io) {
    ppb_.connect(system_.socket(0).client_port(ppb_, ppb_client));
    ppb_.connect(function_);
    system_.socket(0).io_port().bind(io_.in);
    io_.connect(function_, &ppb_);
    system_.set_path_block(ppb_);
}

pcie_gpu::~pcie_gpu() = default;

std::uint64_t pcie_gpu::bus_address(std::uint64_t virtual_address) {
    return function_.place().bars[path_block::memory_bar].base +
           system_.map().offset_of(system_.pages().translate(virtual_address, 0));
}

// Drain acts on the units alone, because the other parts must finish what comes.
bool pcie_gpu::control(core::control_verb verb) {
    bool done = system_.control(verb);
    if (verb == core::control_verb::drain) return done;
    if (verb == core::control_verb::reset || verb == core::control_verb::pause || verb == core::control_verb::enable) {
        io_.control(verb);
        function_.control(verb);
    }
    return ppb_.control(verb) || done;
}

void pcie_gpu::report_waits(std::vector<core::wait_edge>& edges) const {
    system_.report_waits(edges);
    ppb_.report_waits(edges);
    io_.report_waits(edges);
    function_.report_waits(edges);
}

void pcie_gpu::check(observe::conservation& checks) const {
    system_.check(checks);
    ppb_.check(checks);
    io_.check(checks);
}

}  // namespace contraflow::gpu
