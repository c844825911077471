// SPDX-License-Identifier: Apache-2.0
// An RDMA NIC with queue pairs, as a PCIe function at a node of a network.
//
//   GPU, host == PCIe == function -- send_engine ------ packet_sender: requests --> transport_port == network
//                                 |                <--- responses -----------------
//                                 -- response_engine -- packet_sender: responses ->
//                                                  <--- requests ------------------
//
//   BAR 0, registers of 4 bytes
//     page 0: the driver's
//       00 to 3c  data of a command    40  command: 7:0 opcode, 31:8 index; carried out when it is written
//                 1 set region (region_table.h)    2 open queue pair (queue_pair_spec.h)    3 close queue pair
//       80, 84    address of an entry of a page table    88 to 107  that entry and the following ones
//     page 1 + n: of queue pair n, for the software that uses it
//       00  doorbell: entries written since it was opened    04  nothing
//       08  completions that software has taken since then   0c  nothing
//       10  state (read): 7:0 closed, open, failed   15:8 why (queue_fault)   23:16 status of the entry   31:24 busy
//       14  number of the entry with which it failed (read)  18  entries that have ended (read)
//       1c  completions written (read)
//       40 to 7c  an entry that is also in the ring; its last word rings for it. Words in order: a word that comes when
//                 another one is due is refused, and so are all without pushed_entries
//
// What is invalid is refused, as a completer abort; the function counts refused posted writes.
#pragma once

#include "nic/queue_pair/response_engine.h"
#include "nic/queue_pair/send_engine.h"
#include "nic/receive/table_window.h"
#include "pcie/device/msi.h"
#include "pcie/device/register_region.h"

namespace contraflow::nic {

class queue_pair_nic final : public pcie::device_if,
                             private pcie::register_user_if,
                             private pcie::requester_user_if,
                             private transport_port::user_if,
                             private message_observer_if {
public:
    static constexpr unsigned registers_bar = 0;
    static constexpr std::uint64_t page = 4096;
    static constexpr unsigned failed_vector = 0;  // interrupt: a queue pair has failed
    static constexpr std::uint32_t command_words = 16;
    enum class command : std::uint8_t { set_region = 1, open_queue = 2, close_queue = 3 };
    enum class driver_register : std::uint32_t { command_data = 0, command = 64, tables = 128 };
    enum class queue_register : std::uint32_t {
        doorbell = 0,
        consumed = 8,
        state = 16,
        failed_at = 20,
        retired = 24,
        completions = 28,
        entry = 64
    };
    static pcie::function_spec place(const queue_pair_spec& s);

    struct resources {
        const pcie::port::resources& bus;
        pcie::tlp_pool& tlps;
        net::network_port& network;
        packet_pool& packets;
        std::uint16_t node = 0;
    };
    queue_pair_nic(const sc_core::sc_module_name& name, const resources& r, const pcie::function::spec& f,
                   const pcie::address_map::function& place, const queue_pair_spec& s);

    std::uint64_t register_address(driver_register r) const {
        return function_.place().bars[registers_bar].base + static_cast<std::uint64_t>(r);
    }
    // The page of a queue pair's registers is at the address of its doorbell.
    std::uint64_t register_address(std::uint32_t queue, queue_register r) const {
        return function_.place().bars[registers_bar].base + page * (1 + std::uint64_t{queue}) +
               static_cast<std::uint64_t>(r);
    }
    // The address and data that the NIC writes when a queue pair has failed.
    void configure_msi(const pcie::msi_message& m) { msi_.configure(failed_vector, m); }
    // Is told of the end of each entry; null: nobody is. Before the run.
    void set_observer(message_observer_if* observer) { observer_ = observer; }
    // A slice for each part of each entry's life, on a track for each place in each queue pair's window; null: none.
    void set_trace(observe::trace* trace, std::string name) {
        trace_ = trace;
        track_ = std::move(name);
    }

    const queue_pair_spec& configuration() const { return spec_; }
    const send_engine& sends() const { return sends_; }
    const response_engine& answers() const { return answers_; }
    const transport_port& network() const { return port_; }
    pcie::function& function() { return function_; }
    const pcie::function& function() const { return function_; }
    bool idle() const { return sends_.idle() && answers_.idle() && port_.held() == 0; }

    pcie::port& link() override { return function_.link(); }
    // drain fetches no further entries; packets and requests of other nodes go on. A reset gives back all packets that
    // the NIC holds; call it before that of the network.
    bool control(core::control_verb verb) override;
    void check(observe::conservation& checks) const;
    void report_waits(std::vector<core::wait_edge>& edges) const override;

private:
    std::optional<std::uint32_t> read_register(std::uint64_t offset) override;
    bool write_register(std::uint64_t offset, std::uint32_t value) override;
    bool carry_out(std::uint32_t word);
    bool push(std::uint32_t queue, std::uint64_t offset, std::uint32_t value);
    void finished(pcie::operation&) override {}  // each operation has an owner
    void may_send(net::packet_class kind) override {
        kind == net::packet_class::request ? sends_.may_send() : answers_.may_send();
    }
    void failed() { msi_.raise(failed_vector); }
    // A page has been looked up. Both sides take turns to ask for the next one.
    void may_read() {
        read_turn_ = !read_turn_;
        if (read_turn_) sends_.advance();
        answers_.advance();
        if (!read_turn_) sends_.advance();
    }
    void may_write() {
        write_turn_ = !write_turn_;
        if (write_turn_) sends_.go_on();
        answers_.go_on();
        if (!write_turn_) sends_.go_on();
    }
    void message_ended(const message_end& m) override;

    struct pushed_entry {
        std::array<std::uint8_t, work_entry_bytes> bytes{};
        std::uint32_t queue = 0, filled = 0;  // bytes
    };

    const queue_pair_spec spec_;
    pcie::function function_;
    pcie::msi_sender msi_;
    pcie::register_region registers_;
    table_memory tables_;
    table_window window_;
    region_table regions_;
    translator read_pages_, write_pages_;
    transport_port port_;
    send_engine sends_;
    response_engine answers_;
    std::array<std::uint32_t, command_words> command_{};
    pushed_entry pushed_;  // of the write that is being taken
    bool read_turn_ = false, write_turn_ = false;
    message_observer_if* observer_ = nullptr;
    observe::trace* trace_ = nullptr;
    std::string track_;
};

}  // namespace contraflow::nic
