// SPDX-License-Identifier: Apache-2.0
#include "nic/device/rdma_nic.h"

#include <bit>

namespace contraflow::nic {
namespace {

void set_low(std::uint64_t& word, std::uint32_t value) { word = (word & ~0xffff'ffffull) | value; }
void set_high(std::uint64_t& word, std::uint32_t value) { word = (word & 0xffff'ffffull) | std::uint64_t{value} << 32; }

}  // namespace

// Both have side effects, so no bridge may prefetch there: they are below 4 GiB.
pcie::function_spec rdma_nic::place() {
    pcie::function_spec s;
    s.bars = {{{4096}, false, "registers"}, {{peer_reader::window}, false, "answers of GPUs"}};
    return s;
}

rdma_nic::rdma_nic(const sc_core::sc_module_name& name, const pcie::port::resources& shared, pcie::tlp_pool& pool,
                   const pcie::function::spec& f, const pcie::address_map::function& place, const spec& s,
                   const parts& chosen)
    : spec_(s),
      function_(name, shared, pool, f, place, *this),
      msi_(function_),
      registers_(*this),
      transmit_(shared.events, shared.statistics, function_, s.transmit, s.node, chosen.core, *this,
                std::string(function_.name()) + ".transmit"),
      tables_(s.receive.buffers),
      port_(shared.events, shared.statistics, function_, tables_, s.port, *this,
            std::string(function_.name()) + ".receive.dma"),
      datapath_(chosen.make_receive({shared.events, std::string(function_.name()) + ".receive", spec_.receive, s.node,
                                     port_, tables_, shared.statistics})) {
    port_.connect(*datapath_);
    function_.map_bar(registers_bar, registers_);
    function_.map_bar(answers_bar, transmit_.reader());
}

std::optional<std::uint32_t> rdma_nic::read_register(std::uint64_t offset) {
    switch (static_cast<nic_register>(offset)) {
    case nic_register::completed: return transmit_.ring().completions();
    case nic_register::unexpected: return static_cast<std::uint32_t>(transmit_.reader().unexpected());
    default: return std::nullopt;
    }
}

bool rdma_nic::write_register(std::uint64_t offset, std::uint32_t value) {
    switch (static_cast<nic_register>(offset)) {
    case nic_register::ring_low: set_low(ring_.descriptors, value); return true;
    case nic_register::ring_high: set_high(ring_.descriptors, value); return true;
    case nic_register::completions_low: set_low(ring_.completions, value); return true;
    case nic_register::completions_high: set_high(ring_.completions, value); return true;
    case nic_register::ring_entries:
        if (!std::has_single_bit(value) || value > most_entries || !transmit_.idle()) return false;
        ring_.entries = value;
        transmit_.ring().set_place(ring_);
        return true;
    case nic_register::doorbell: return transmit_.ring().ring(value);
    default: return false;
    }
}

bool rdma_nic::control(core::control_verb verb) {
    const bool done = function_.control(verb);
    if (verb == core::control_verb::reset) {
        msi_.reset();
        transmit_.reset();
        datapath_->control(verb);
        port_.reset();
        ring_ = {};
    }
    return done;
}

void rdma_nic::check(observe::conservation& checks) const {
    transmit_.check(checks);
    datapath_->check(checks);
}

void rdma_nic::report_waits(std::vector<core::wait_edge>& edges) const {
    function_.report_waits(edges);
    transmit_.report_waits(edges);
    port_.report_waits(edges);
    datapath_->report_waits(edges);
}

}  // namespace contraflow::nic
