// SPDX-License-Identifier: Apache-2.0
#include "nic/receive/receive_pipeline.h"

#include <numeric>

#include <gtest/gtest.h>

#include "nic/fake_nic.h"
#include "nic/receive/random_case.h"
#include "nic/receive_reference.h"
#include "nic/worked_cases.h"

namespace {

using namespace contraflow;
using namespace contraflow::nic;
using contraflow::testing::fake_nic;

const datapath_factory pipeline = make_hardware_datapath;

constexpr core::sim_time cycle{5000};

// Buffer 0: process 1, a writable megabyte of the host's memory at 2^32, its pages there and mapped one to one.
receive_case one_buffer(memory_space space = memory_space::host) {
    receive_case c;
    c.name = "one buffer";
    c.buffers.push_back({0, {true, 1, 1ull << 32, 1 << 20, space, true, 0x10000, 0}});
    std::map<std::uint64_t, std::uint64_t> tables;
    for (std::uint64_t a = 1ull << 32; a < (1ull << 32) + (1 << 20); a += 1ull << page_bits(space)) {
        const std::uint64_t number = a >> page_bits(space);
        tables[entry_address(space, 0x10000, number, 0)] = 0x20001;
        tables[entry_address(space, 0x20000, number, 1)] = 0x40001;
        tables[entry_address(space, 0x40000, number, 2)] = a | 1;
    }
    c.tables.assign(tables.begin(), tables.end());
    return c;
}

std::vector<std::uint8_t> put(std::uint64_t offset, std::uint16_t length, bool notify = false) {
    packet_header h;
    h.length = length;
    h.process = 1;
    h.address = (1ull << 32) + offset;
    h.notify = notify;
    std::vector<std::uint8_t> payload(length);
    std::iota(payload.begin(), payload.end(), static_cast<std::uint8_t>(offset));
    return packet_words(h, payload);
}

std::uint64_t cycles_until(const fake_nic& n, std::size_t action) { return n.log.at(action).at.ps / cycle.ps; }

class worked_case : public ::testing::TestWithParam<unsigned> {};

TEST_P(worked_case, comes_out_exactly) {
    const auto cases = parse_receive_cases(contraflow::testing::worked_receive_cases()).cases;
    const receive_case& c = cases.at(GetParam());
    SCOPED_TRACE(c.name);
    // Slow tables and slow acknowledgements in turn: times change, actions do not.
    for (const std::uint64_t table : {5, 400})
        for (const std::uint64_t acknowledge : {5, 3000}) {
            const auto o =
                replay(c, {}, pipeline, {core::sim_time::from_ns(table), core::sim_time::from_ns(acknowledge)});
            EXPECT_TRUE(o.complete);
            EXPECT_EQ(o.not_conserved, "");
            EXPECT_EQ(first_difference(o.result, *c.expected), "");
        }
    EXPECT_EQ(first_difference(contraflow::testing::expected_of(c), *c.expected), "") << "the reference";
}
INSTANTIATE_TEST_SUITE_P(receive_pipeline, worked_case, ::testing::Range(0u, 12u));

// Random packets, in the smallest and in usual sizes, while the NIC refuses, delays and acknowledges out of order.
TEST(receive_pipeline, random_packets_lead_to_what_the_rules_say) {
    std::array<std::uint64_t, drop_reasons> drops{};
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        SCOPED_TRACE(seed);
        const auto c = random_receive_case(seed, 60);
        receive_spec s;
        if (seed % 2 == 0) {
            s.packet_buffer = {2 * most_words * word_bytes};
            s.packets = s.writes = 2;
            s.packets_in_flight = s.host_tlb = s.gpu_tlb = s.search_rate = 1;
        }
        fake_nic::behaviour b;
        b.seed = seed;
        b.refuse_dma = seed % 3 == 0 ? 0 : 4;
        b.refuse_messages = 3;
        b.ring_entries = seed % 5 == 0 ? 1 : 64;
        fake_nic n(c, s, pipeline, b);
        n.run();
        EXPECT_TRUE(n.datapath->idle());
        ASSERT_EQ(first_difference(n.result(), contraflow::testing::expected_of(c)), "");
        EXPECT_EQ(n.early_completions, 0u) << "completions of packets with writes that were not acknowledged";
        observe::conservation checks;
        n.datapath->check(checks);
        EXPECT_TRUE(checks.held());
        for (unsigned i = 0; i < drop_reasons; ++i) drops[i] += n.datapath->counters().drops[i];
    }
    for (unsigned i = 0; i < reasons_of_packets; ++i) EXPECT_GE(drops[i], 5u) << "the traffic lacks " << drop_names[i];
}

// README.md, "Time": 3 words, 1 check, 2 search (first entry and bounds), 1 look-up; then the write.
TEST(receive_pipeline, first_write_of_a_short_packet_that_hits) {
    auto c = one_buffer();
    c.packets = {put(0, 16), put(64, 16)};
    fake_nic n(c, {}, pipeline, {});
    n.datapath->receive(n.given.packets[0]);
    n.sim.run();
    const auto begin = n.sim.events().now();
    n.datapath->receive(n.given.packets[1]);
    n.sim.run();
    EXPECT_EQ((n.log.at(1).at - begin).ps / cycle.ps, 3u + 1 + 2 + 1);
}

