// SPDX-License-Identifier: Apache-2.0
// The look-up of the receive pipeline by firmware: a core, and on its bus the registers of rtl/nic_rx/registers.yaml,
// BUF_LIST and the page tables. An access takes effect when it begins; the core stands until its latency is over.
//
//   pipeline -> look_up()       -> queue -> LOOKUP_HEADER   the core reads, searches BUF_LIST, walks the tables
//            <- looked_up()     <-          LOOKUP_RESULT
//            -> put_message()   -> queue -> MESSAGE
//   NIC      <- take_task()     <-          TASK_SEND
//   driver   -> command()       -> queue -> COMMAND         answered by COMMAND_DONE
//
// An access that the registers don't know ends the run as a crash of the firmware.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_target_socket.h>

#include "core/timer.h"
#include "iss/rv32_core.h"
#include "nic/receive/datapath_factory.h"
#include "nic/receive/nic_rx_registers.h"
#include "nic/receive/receive_lookup_if.h"
#include "nic_levels/nic_core_spec.h"
#include "observe/counter_view.h"

namespace contraflow::nic_levels {

class nic_core final : public sc_core::sc_module, public nic::receive_lookup_if {
public:
    // The core's interface apart from the look-up.
    class client_if {
    public:
        virtual bool take_task(const nic::core_message& m) = 0;  // false: task_ready() follows
        virtual void set_up_ring(unsigned ring, const nic::ring_place& place) = 0;
        virtual const nic::receive_counters& counters() const = 0;
        // There is room for a message again.
        virtual void message_taken() = 0;

    protected:
        ~client_if() = default;
    };
    // A command of the driver; the queue is in the driver's memory. `answered` may be empty.
    struct driver_command {
        std::uint32_t opcode = 0, index = 0;
        std::array<std::uint32_t, nic::nic_rx_registers::command_data_registers> data{};
        std::function<void(std::uint32_t answer)> answered{};
    };

    nic_core(const sc_core::sc_module_name& name, const nic::datapath_place& place, const nic_core_spec& spec,
             const iss::elf_file& program, client_if& around);

    iss::rv32_core& core() { return core_; }
    // Cycles by routine since the first packet.
    std::vector<iss::routine_profile::row> work() const;

    std::uint64_t lookups() const { return count_.lookups; }
    std::uint64_t lookup_time() const { return count_.lookup_time; }  // ps, over all of them

    void command(driver_command c);
    // False: no room; message_taken() follows.
    bool put_message(const nic::core_message& m);
    void task_ready();
    // Nothing waits for the core. (It may still have instructions to run until it waits for an interrupt.)
    bool idle() const { return lookups_.empty() && messages_.empty() && commands_.empty() && !task_waits_; }

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
    bool access_table(bool write, std::uint32_t address, std::uint32_t& word);
    bool load_register(std::uint32_t offset, std::uint32_t& word, bool look_only);
    bool store_register(std::uint32_t offset, std::uint32_t word);
    std::uint32_t counter(unsigned number) const;
    std::uint32_t status() const;
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
    client_if& around_;
    nic::receive_pipeline* pipeline_ = nullptr;

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
    std::vector<iss::routine_profile::row> before_;  // the core's cycles when the first packet came
    core::sim_time head_since_{};
    core::timer<&nic_core::pass> pass_{events_, *this};
    std::deque<waiting_message> messages_;
    progress message_;
    std::uint64_t task_packet_ = 0;
    bool task_waits_ = false;
    nic::core_message task_message_;
    std::deque<driver_command> commands_;
    progress command_;

    std::uint32_t irq_enable_ = 0;
    words4 entries_{};
    words8 task_{};
    std::array<std::uint32_t, 2> ring_base_{}, segment_{};
    std::uint32_t ring_entries_ = 0;

    struct counts {
        std::uint64_t lookups = 0, lookup_time = 0, commands = 0;
    } count_;
    std::deque<observe::counter_view> statistics_;
};

}  // namespace contraflow::nic_levels
