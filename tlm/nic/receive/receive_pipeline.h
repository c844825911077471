// SPDX-License-Identifier: Apache-2.0
// The receive datapath as a pipeline at one clock, 16 bytes a cycle, whose stages work on different packets. The
// look-up is hardware, or handed to a core.
//
//   words -> input -> check -> look-up -> write -> retire
//            buffer   CRC,     BUF_LIST,  pieces,   completions, messages, drops
//                     header   tables     windows   in the order of packets
//
// README.md in this folder has its time, stage by stage: the specification for RTL.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/scheduler.h"
#include "core/timer.h"
#include "nic/receive/completion_ring.h"
#include "nic/receive/receive_lookup_if.h"
#include "nic/receive/receive_statistics.h"

namespace contraflow::nic {

// The checks on the packet alone, in the order of their numbers. `words` are its words, 258 at most; `count` is the
// number of words that arrived. None: the packet passes.
std::optional<drop_reason> check_packet(std::span<const std::uint8_t> words, std::uint64_t count,
                                        const packet_header& h, const position& node);

class receive_pipeline final : public receive_datapath_if {
public:
    receive_pipeline(const datapath_place& place, std::shared_ptr<receive_lookup_if> lookup);

    bool can_receive() override;
    void receive(std::span<const std::uint8_t> words, core::sim_time ago) override;
    void dma_ready() override;
    void acknowledged(std::uint16_t tag) override;
    void message_ready() override;
    void table_entry(std::uint64_t value) override { lookup_->table_entry(value); }
    void set_buffer(unsigned index, const buffer_entry& b) override { lookup_->set_buffer(index, b); }
    void set_ring(unsigned ring, const ring_place& place) override;
    void set_consumed(unsigned ring, std::uint32_t count) override;
    void invalidate(std::uint64_t root) override;

    const receive_counters& counters() const override { return counters_; }
    void read_counter(unsigned number) override { client_.counter_read(counter_word(counters_, number)); }
    bool idle() const override {
        return retired_ == received_ && tags_in_use() == 0 && !fence_ && !mailbox_ && !error_;
    }
    void check(observe::conservation& checks) const override;
    // pause and drain: takes no packet; packets inside go on. invalidate: empties the TLBs, and moves windows anew.
    bool control(core::control_verb verb) override;
    void report_waits(std::vector<core::wait_edge>& edges) const override;

    // --- called by the look-up
    // The packet will be dropped: its payload is not needed any more. looked_up() follows in order.
    void refused(std::uint64_t number);
    void looked_up(const lookup_result& r);
    void read_table(std::uint64_t address) { client_.read_table(address); }
    // The packets from that number on use no translation that the last invalidate() has dropped.
    void invalidated_from(std::uint64_t number);

private:
    struct packet {
        std::vector<std::uint8_t> words;
        std::uint64_t count = 0;  // words that arrived
        packet_header header;
        std::optional<drop_reason> dropped;
        memory_space space = memory_space::host;
        std::uint8_t ring = 0;
        std::array<page_entry, 2> pages;
        std::uint32_t room = 0;    // words of the packet buffer that it holds
        std::uint32_t offset = 0;  // bytes of payload that have been sent
        std::uint32_t unacknowledged = 0;
        core::sim_time sent{};  // its last beat, or the cycle in which it passed the write stage
        bool put() const { return !dropped && header.kind == static_cast<std::uint8_t>(packet_kind::put); }
        bool message() const { return !dropped && !put(); }
    };
    enum class hold : std::uint8_t { none, channel, tag, in_flight, ring };

    packet& at(std::uint64_t number) { return packets_[number % packets_.size()]; }
    const packet& at(std::uint64_t number) const { return packets_[number % packets_.size()]; }
    core::sim_time edge() const { return next_edge(events_.now(), cycle_); }
    core::sim_time cycles(std::uint64_t n) const { return cycle_ * n; }
    unsigned tags_in_use() const { return static_cast<unsigned>(owners_.size() - free_tags_.size()); }
    void give_room(packet& p, std::uint32_t words);
    void tell_source();

    void input_ended();
    void check_next();
    void kick_dma();
    void dma_step();
    void begin_write(const dma_request& r, std::uint64_t beats);
    bool hand_over();
    void pass(packet& p);
    bool begin_data();
    bool begin_completion();
    core::sim_time may_retire(const packet& p) const { return std::max(p.sent + cycle_, retire_free_); }
    void retire();
    void end_of(packet& p);
    void offer_message();
    void show_error();
    void tell_invalidated();
    void reset();
    void show();

    core::scheduler& events_;
    const std::string path_;
    const receive_spec spec_;
    const position node_;
    const core::sim_time cycle_;
    receive_client_if& client_;

    std::vector<packet> packets_;  // by number, modulo their count
    std::uint64_t received_ = 0, checked_ = 0, translated_ = 0, sent_ = 0, retired_ = 0;
    std::uint32_t free_words_;
    bool source_waits_ = false, paused_ = false;
    core::sim_time input_free_{};
    core::timer<&receive_pipeline::input_ended> input_{events_, *this};
    core::timer<&receive_pipeline::check_next> check_{events_, *this};

    const std::shared_ptr<receive_lookup_if> lookup_;

    std::array<std::optional<page_entry>, most_gpus> windows_;
    std::vector<std::uint16_t> free_tags_;
    std::vector<std::uint64_t> owners_;  // by tag: the packet's number, or `nobody`
    static constexpr std::uint64_t nobody = ~0ull;
    std::vector<std::array<std::uint8_t, completion_record::size>> records_;  // by tag
    std::vector<completion_ring> rings_;
    std::optional<dma_request> writing_;  // has begun; the client takes it with its last beat
    core::sim_time channel_free_{};       // writing_: its last beat
    hold held_ = hold::none;
    core::sim_time held_since_{};
    core::timer<&receive_pipeline::dma_step> dma_{events_, *this};

    core::sim_time retire_free_{};
    core::timer<&receive_pipeline::retire> retire_{events_, *this};
    std::optional<core_message> mailbox_;
    std::optional<packet_drop> error_;
    core::timer<&receive_pipeline::offer_message> message_{events_, *this};
    core::timer<&receive_pipeline::show_error> error_shown_{events_, *this};
    bool message_waits_ = false;
    core::sim_time message_since_{};
    std::optional<std::uint64_t> fence_;  // packets before it may still use invalidated translations

    receive_counters counters_;
    receive_counts count_;
    std::uint64_t held_time_ = 0;
    std::deque<observe::counter_view> statistics_;
    struct {
        observe::wave_sink_if* sink = nullptr;  // null: no waves
        // Packets that have passed each stage, modulo 2^16.
        observe::signal_id received, checked, looked_up, written, retired;
        observe::signal_id input, room, tags;
        observe::signal_id channel, tag, in_flight, ring, core;  // the waits of the pipeline, a bit each
    } waves_;
};

// The datapath whose look-up is hardware too.
std::unique_ptr<receive_datapath_if> make_hardware_datapath(const datapath_place& place);

}  // namespace contraflow::nic
