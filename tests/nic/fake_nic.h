// SPDX-License-Identifier: Apache-2.0
// A NIC around a receive datapath that refuses, delays and reorders as the test says, and notes the times of arrivals.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/simulation.h"
#include "core/timer.h"
#include "nic/receive/receive_replay.h"

namespace contraflow::testing {

class fake_nic final : public nic::receive_client_if {
public:
    struct behaviour {
        core::sim_time table_latency = core::sim_time::from_ns(10);
        core::sim_time acknowledge_latency = core::sim_time::from_ns(100);
        std::uint64_t seed = 0;        // not 0: refuses, delays and acknowledges at random
        unsigned refuse_dma = 0;       // one of this number of writes is refused
        unsigned refuse_messages = 0;  // the same for messages
        std::uint32_t ring_entries = 4096;
        bool empty_rings = true;  // completions are read at once
    };
    struct noted {
        std::uint64_t packet = 0;
        core::sim_time at{};
        nic::action what;
    };

    fake_nic(nic::receive_case c, nic::receive_spec s, const nic::datapath_factory& make, const behaviour& b)
        : given(std::move(c)),
          tables(s.buffers),
          behaviour_(b),
          random_(b.seed) {
        s.max_payload = given.max_payload;
        for (const auto& [address, value] : given.tables) tables.set_entry(address, value);
        datapath = make({sim.events(), "nic.receive", s, given.node, *this, tables, statistics_});
        for (const auto& [index, entry] : given.buffers) datapath->set_buffer(index, entry);
        for (unsigned ring = 0; ring < s.rings; ++ring)
            datapath->set_ring(ring, {std::uint64_t{ring + 1} << 32, b.ring_entries});
        consumed.resize(s.rings);
    }

    void feed() {
        while (next < given.packets.size() && datapath->can_receive()) {
            received_at.push_back(sim.events().now());
            datapath->receive(given.packets[next++]);
        }
    }
    void run() {
        feed();
        sim.run();
    }
    // Results in order of packets.
    nic::receive_result result() const {
        nic::receive_result r;
        std::vector<noted> sorted(log.begin(), log.end());
        std::stable_sort(sorted.begin(), sorted.end(),
                         [](const noted& a, const noted& b) { return a.packet < b.packet; });
        for (const noted& n : sorted) r.actions.push_back(n.what);
        r.counters = datapath->counters();
        return r;
    }
    void acknowledge(std::uint32_t tag) {
        --unacknowledged[packet_of.at(tag)];
        datapath->acknowledged(static_cast<std::uint16_t>(tag));
    }

    core::simulation sim;
    nic::receive_case given;
    nic::table_memory tables;
    std::unique_ptr<nic::receive_datapath_if> datapath;
    std::size_t next = 0;
    std::vector<core::sim_time> received_at;
    std::deque<noted> log;
    std::vector<std::uint32_t> consumed;
    unsigned invalidations = 0;
    bool hold_acknowledgements = false;
    std::vector<std::uint16_t> held;
    std::uint64_t table_reads = 0;
    std::uint64_t early_completions = 0;
    std::unordered_map<std::uint64_t, std::uint64_t> unacknowledged;  // writes, by packet
    std::unordered_map<std::uint32_t, std::uint64_t> packet_of;       // by tag

private:
    core::sim_time random_time(core::sim_time usual) {
        return behaviour_.seed == 0 ? usual : core::sim_time{5000 * (1 + random_() % 200)};
    }
    bool once_in(unsigned n) { return n != 0 && random_() % n == 0; }

    bool take_dma(const nic::dma_request& r) override {
        if (once_in(behaviour_.refuse_dma)) {
            calls_.after<&fake_nic::dma_again>(random_time({5000}));
            return false;
        }
        using nic::dma_kind;
        if (r.kind == dma_kind::window) {
            add(r.packet, nic::window_move{r.space, {r.address, r.token}});
        } else if (r.kind == dma_kind::data) {
            add(r.packet, nic::data_write{r.space, r.address, {r.bytes.begin(), r.bytes.end()}});
        } else {
            if (unacknowledged[r.packet] != 0) ++early_completions;
            const auto record = nic::completion_record::decode(
                std::span<const std::uint8_t, nic::completion_record::size>(r.bytes.data(), r.bytes.size()));
            const auto ring = static_cast<unsigned>((r.address >> 32) - 1);
            add(r.packet,
                nic::completion_event{ring, record.process, record.tag, record.source, record.address, record.length});
            if (behaviour_.empty_rings) calls_.after<&fake_nic::empty_ring>({5000}, ring);
        }
        packet_of[r.tag] = r.packet;
        ++unacknowledged[r.packet];
        if (hold_acknowledgements)
            held.push_back(r.tag);
        else
            calls_.after<&fake_nic::acknowledge>(random_time(behaviour_.acknowledge_latency), r.tag);
        return true;
    }
    bool take_message(const nic::core_message& m) override {
        if (once_in(behaviour_.refuse_messages)) {
            calls_.after<&fake_nic::message_again>(random_time({5000}));
            return false;
        }
        add(m.packet, nic::mailbox_message{m.header.process,
                                           m.header.tag,
                                           m.header.source,
                                           m.header.address,
                                           {m.payload.begin(), m.payload.end()}});
        return true;
    }
    void read_table(std::uint64_t address) override {
        ++table_reads;
        read_ = tables.entry(address);
        calls_.after<&fake_nic::answer>(random_time(behaviour_.table_latency));
    }
    void dropped(const nic::packet_drop& d) override {
        add(d.packet, nic::drop_action{d.reason, d.header.process, d.header.tag, d.header.source});
    }
    void may_receive() override { feed(); }
    void invalidated() override { ++invalidations; }

    void add(std::uint64_t packet, nic::action what) { log.push_back({packet, sim.events().now(), std::move(what)}); }
    void dma_again() { datapath->dma_ready(); }
    void message_again() { datapath->message_ready(); }
    void empty_ring(std::uint32_t ring) { datapath->set_consumed(ring, ++consumed[ring]); }
    void answer() { datapath->table_entry(read_); }

    const behaviour behaviour_;
    std::mt19937_64 random_;
    observe::statistics statistics_;
    core::cancellable_calls<fake_nic> calls_{sim.events(), *this};
    std::uint64_t read_ = 0;
};

}  // namespace contraflow::testing
