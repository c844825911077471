// SPDX-License-Identifier: Apache-2.0
#include "host/system/host_memory.h"

#include <stdexcept>

#include <fmt/format.h>

namespace contraflow::host {

// Two channels of DDR4-3200 behind a memory controller, at the IOMMU's default distance: assumed. The size is twice
// what the tables of 32 GiB in pages of 4 KiB need.
host_memory::spec::spec() {
    dram.take(memory::dram_kind::ddr4);
    dram.size = {128u << 20};
    dram.channels = 2;
    dram.overhead = core::sim_time::from_ns(60);
    link.latency = link.response_latency = {140};
    link.flit = {32};
}

void host_memory::spec::describe(config::fields<spec>& f) {
    f("dram", &spec::dram).text("the memory itself; its size bounds the page tables");
    f("link", &spec::link).text("what GPUs that walk tables themselves reach it by");
}

host_memory::host_memory(const memory::resources& shared, const spec& s, core::sim_time cycle, unsigned near,
                         unsigned far) {
    if (near + far == 0) {
        bytes_ = std::make_unique<memory::backing_store>(0, s.dram.size);
        return;
    }
    memory::dram_spec d = s.dram;
    d.base = 0;
    d.socket = ~0u;  // belongs to no GPU
    d.ports = near + (far > 0 ? 1 : 0);
    dram_ = std::make_unique<memory::dram>("host_memory", shared, d);
    if (far == 0) return;
    memory::crossbar_spec x = s.link;
    x.cycle = cycle;
    x.inputs = far;
    x.outputs = 1;
    const memory::address_to_port_if& all_of_it = *this;
    link_ = std::make_unique<memory::crossbar>("host_link", shared, x, all_of_it);
    link_->down(0).bind(dram_->up(near));
}

host_memory::~host_memory() = default;

void host_memory::debug_write(std::uint64_t physical, std::span<const std::byte> from) {
    if (!bytes().contains(physical, from.size()))
        throw std::out_of_range(fmt::format("host memory: {} bytes at {:#x}", from.size(), physical));
    bytes().write(physical, reinterpret_cast<const std::uint8_t*>(from.data()), from.size());
}

void host_memory::debug_read(std::uint64_t physical, std::span<std::byte> to) const {
    if (!bytes().contains(physical, to.size()))
        throw std::out_of_range(fmt::format("host memory: {} bytes at {:#x}", to.size(), physical));
    bytes().read(physical, reinterpret_cast<std::uint8_t*>(to.data()), to.size());
}

bool host_memory::control(core::control_verb verb) {
    if (!dram_) return false;
    bool done = dram_->control(verb);
    if (link_) done |= link_->control(verb);
    return done;
}

void host_memory::report_waits(std::vector<core::wait_edge>& edges) const {
    if (link_) link_->report_waits(edges);
    if (dram_) dram_->report_waits(edges);
}

void host_memory::check(observe::conservation& checks) const {
    if (link_) link_->check(checks);
    if (dram_) dram_->check(checks);
}

}  // namespace contraflow::host