// README.md, "Time": a write is handed over with its last beat, 8 for 128 bytes and 9 if they begin within 16; a
// completion, with its second one, after the acknowledgement.
TEST(receive_pipeline, a_write_is_handed_over_with_its_last_beat) {
    for (const unsigned from : {0u, 8u}) {
        auto c = one_buffer();
        c.max_payload = 256;
        c.packets = {put(from, 128, true), put(from, 128, true)};
        fake_nic n(c, {}, pipeline, {.acknowledge_latency = cycle * 20});
        n.datapath->receive(n.given.packets[0]);
        n.sim.run();
        const auto begin = n.sim.events().now();
        n.datapath->receive(n.given.packets[1]);
        n.sim.run();
        ASSERT_EQ(n.log.size(), 4u);
        const std::uint64_t last = 10u + 1 + 2 + 1 + (from == 0 ? 7 : 8);
        EXPECT_EQ((n.log[2].at - begin).ps / cycle.ps, last);
        EXPECT_EQ((n.log[3].at - begin).ps / cycle.ps, last + 20 + 1);
    }
}

// 3 words, 1 check, 1 for each stage that it only passes, 1 to retire, 1 behind the mailbox or the error ring.
TEST(receive_pipeline, a_get_request_and_a_drop_show_behind_their_queue) {
    auto c = one_buffer();
    packet_header h;
    h.kind = static_cast<std::uint8_t>(packet_kind::get_request);
    h.length = get_request_payload;
    const auto get = packet_words(h, std::vector<std::uint8_t>(get_request_payload));
    auto broken = put(0, 16);
    broken[word_bytes] ^= 1;
    c.packets = {get};
    for (const auto& packet : {get, broken}) {
        fake_nic n(c, {}, pipeline, {});
        n.datapath->receive(packet);
        n.sim.run();
        ASSERT_EQ(n.log.size(), 1u);
        EXPECT_EQ(cycles_until(n, 0), 3u + 1 + 1 + 1 + 1 + 1);
    }
}

// A walk: look-up 1, and for each of three levels the table's latency and 1 more.
TEST(receive_pipeline, a_miss_takes_three_reads) {
    auto c = one_buffer();
    c.packets = {put(0, 16)};
    fake_nic n(c, {}, pipeline, {.table_latency = cycle * 7});
    n.run();
    EXPECT_EQ(n.table_reads, 3u);
    EXPECT_EQ(cycles_until(n, 0), 3u + 1 + 2 + 1 + 3 * (7 + 1));
}

// The search compares `search_rate` entries a cycle, up to the one that holds the byte.
TEST(receive_pipeline, search_takes_longer_for_later_entries) {
    std::array<std::uint64_t, 2> first{};
    for (const unsigned index : {0u, 63u}) {
        auto c = one_buffer();
        c.buffers[0].first = index;
        c.packets = {put(0, 16)};
        receive_spec s;
        s.search_rate = 4;
        fake_nic n(c, s, pipeline, {});
        n.run();
        first[index == 0 ? 0 : 1] = cycles_until(n, 0);
    }
    EXPECT_EQ(first[1] - first[0], 15u);
}

// A word a cycle: 258 of which 256 are payload, whatever the payload of writes, as long as the TLB hits.
TEST(receive_pipeline, long_packets_go_at_line_rate) {
    for (const unsigned max_payload : {64u, 128u, 4096u}) {
        auto c = one_buffer();
        c.max_payload = max_payload;
        constexpr unsigned packets = 64;
        for (unsigned i = 0; i < packets; ++i) c.packets.push_back(put(i % 4 * 4096, 4096));
        fake_nic n(c, {}, pipeline, {});
        n.run();
        const auto time = (n.log.back().at - n.log.front().at).ps / cycle.ps + (max_payload / 16);
        EXPECT_LE(time, packets * 258u + 3 * (1 + 10)) << max_payload;
        EXPECT_GE(packets * 256.0 / static_cast<double>(time), 0.95) << max_payload;
    }
}

// 64 buffers, the last of them: search takes 8 + 1 cycles, the slowest stage.
TEST(receive_pipeline, short_packets_go_one_in_twelve_cycles_or_better) {
    auto c = one_buffer();
    c.buffers[0].first = 63;
    constexpr unsigned packets = 500;
    for (unsigned i = 0; i < packets; ++i) c.packets.push_back(put(16 * i, 16));
    fake_nic n(c, {}, pipeline, {.acknowledge_latency = cycle * 10});
    n.run();
    const auto time = (n.log.back().at - n.log.front().at).ps / cycle.ps;
    EXPECT_LE(time, 12u * packets);
    EXPECT_GE(time, 9u * (packets - 1) - 40) << "faster than its search";
}

