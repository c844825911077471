// SPDX-License-Identifier: Apache-2.0
// The NIC's core with firmware: a processor, and on its bus the registers of rtl/nic_rx and rtl/nic_tx, BUF_LIST and
// the page tables. It serves the transmit side, and is the look-up of the receive pipeline or leaves that to hardware.
// An access takes effect when it begins; the core stands until its latency is over.
//
//   pipeline -> look_up()       -> queue -> LOOKUP_HEADER   the core reads, searches BUF_LIST, walks the tables
//            <- looked_up()     <-          LOOKUP_RESULT
//   NIC      -> take_message()  -> queue -> MESSAGE
//            <- take_get()      <-          TASK_SEND
//            -> begin()         ->          JOB, READ_..., nic_tx STATUS
//            <- translated(), write_request(), window_started() <- EXTENT_RESULT, READ_REQUEST, WINDOW_START
//   driver   -> command()       -> queue -> COMMAND         answered by COMMAND_DONE
//
// With a datapath that has the registers itself (register_port_if), the bus hands their accesses on, and the core
// stands until the datapath has taken them.
//
// An access that the registers don't know ends the run as a crash of the firmware.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_target_socket.h>

#include "core/timer.h"
#include "iss/rv32_core.h"
#include "nic/receive/nic_rx_registers.h"
#include "nic/receive/receive_lookup_if.h"
#include "nic/transmit/core_if.h"
#include "nic_levels/nic_core_spec.h"
#include "nic_levels/register_port_if.h"
#include "observe/counter_view.h"
#include "observe/waves/wave_sink_if.h"

namespace contraflow::nic_levels {

class firmware_datapath;

class nic_core final : public sc_core::sc_module, public nic::receive_lookup_if, public nic::core_if {
public:
    // A command of the driver; the queue is in the driver's memory. `answered` may be empty.
    struct driver_command {
        std::uint32_t opcode = 0, index = 0;
        std::array<std::uint32_t, nic::nic_rx_registers::command_data_registers> data{};
        std::function<void(std::uint32_t answer)> answered{};
    };

    nic_core(const sc_core::sc_module_name& name, const nic::core_place& place, const nic_core_spec& spec,
             const iss::elf_file& program);

    // Before the run; the look-up's client comes by bind().
    // The receive datapath whose look-up it is.
    void serve(firmware_datapath& around) { around_ = &around; }
    // Or the receive datapath whose registers the core uses. It calls the functions below.
    void serve(register_port_if& port) { port_ = &port; }
    void access_ended(std::uint32_t word, bool known);
    // Its interrupt, and IRQ_STATUS while that is on.
    void show_requests(bool interrupt, std::uint32_t status);
    // A get request that firmware has handed on waits for the transmit side.
    bool task_waits() const { return task_waits_; }
    iss::rv32_core& core() { return core_; }
    const iss::rv32_core& core() const { return core_; }
    // Before the run: routines below `scope`, a bit each, and what waits for the core below `scope`_queues.
    void set_waves(observe::wave_sink_if& waves, const std::string& scope);
    // Cycles by routine from the first packet or message on.
    std::vector<iss::routine_profile::row> work() const;

    std::uint64_t lookups() const { return count_.lookups; }
    std::uint64_t lookup_time() const { return count_.lookup_time; }  // ps, over all of them

    void command(driver_command c);
    // Nothing waits for the core. (It may still have instructions to run until it waits for an interrupt.)
    bool idle() const override {
        return lookups_.empty() && messages_.empty() && commands_.empty() && !message_.begun && !task_waits_ && !work_;
    }

    // nic::core_if
    void connect(nic::core_user_if& user) override { user_ = &user; }
    void begin(const nic::core_task& task) override;
    void cancel_request() override;
    void may_get() override;
    std::uint32_t message_room() const override {
        if (port_ != nullptr) return std::min(spec_.messages, port_->mailbox());
        return spec_.messages - static_cast<std::uint32_t>(messages_.size());
    }
    void take_message(const nic::core_message& m) override;
    bool receives() const override { return pipeline_ != nullptr || port_ != nullptr; }

