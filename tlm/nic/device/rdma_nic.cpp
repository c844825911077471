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
      tables_(s.receive.buffers),
      window_(tables_),
      core_(chosen.make_core({shared.events, std::string(function_.name()) + ".core", spec_.receive, tables_,
                              s.transmit.reading == gpu_reading::bar1, shared.statistics})),
      transmit_(shared.events, shared.statistics, function_, s.transmit, s.node, *core_,
                {core::callback::to<&rdma_nic::message_completed>(*this),
                 core::callback::to<&rdma_nic::core_has_room>(*this),
                 core::callback::to<&rdma_nic::reads_ended>(*this)},
                std::string(function_.name()) + ".transmit"),
      port_(shared.events, shared.statistics, function_, tables_, s.port, *this,
            std::string(function_.name()) + ".receive.dma"),
      datapath_(chosen.make_receive({shared.events, std::string(function_.name()) + ".receive", spec_.receive, s.node,
                                     port_, tables_, shared.statistics, nullptr, core_})) {
    port_.connect(*datapath_);
    function_.map_bar(registers_bar, registers_);
    function_.map_bar(answers_bar, transmit_.reader());
}

std::optional<std::uint32_t> rdma_nic::read_register(std::uint64_t offset) {
    switch (static_cast<nic_register>(offset)) {
    case nic_register::completed: return transmit_.ring().completions();
    case nic_register::unexpected: return static_cast<std::uint32_t>(transmit_.reader().unexpected());
    case nic_register::counters_read: return counters_read_;
    case nic_register::counter: return counter_;
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
    case nic_register::command: return carry_out(value);
    case nic_register::consumed: datapath_->set_consumed(0, value); return true;
    default: break;
    }
    const auto in = [&](nic_register first, std::uint32_t words) {
        return offset >= static_cast<std::uint64_t>(first) && offset < static_cast<std::uint64_t>(first) + 4 * words;
    };
    if (in(nic_register::command_data, nic_rx_registers::command_data_registers)) {
        command_[(offset - static_cast<std::uint64_t>(nic_register::command_data)) / 4] = value;
        return true;
    }
    if (offset < static_cast<std::uint64_t>(nic_register::table_low)) return false;
    return window_.write(offset - static_cast<std::uint64_t>(nic_register::table_low), value);
}

bool rdma_nic::carry_out(std::uint32_t command) {
    namespace regs = nic_rx_registers;
    const std::uint32_t index = regs::command_index.of(command);
    const std::uint64_t first = command_[0] | std::uint64_t{command_[1]} << 32;
    switch (regs::command_opcode.of(command)) {
    case regs::command_opcode_set_buffer:
        if (index >= spec_.receive.buffers || !valid(command_, spec_.receive.rings)) return false;
        set_buffer(index, decode(command_));
        return true;
    case regs::command_opcode_set_ring:
        if (index >= spec_.receive.rings) return false;
        datapath_->set_ring(index, {first, command_[2]});
        return true;
    case regs::command_opcode_invalidate:
        if (invalidating_ != 0) return false;
        invalidating_ = 2;
        datapath_->invalidate(first);
        transmit_.invalidate();
        return true;
    case regs::command_opcode_read_counter:
        if (index >= regs::counter_registers) return false;
        datapath_->read_counter(index);
        return true;
    default: return false;
    }
}

bool rdma_nic::control(core::control_verb verb) {
    const bool done = function_.control(verb);
    if (verb == core::control_verb::reset) {
        msi_.reset();
        transmit_.reset();
        datapath_->control(verb);
        if (!core_->receives()) core_->reset();
        port_.reset();
        ring_ = {};
        command_ = {};
        window_.reset();
        invalidating_ = 0;
        counters_read_ = counter_ = 0;
    }
    return done;
}

void rdma_nic::set_buffer(unsigned index, const buffer_entry& b) {
    datapath_->set_buffer(index, b);
    if (!core_->receives()) core_->set_buffer(index, b);
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
    if (!core_->receives()) core_->report_waits(edges);
}

}  // namespace contraflow::nic
