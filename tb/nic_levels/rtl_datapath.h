// SPDX-License-Identifier: Apache-2.0
// The receive datapath as RTL: rtl/nic_rx, Verilated, clocked on the scheduler. What the datapath is told at a time is
// sampled at that edge, and what its ports show in a cycle happens when the cycle begins.
//
//   receive()       -> in_*       a word a cycle          dma_*     -> take_dma(), with the write's last beat
//   acknowledged()  -> ack_*      one a cycle             table_*   -> read_table()
//   set_buffer() .. -> command_*  in order, one at a time message_* -> take_message()    error_* -> dropped()
//   nic_core        -> p* (APB)   the core's accesses     irq_o     -> nic_core          task_*  -> take_message()
//
// With a core, misses of the TLBs, commands of the driver and get requests are the core's (`by_core_i`), which serves
// them by the block's registers. A packet that comes behind a command waits until the core has carried it out.
//
// Cycles that change nothing are skipped: the clock stops while the block is quiet (`quiet_o`), until an input comes. A
// packet that is handed over after its last word has arrived (receive() with
// `ago`) enters in those skipped cycles, as it would have. Cycles in which only words enter and beats are taken are
// clocked together.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/tree/problem.h"
#include "core/timer.h"
#include "nic/receive/receive_statistics.h"
#include "nic_levels/register_port_if.h"
#include "nic_rx/nic_rx_block.h"
#include "nic_rx/rx_recording.h"

namespace contraflow::nic_levels {

inline constexpr unsigned rtl_rings = 16;  // of completions, at most

// The sizes that no built RTL has, if any. It is built for the default sizes; clock and max_payload are free, and fewer
// rings may be used.
std::optional<config::problem> rtl_problem_of(const nic::receive_spec& s);

class nic_core;

using rtl_factory = std::function<std::unique_ptr<nic_rx::nic_rx_block>()>;

// What datapaths were given, for waves after the run.
using rtl_recordings = std::vector<std::shared_ptr<nic_rx::rx_recording>>;

class rtl_datapath final : public nic::receive_datapath_if, private register_port_if {
public:
    // Sizes that it cannot have are a std::invalid_argument. The core serves its misses; null: its walker does. If
    // waves are wanted, it is recorded; null: only its ports are shown.
    explicit rtl_datapath(const nic::datapath_place& place, std::shared_ptr<nic_core> core = nullptr,
                          rtl_recordings* recordings = nullptr);
    // Another block with the same ports and sizes.
    rtl_datapath(const nic::datapath_place& place, const rtl_factory& make, std::shared_ptr<nic_core> core = nullptr,
                 rtl_recordings* recordings = nullptr);

    bool can_receive() override;
    void receive(std::span<const std::uint8_t> words, core::sim_time ago) override;
    void dma_ready() override;
    void acknowledged(std::uint16_t tag) override;
    void message_ready() override;
    void table_entry(std::uint64_t value) override;
    void set_buffer(unsigned index, const nic::buffer_entry& b) override;
    void set_ring(unsigned ring, const nic::ring_place& place) override;
    void set_consumed(unsigned ring, std::uint32_t count) override;
    void invalidate(std::uint64_t root) override;

    const nic::receive_counters& counters() const override;
    void read_counter(unsigned number) override;
    bool idle() const override;
    void check(observe::conservation& checks) const override;
    // A reset is the soft reset of the RTL, for which the writes and the read that the NIC has forgotten are answered.
    bool control(core::control_verb verb) override;
    void report_waits(std::vector<core::wait_edge>& edges) const override;

    std::uint64_t clocked() const { return clocked_; }  // cycles that were not skipped

private:
    struct driver_command {
        std::uint8_t opcode = 0;
        std::uint16_t index = 0;
        std::array<std::uint32_t, 8> data{};
    };

