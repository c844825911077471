// SPDX-License-Identifier: Apache-2.0
// The NIC as a PCIe function: BAR 0 with registers, BAR 1 with the window for GPUs' answers, MSI, and a requester for
// the host's memory and the GPUs' mailboxes. A core and the channels of the torus are outside.
//
//   host, GPU == PCIe == function -- transmit_engine -> channel -> torus
//                                 -- receive_port, receive_datapath_if <- channel <- torus
//
//   register, 4 bytes   0 ring, low   4 ring, high   8 entries: a power of two, opens the ring   c completions, low
//                       10 completions, high   14 doorbell: descriptors written since then   18 completed (read)
//                       1c answers that nothing waited for (read)
#pragma once

#include "nic/device/receive_port.h"
#include "nic/receive/datapath_factory.h"
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
    unexpected = 28
};

class rdma_nic final : public pcie::device_if,
                       private transmit_engine::user_if,
                       private receive_user_if,
                       private pcie::register_user_if,
                       private pcie::requester_user_if {
public:
    static constexpr unsigned registers_bar = 0, answers_bar = 1;
    static constexpr std::uint32_t most_entries = 65536;  // per ring
    static pcie::function_spec place();

    struct spec {
        position node;
        transmit_spec transmit;
        receive_spec receive;
        receive_port::spec port;
    };
    // The chosen parts: firmware or a stand-in for the core, a level of the receive datapath.
    struct parts {
        transmit_core_if& core;
        const datapath_factory& make_receive;
    };
    // The receive side's calls to the core and the driver; without a user, get requests are dropped.
    class software_if {
    public:
        // A get request. False: no room now; port().message_room() tries again.
        virtual bool take_message(const core_message& m) = 0;
        // Ends receive().invalidate().
        virtual void invalidated() {}

    protected:
        ~software_if() = default;
    };
    rdma_nic(const sc_core::sc_module_name& name, const pcie::port::resources& shared, pcie::tlp_pool& pool,
             const pcie::function::spec& f, const pcie::address_map::function& place, const spec& s,
             const parts& chosen);

    transmit_engine& transmit() { return transmit_; }
    const transmit_engine& transmit() const { return transmit_; }
    receive_datapath_if& receive() { return *datapath_; }
    const receive_datapath_if& receive() const { return *datapath_; }
    receive_port& port() { return port_; }
    table_memory& tables() { return tables_; }
    void set_software(software_if& software) { software_ = &software; }
    const std::vector<packet_drop>& drops() const { return drops_; }  // the first drops
    void check(observe::conservation& checks) const;
    pcie::function& function() { return function_; }
    // Software writes it into the table of interrupts. Vector 0: completions of the transmit side, 1:
    // of the receive side.
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

    void message_completed() override { msi_.raise(0); }
    // receive_user_if
    bool take_message(const core_message& m) override { return software_ == nullptr || software_->take_message(m); }
    void dropped(const packet_drop& d) override {
        if (drops_.size() < drops_kept) drops_.push_back(d);
    }
    void invalidated() override {
        if (software_ != nullptr) software_->invalidated();
    }
    void completion_written() override { msi_.raise(1); }
    std::optional<std::uint32_t> read_register(std::uint64_t offset) override;
    bool write_register(std::uint64_t offset, std::uint32_t value) override;
    // Unused: each operation has an owner.
    void fetch(pcie::operation&, std::uint64_t, std::uint8_t*, std::uint32_t) override {}
    void store(pcie::operation&, std::uint64_t, const std::uint8_t*, std::uint32_t, const pcie::tlp&) override {}
    void finished(pcie::operation&) override {}

    const spec spec_;
    pcie::function function_;
    pcie::msi_sender msi_;
    pcie::register_region registers_;
    transmit_engine transmit_;
    descriptor_ring::place ring_;
    table_memory tables_;
    receive_port port_;
    std::unique_ptr<receive_datapath_if> datapath_;
    software_if* software_ = nullptr;
    std::vector<packet_drop> drops_;
};

}  // namespace contraflow::nic
