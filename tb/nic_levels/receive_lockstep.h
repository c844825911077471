// SPDX-License-Identifier: Apache-2.0
// Two levels of the receive datapath with the same packets. The first level acts for the NIC; the second has a dummy
// NIC, which takes and acknowledges everything and empties rings by itself. Actions of a packet are compared as soon as
// both levels have done them; time is not compared. The code that runs the machine checks for the first difference, and
// stops.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/timer.h"
#include "nic/receive/datapath_factory.h"
#include "nic/receive/receive_case.h"

namespace contraflow::nic_levels {

// The first difference of two levels. Empty: there is none.
struct level_difference {
    // Waves show it as this event. With waves the run goes on for so long.
    static constexpr const char* event = "first_difference";
    static constexpr core::sim_time watched_after = core::sim_time::from_us(1);

    bool ended = false;  // the run should stop
    std::string text;    // "packet 3, action 1: firmware {...} at 12.3us, tlm {...} at 5us"
    std::optional<nic::receive_case>
        alone;  // the packet, with the buffers and the entries of its pages as they are then
};

struct named_factory {
    std::string name;
    nic::datapath_factory make;
};

class receive_lockstep final : public nic::receive_datapath_if {
public:
    // `difference` is written once; it may be shared by several datapaths.
    receive_lockstep(const nic::datapath_place& place, const named_factory& first, const named_factory& second,
                     level_difference& difference);

    bool can_receive() override;
    void receive(std::span<const std::uint8_t> words, core::sim_time ago) override;
    void dma_ready() override { first_.datapath->dma_ready(); }
    void acknowledged(std::uint16_t tag) override { first_.datapath->acknowledged(tag); }
    void message_ready() override { first_.datapath->message_ready(); }
    void table_entry(std::uint64_t value) override { first_.datapath->table_entry(value); }
    void set_buffer(unsigned index, const nic::buffer_entry& b) override;
    void set_ring(unsigned ring, const nic::ring_place& place) override;
    void set_consumed(unsigned ring, std::uint32_t count) override { first_.datapath->set_consumed(ring, count); }
    void invalidate(std::uint64_t root) override;

    const nic::receive_counters& counters() const override { return first_.datapath->counters(); }
    void read_counter(unsigned number) override { first_.datapath->read_counter(number); }
    bool idle() const override { return first_.datapath->idle() && second_.datapath->idle(); }
    // Also checks that no action is left that only one level has done, and that counters agree.
    void check(observe::conservation& checks) const override;
    bool control(core::control_verb verb) override;
    void report_waits(std::vector<core::wait_edge>& edges) const override;

private:
    static constexpr core::sim_time table_latency = core::sim_time::from_ns(20);
    static constexpr core::sim_time acknowledge_latency = core::sim_time::from_ns(400);

    struct done_action {
        nic::action what;
        core::sim_time at{};
    };
    // The actions of one level for a packet that the other has not yet done.
    struct lead {
        bool of_first = true;
        unsigned compared = 0;
        std::deque<done_action> actions;
    };
    // The NIC that a level sees.
    class level final : public nic::receive_client_if {
    public:
        level(receive_lockstep& owner, const named_factory& f, const nic::datapath_place& place, bool first);
        bool take_dma(const nic::dma_request& r) override;
        bool take_message(const nic::core_message& m) override;
        void read_table(std::uint64_t address) override;
        void dropped(const nic::packet_drop& d) override;
        void may_receive() override { owner_.level_may_receive(); }
        void invalidated() override { owner_.level_invalidated(); }
        void counter_read(std::uint32_t value) override {
            if (first) owner_.client_.counter_read(value);
        }
        void set_ring(unsigned ring, const nic::ring_place& place);
        void reset();

        const std::string name;
        const bool first;
        std::unique_ptr<nic::receive_datapath_if> datapath;

    private:
        void acknowledge(std::uint32_t tag) { datapath->acknowledged(static_cast<std::uint16_t>(tag)); }
        void empty_ring(std::uint32_t ring) { datapath->set_consumed(ring, ++rings_[ring].consumed); }
        void answer_table() { datapath->table_entry(read_); }
        unsigned ring_at(std::uint64_t address) const;

        struct ring {
            nic::ring_place place;
            std::uint32_t consumed = 0;
        };
        receive_lockstep& owner_;
        core::cancellable_calls<level> calls_;
        std::vector<ring> rings_;
        std::uint64_t read_ = 0;
    };

    void add(const level& by, std::uint64_t packet, nic::action what);
    void drop_before(std::uint64_t packet);
    std::string missing(std::uint64_t packet, const lead& ahead) const;
    void differ(std::uint64_t packet, std::string text);
    void end() { difference_.ended = true; }
    nic::receive_case alone(std::uint64_t packet) const;
    void level_may_receive();
    void level_invalidated();

    core::scheduler& events_;
    nic::receive_client_if& client_;
    nic::table_memory& tables_;
    observe::statistics own_statistics_;  // statistics of the second level
    std::map<std::uint64_t, lead> leads_;
    const nic::position node_;
    const std::uint32_t max_payload_;
    std::map<unsigned, nic::buffer_entry> buffers_;
    std::deque<std::vector<std::uint8_t>> packets_;  // the last ones
    std::uint64_t received_ = 0;
    level_difference& difference_;
    observe::wave_sink_if* const waves_;  // null: none
    core::timer<&receive_lockstep::end> end_{events_, *this};
    unsigned invalidated_ = 0;
    level first_, second_;
};

}  // namespace contraflow::nic_levels