    // register_port_if
    void begin_access(const register_access& a) override;
    std::optional<std::uint32_t> look(std::uint32_t offset) const override;
    void set_transmit_interrupt(bool on) override;
    std::uint64_t table_segment() const override { return out().table_segment; }
    std::uint32_t mailbox() const override { return mailbox_; }

    const nic_rx::outputs& out() const { return block_->out(); }
    core::sim_time edge() const;
    std::int64_t cycle_of(core::sim_time t) const { return static_cast<std::int64_t>(t.ps / cycle_.ps); }
    void start(const driver_command& c);
    void wake();
    void step();
    void begin_cycle();
    void end_cycle();
    void set_late_inputs();
    void offer_word();
    void offer_command();
    void offer_access();
    void take_write();
    void take_message();
    void note_access();
    void take_task();
    void tell_core();
    void take_error();
    void take_read();
    void call_for_packet();
    void command_done(std::uint32_t answer);
    bool changes_nothing();
    void catch_up();
    void pass_to(std::int64_t cycle);
    bool stream(std::int64_t cycles);
    void check_silence() const;
    nic_rx::inputs expected() const;
    void set_word(nic_rx::word_inputs& in, std::size_t word) const;
    unsigned silent_cycles() const;
    std::size_t beats_left() const;
    std::uint64_t number_of(std::uint16_t shown) const;
    bool source_may_begin() const {
        return !paused_ && packet_.empty() && !null_ && out().in_ready && (core_ == nullptr || commands_.empty());
    }
    void reset();
    void clear();
    void show();
    void record(std::int64_t cycle);

    core::scheduler& events_;
    const std::string path_;
    const core::sim_time cycle_;
    const std::size_t max_payload_;
    nic::receive_client_if& client_;
    const std::unique_ptr<nic_rx::nic_rx_block> block_;
    const std::shared_ptr<nic_core> core_;                  // null: none
    const std::shared_ptr<nic_rx::rx_recording> recorded_;  // null: it is not

    // The clock. `shown_` is the cycle whose outputs the block shows.
    core::timer<&rtl_datapath::step> step_{events_, *this};
    std::int64_t shown_ = 0;
    bool stopped_ = true, catches_up_ = false;

    // Inputs
    nic_rx::inputs in_;
    bool paused_ = false, source_waits_ = false;
    std::vector<std::uint8_t> packet_;  // that comes in
    bool null_ = false;                 // it has no word
    std::size_t word_ = 0;
    std::deque<std::uint16_t> acknowledged_;
    std::optional<std::uint64_t> entry_;
    std::deque<std::pair<unsigned, std::uint32_t>> consumed_;
    std::deque<driver_command> commands_;
    bool command_seen_ = false;  // an edge has seen the first one, and did not end it

    // The core
    const std::uint32_t mailbox_;
    std::optional<register_access> access_;
    std::uint64_t task_packet_ = 0;
    bool message_taken_ = false;  // by the core, which has not handed it on

    // Outputs
    std::vector<std::vector<std::uint8_t>> bytes_;  // of writes, by tag
    std::vector<std::uint16_t> unacknowledged_;     // tags
    std::vector<std::int64_t> taken_;               // cycles of the last beats, by tag
    bool write_held_ = false, message_held_ = false, reading_ = false;
    core::sim_time write_since_{}, message_since_{}, read_since_{}, acknowledged_since_{};
    std::vector<nic::packet_header> headers_;  // as they came, by number modulo their count

    std::uint64_t received_ = 0, clocked_ = 0;
    mutable nic::receive_counters counters_;
    nic::receive_counts count_;
    std::deque<observe::counter_view> statistics_;
    struct {
        observe::wave_sink_if* sink = nullptr;  // null: no waves
        observe::signal_id in_valid, in_ready, dma_valid, dma_ready, dma_kind, dma_tag, unacknowledged, table_valid,
            reading, message_valid, error_valid, command_valid, idle;
        observe::signal_id irq, bus_access, bus_write, bus_offset, task_valid;  // with a core
    } waves_;
};

}  // namespace contraflow::nic_levels
