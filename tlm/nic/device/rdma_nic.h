// SPDX-License-Identifier: Apache-2.0
// The NIC as a PCIe function: BAR 0 with registers, BAR 1 with the window in which GPUs answer, MSI, and a requester
// for the host's memory and the GPUs' mailboxes. Around it are the channels of the torus.
//
//   host, GPU == PCIe == function -- transmit_engine -> channels -> torus
//                                 |       core
//                                 -- receive_port, receive_datapath_if <- channel <- torus
//
//   register, 4 bytes   0 ring, low   4 ring, high   8 entries: a power of two, opens the ring   c completions, low
//                       10 completions, high   14 doorbell: descriptors written since then   18 completed (read)
//                       1c answers that no read waited for (read)   20 to 3c data of a command
//                       40 a command (docs/reference/nic_rx_registers.md), carried out when it is written
//                       44 completions that the host has read of ring 0
//                       48 counters that were read, 4c the last of them (read)
//                       80, 84 address of an entry of a page table   88 to 107 that entry and the following ones
//
// An invalid command or table address is refused, as a completer abort.
#pragma once

#include "nic/device/receive_port.h"
#include "nic/receive/datapath_factory.h"
#include "nic/receive/nic_rx_registers.h"
#include "nic/receive/table_window.h"
#include "nic/transmit/transmit_engine.h"
#include "pcie/device/msi.h"
#include "pcie/device/register_region.h"

namespace contraflow::nic {

enum class nic_register : std::uint32_t {
    ring_low = 0,
    ring_high = 4,
    ring_entries = 8,
    completions_low = 12,
    completions_high = 16,
    doorbell = 20,
    completed = 24,
    unexpected = 28,
    command_data = 32,
    command = 64,
    consumed = 68,
    counters_read = 72,
    counter = 76,
    table_low = 128,
    table_high = 132,
    table_entries = 136
};

class rdma_nic final : public pcie::device_if,
                       private receive_user_if,
                       private pcie::register_user_if,
                       private pcie::requester_user_if {
public:
    static constexpr unsigned registers_bar = 0, answers_bar = 1;
    static constexpr std::uint32_t most_entries = 65536;  // entries of a ring
    // Interrupts: a completion of the transmit side, a completion of the receive side, and the end of an invalidation.
    // Nothing is read or written through an invalidated translation after the interrupt.
    static constexpr unsigned sent_vector = 0, arrived_vector = 1, invalidated_vector = 2;
    static pcie::function_spec place();

    struct spec {
        position node;
        transmit_spec transmit;
        receive_spec receive;
        receive_port::spec port;
    };
    // The chosen parts: firmware or a stand-in for the core, a level of the receive datapath.
    struct parts {
        const core_factory& make_core;
        const datapath_factory& make_receive;
    };
    rdma_nic(const sc_core::sc_module_name& name, const pcie::port::resources& shared, pcie::tlp_pool& pool,
             const pcie::function::spec& f, const pcie::address_map::function& place, const spec& s,
             const parts& chosen);

    transmit_engine& transmit() { return transmit_; }
    const transmit_engine& transmit() const { return transmit_; }
    core_if& core() { return *core_; }
    const core_if& core() const { return *core_; }
    // Entry `index` of BUF_LIST, for both sides.
    void set_buffer(unsigned index, const buffer_entry& b);
    // The driver has set up this GPU again after a reset of its engines: it is read again, and its window is moved
    // anew.
    void recover(unsigned gpu) {
        transmit_.recover(gpu);
        datapath_->control(core::control_verb::invalidate);
    }
    receive_datapath_if& receive() { return *datapath_; }
    const receive_datapath_if& receive() const { return *datapath_; }
    receive_port& port() { return port_; }
    table_memory& tables() { return tables_; }
    const std::vector<packet_drop>& drops() const { return drops_; }  // only the first ones are kept
    void check(observe::conservation& checks) const;
    pcie::function& function() { return function_; }
    // The address and data that the NIC writes to raise that interrupt.
    void configure_msi(unsigned vector, const pcie::msi_message& m) { msi_.configure(vector, m); }
    std::uint64_t register_address(nic_register r) const {
        return function_.place().bars[registers_bar].base + static_cast<std::uint64_t>(r);
    }
    std::uint64_t answers_base() const { return function_.place().bars[answers_bar].base; }

    pcie::port& link() override { return function_.link(); }
    bool control(core::control_verb verb) override;
    void report_waits(std::vector<core::wait_edge>& edges) const override;

private:
    static constexpr std::size_t drops_kept = 16;

    void message_completed() { msi_.raise(sent_vector); }
    void core_has_room() { port_.message_room(); }
    // receive_user_if
    std::uint32_t message_room() const override { return core_->message_room(); }
    bool take_message(const core_message& m) override {
        core_->take_message(m);
        return true;
    }
    void dropped(const packet_drop& d) override {
        if (drops_.size() < drops_kept) drops_.push_back(d);
    }
    // Both sides have ended what they do with translations that are removed.
    void invalidated() override { end_invalidation(); }
    void reads_ended() { end_invalidation(); }
    void end_invalidation() {
        if (--invalidating_ == 0) msi_.raise(invalidated_vector);
    }
    void counter_read(std::uint32_t value) override {
        counter_ = value;
        ++counters_read_;
    }
    void completion_written() override { msi_.raise(arrived_vector); }
    bool carry_out(std::uint32_t command);
    std::optional<std::uint32_t> read_register(std::uint64_t offset) override;
    bool write_register(std::uint64_t offset, std::uint32_t value) override;
    // Unused: each operation has an owner.
    void finished(pcie::operation&) override {}

    const spec spec_;
    pcie::function function_;
    pcie::msi_sender msi_;
    pcie::register_region registers_;
    table_memory tables_;
    table_window window_;
    const std::shared_ptr<core_if> core_;
    transmit_engine transmit_;
    descriptor_ring::place ring_;
    receive_port port_;
    std::unique_ptr<receive_datapath_if> datapath_;
    std::array<std::uint32_t, nic_rx_registers::command_data_registers> command_{};
    unsigned invalidating_ = 0;  // sides that have not ended
    std::uint32_t counters_read_ = 0, counter_ = 0;
    std::vector<packet_drop> drops_;
};

}  // namespace contraflow::nic