TEST(receive_pipeline, without_acknowledgements_it_stops_taking_packets_and_loses_none) {
    auto c = one_buffer();
    for (unsigned i = 0; i < 100; ++i) c.packets.push_back(put(4096 * (i % 16), 4096, true));
    receive_spec s;
    s.writes = 8;
    fake_nic n(c, s, pipeline, {});
    n.hold_acknowledgements = true;
    n.run();
    EXPECT_EQ(n.log.size(), 8u);
    EXPECT_EQ(n.next, 3u) << "3 packets of 258 words fit into 1,024, none more";
    EXPECT_FALSE(n.datapath->can_receive());
    std::vector<core::wait_edge> waits;
    n.datapath->report_waits(waits);
    ASSERT_EQ(waits.size(), 1u);
    EXPECT_EQ(waits[0].resource, "writes to be acknowledged");
    n.hold_acknowledgements = false;
    for (const auto tag : std::exchange(n.held, {})) n.acknowledge(tag);
    n.sim.run();
    EXPECT_EQ(n.datapath->counters().accepted, 100u);
    EXPECT_EQ(first_difference(n.result(), contraflow::testing::expected_of(n.given)), "");
}

TEST(receive_pipeline, a_full_ring_holds_its_completion_and_all_behind_it_until_the_host_has_read) {
    auto c = one_buffer();
    // More packets than may be in flight behind the first one that waits.
    constexpr unsigned count = 20;
    for (unsigned i = 0; i < count; ++i) c.packets.push_back(put(64 * i, 64, true));
    fake_nic n(c, {}, pipeline, {.ring_entries = 4, .empty_rings = false});
    n.run();
    const auto events = [&] {
        return std::count_if(n.log.begin(), n.log.end(),
                             [](const auto& a) { return std::holds_alternative<completion_event>(a.what); });
    };
    EXPECT_EQ(events(), 4);
    std::vector<core::wait_edge> waits;
    n.datapath->report_waits(waits);
    ASSERT_FALSE(waits.empty());
    EXPECT_EQ(waits[0].resource, "room in completion ring 0");
    for (std::uint32_t consumed = 3; events() < count; consumed += 4) {
        n.datapath->set_consumed(0, consumed);
        n.sim.run();
        EXPECT_EQ(events(), std::min(consumed + 4, count));
    }
    EXPECT_TRUE(n.datapath->idle());
}

// A page that is taken away while packets for it are in flight: writes translated before are acknowledged before the
// removal is, and none uses the translation after it.
TEST(receive_pipeline, removal_is_told_after_the_last_write_through_it) {
    auto c = one_buffer();
    for (unsigned i = 0; i < 40; ++i) c.packets.push_back(put(0, 256));
    // The first packet's words end at 18, its walk at 46; the times after that meet packets that hit.
    for (std::uint64_t at = 1; at < 400; at += at < 60 ? 1 : 17) {
        SCOPED_TRACE(at);
        fake_nic n(c, {}, pipeline, {.table_latency = cycle * 7, .acknowledge_latency = cycle * 200});
        n.feed();
        n.sim.run_to(cycle * at);
        n.tables.set_entry(entry_address(memory_space::host, 0x40000, (1ull << 32) >> 12, 2), 0xabcd0001);
        n.datapath->invalidate(0x10000);
        while (n.invalidations == 0) n.sim.run_to(n.sim.events().now() + cycle);
        const auto told = n.sim.events().now();
        n.sim.run();
        std::uint64_t before = 0, after = 0;
        for (const auto& entry : n.log) {
            const auto& w = std::get<data_write>(entry.what);
            const bool old = w.address >> 12 == (1ull << 32) >> 12;
            if (old) {
                EXPECT_LE(entry.at + cycle * 200, told);
            } else {
                EXPECT_EQ(w.address >> 12, 0xabcd0000u >> 12);
            }
            (old ? before : after)++;
        }
        EXPECT_EQ(before + after, 80u);
        EXPECT_GT(after, 0u);
    }
}

TEST(receive_pipeline, after_a_reset_it_does_what_a_new_one_does) {
    const auto c = random_receive_case(7, 40);
    for (const std::uint64_t at : {0, 3, 50, 333, 2000}) {
        fake_nic n(c, {}, pipeline, {});
        n.hold_acknowledgements = true;
        n.feed();
        n.sim.run_to(cycle * at);
        n.hold_acknowledgements = false;
        ASSERT_TRUE(n.datapath->control(core::control_verb::reset));
        n.log.clear();
        n.next = 0;
        for (const auto& [index, entry] : c.buffers) n.datapath->set_buffer(index, entry);
        for (unsigned ring = 0; ring < 16; ++ring) n.datapath->set_ring(ring, {std::uint64_t{ring + 1} << 32, 64});
        n.run();
        EXPECT_EQ(first_difference(n.result(), contraflow::testing::expected_of(c)), "") << at;
    }
}

}  // namespace