    // nic::receive_lookup_if
    void bind(nic::receive_pipeline& pipeline) override { pipeline_ = &pipeline; }
    void look_up(const nic::lookup_request& r) override;
    void table_entry(std::uint64_t value) override;
    void set_buffer(unsigned index, const nic::buffer_entry& b) override;
    void invalidate(std::uint64_t root) override;
    void clear() override {}  // firmware keeps no copies
    void reset() override;
    void report_waits(std::vector<core::wait_edge>& edges) const override;

private:
    static constexpr std::uint32_t list_base = 0x5000'0000;
    using words4 = std::array<std::uint32_t, nic::nic_rx_registers::lookup_header_registers>;
    using words8 = std::array<std::uint32_t, nic::nic_rx_registers::message_registers>;
    struct waiting_lookup {
        std::uint64_t packet = 0;
        bool put = false;
        words4 header{};
    };
    struct waiting_message {
        std::uint64_t packet = 0;
        words8 words{};
    };

    core::sim_time edge() const { return nic::next_edge(events_.now(), cycle_); }
    void transport(tlm::tlm_generic_payload& p, sc_core::sc_time& delay);
    unsigned debug_transport(tlm::tlm_generic_payload& p);
    bool access(bool write, std::uint32_t address, std::uint32_t& word, bool look_only);
    // The offset in the datapath's registers, if the datapath has them and the address is there.
    std::optional<std::uint32_t> forwarded(std::uint32_t address) const;
    bool forward(bool write, std::uint32_t offset, std::uint32_t& word);
    bool access_table(bool write, std::uint32_t address, std::uint32_t& word);
    bool load_register(std::uint32_t offset, std::uint32_t& word, bool look_only);
    bool store_register(std::uint32_t offset, std::uint32_t word);
    bool load_transmit(std::uint32_t offset, std::uint32_t& word, bool look_only);
    bool store_transmit(std::uint32_t offset, std::uint32_t word);
    std::uint32_t wanted() const;
    bool answer_extent(std::uint32_t word);
    std::uint32_t counter(unsigned number) const;
    std::uint32_t status() const;
    void end_set_up();
    void show_interrupt();
    bool answer(std::uint32_t word);
    void answered(const nic::lookup_result& r);
    void pass_others();
    void pass();
    void send_task();
    bool set_up_ring(std::uint32_t ring);
    void command_done(std::uint32_t word);

    core::scheduler& events_;
    const std::string path_;
    const nic_core_spec spec_;
    const std::uint32_t rings_;
    const core::sim_time cycle_;  // the datapath's
    nic::table_memory& tables_;
    firmware_datapath* around_ = nullptr;
    register_port_if* port_ = nullptr;
    nic::receive_pipeline* pipeline_ = nullptr;
    nic::core_user_if* user_ = nullptr;
    const std::uint64_t source_tables_;

    tlm_utils::simple_target_socket<nic_core> bus_{"bus"};
    iss::rv32_core core_;

    // A look-up that was under way at a reset of the datapath is still answered; its answer is dropped.
    struct progress {
        bool begun = false, stale = false;
        void reset() { stale = begun; }
        // True: the look-up for the answer no longer exists.
        bool end() {
            begun = false;
            return std::exchange(stale, false);
        }
    };

    std::deque<waiting_lookup> lookups_;
    progress lookup_;
    std::uint64_t answered_ = 0;                     // packets
    std::vector<iss::routine_profile::row> before_;  // the core's cycles before its first packet or message
    core::sim_time head_since_{};
    core::timer<&nic_core::pass> pass_{events_, *this};
    std::deque<waiting_message> messages_;
    progress message_;
    std::uint64_t task_packet_ = 0;
    bool task_waits_ = false;
    nic::core_message task_message_;
    std::deque<driver_command> commands_;
    progress command_;

    std::optional<nic::core_task> work_;  // work of the transmit side
    progress transmit_;
    std::array<std::uint32_t, 2> extent_address_{};
    std::uint32_t extent_length_ = 0, request_low_ = 0;

    // The access that the datapath has not taken, and its answer.
    struct forwarding {
        sc_core::sc_event ended;
        bool under_way = false, known = false;
        std::uint32_t word = 0;
    } forwarding_;
    std::uint32_t requests_ = 0;  // of the datapath, as IRQ_STATUS

    std::uint32_t irq_enable_ = 0;
    words4 entries_{};
    words8 task_{};
    std::array<std::uint32_t, 2> ring_base_{}, segment_{};
    std::uint32_t ring_entries_ = 0;

    struct counts {
        std::uint64_t lookups = 0, lookup_time = 0, commands = 0, extents = 0, requests = 0, windows = 0, gets = 0;
    } count_;
    std::deque<observe::counter_view> statistics_;
    struct {
        observe::wave_sink_if* sink = nullptr;  // null: no waves
        observe::signal_id lookups, mailbox, commands, transmit;
    } waves_;
};

}  // namespace contraflow::nic_levels
