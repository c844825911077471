// SPDX-License-Identifier: Apache-2.0
// The small parts of the TLM model, each alone.
#include <gtest/gtest.h>

#include "pcie/dma/stream.h"
#include "pcie/fabric/fault_plan.h"
#include "pcie/fabric/port_arbiter.h"
#include "pcie/link/flow_control.h"
#include "pcie/link/link_rate.h"
#include "pcie/link/port.h"
#include "pcie/link/replay_buffer.h"
#include "pcie/tlp.h"
#include "trees.h"

using namespace contraflow;
using namespace contraflow::pcie;

TEST(link_rate, raw_rates_of_the_generations) {
    // PCI-SIG: 1.0 x1 250 MB/s, 2.0 x8 4 GB/s, 3.0 x16 15.75 GB/s, 4.0 x16 31.5 GB/s, 5.0 x16 63 GB/s.
    EXPECT_DOUBLE_EQ((link_rate{1, 1}.raw().bytes_per_s), 250e6);
    EXPECT_DOUBLE_EQ((link_rate{2, 8}.raw().bytes_per_s), 4e9);
    EXPECT_NEAR((link_rate{3, 16}.raw().gb_per_s()), 15.754, 0.001);
    EXPECT_NEAR((link_rate{4, 16}.raw().gb_per_s()), 31.508, 0.001);
    EXPECT_NEAR((link_rate{5, 16}.raw().gb_per_s()), 63.015, 0.001);
    EXPECT_DOUBLE_EQ((link_rate{6, 16}.raw().bytes_per_s), 118e9);
}

TEST(link_rate, text_round_trips_and_nonsense_is_refused) {
    for (unsigned g = 1; g <= 6; ++g)
        for (const unsigned lanes : {1u, 2u, 4u, 8u, 16u})
            EXPECT_EQ(parse_link_rate(to_text(link_rate{g, lanes})), (link_rate{g, lanes}));
    for (const char* bad : {"", "gen", "gen3", "gen3 x", "gen0 x1", "gen7 x16", "gen3 x3", "gen3 x32", "3 x16",
                            "gen3 x16 ", "gen99999999999 x1"})
        EXPECT_FALSE(parse_link_rate(bad)) << bad;
}

TEST(topology, paths_turn_at_the_lowest_common_ancestor) {
    const topology t = pcie::testing::t2();
    const auto near = t.path(*t.find("gpu0"), *t.find("gpu1"));
    ASSERT_TRUE(near);
    EXPECT_EQ(near->ports.size(), 2u);
    EXPECT_FALSE(near->crosses_root_complex);
    const auto far = t.path(*t.find("gpu0"), *t.find("gpu7"));
    ASSERT_TRUE(far);
    std::string names;
    for (const auto p : far->ports) names += t.port_name(p) + " ";
    EXPECT_EQ(names, "gpu0.up k80_0.up plx_0.up plx_1.down k80_3.down gpu7.down ");
    EXPECT_TRUE(far->crosses_root_complex);
}

TEST(topology, packages_are_joined_only_by_a_socket_link) {
    topology t;
    const node_id machine = pcie::testing::add_switch(t, no_node, "machine", node_kind::machine);
    for (int i = 0; i < 2; ++i)
        pcie::testing::add_gpus(
            t, pcie::testing::add_switch(t, machine, fmt::format("rc{}", i), node_kind::root_complex), i, 1);
    EXPECT_FALSE(t.path(*t.find("gpu0"), *t.find("gpu1")));
    t.socket_link = core::bandwidth::from_gb_per_s(20);
    const auto p = t.path(*t.find("gpu0"), *t.find("gpu1"));
    ASSERT_TRUE(p);
    EXPECT_TRUE(p->crosses_root_complex);
    EXPECT_EQ(t.link_above(*t.find("rc1")), core::bandwidth::from_gb_per_s(20));
}

TEST(port_arbiter, equal_turns_and_nobody_starves) {
    port_arbiter a({3, {}});
    std::string order;
    for (int i = 0; i < 9; ++i) order += static_cast<char>('0' + *a.next(0b111));
    EXPECT_EQ(order, "012012012");
    EXPECT_EQ(a.next(0b100), 2u);
    EXPECT_EQ(a.next(0b100), 2u);
    EXPECT_EQ(a.next(0b101), 0u);
    EXPECT_FALSE(a.next(0));
}

TEST(port_arbiter, weights_are_tlps_a_turn) {
    port_arbiter a({3, {3, 1, 2}});
    std::string order;
    for (int i = 0; i < 12; ++i) order += static_cast<char>('0' + *a.next(0b111));
    EXPECT_EQ(order, "000122000122");
    a.reset();
    EXPECT_EQ(a.next(0b110), 1u);  // an input without requests loses its turn
}

TEST(port_arbiter, refuses_what_cannot_work) {
    EXPECT_THROW(port_arbiter({0, {}}), std::invalid_argument);
    EXPECT_THROW(port_arbiter({65, {}}), std::invalid_argument);
    EXPECT_THROW(port_arbiter({2, {1, 0}}), std::invalid_argument);
    EXPECT_THROW(port_arbiter({2, {1}}), std::invalid_argument);
    port_arbiter widest({64, {}});
    EXPECT_EQ(widest.next(request_mask{1} << 63), 63u);
    EXPECT_EQ(widest.next(~request_mask{0}), 0u);
}

TEST(flow_control, counts_headers_and_data) {
    credit_account a;
    a.set_limit(credit_class::posted, {2, 17});
    EXPECT_TRUE(a.allows(credit_class::posted, 256));  // 16 credits
    a.consume(credit_class::posted, 256);
    EXPECT_TRUE(a.allows(credit_class::posted, 1));
    EXPECT_FALSE(a.allows(credit_class::posted, 17));
    EXPECT_STREQ(a.missing(credit_class::posted), "data");
    a.consume(credit_class::posted, 1);
    EXPECT_FALSE(a.allows(credit_class::posted, 0));
    EXPECT_STREQ(a.missing(credit_class::posted), "header");
    a.set_limit(credit_class::posted, {3, 33});
    EXPECT_TRUE(a.allows(credit_class::posted, 256));
    EXPECT_FALSE(a.allows(credit_class::completion, 0));
}

TEST(tlp, sizes_on_the_wire) {
    tlp_pool pool(256);
    tlp* write = pool.take(tlp_kind::memory_write);
    write->length = 128;
    EXPECT_EQ(wire_bytes(*write, framing::of(3)), 128u + 12 + 8);  // below 4 GiB
    write->address = 0x1'0000'0000;
    EXPECT_EQ(wire_bytes(*write, framing::of(3)), 128u + 16 + 8);
    EXPECT_EQ(wire_bytes(*write, framing::of(6)), 128u + 16);
    tlp* read = pool.take(tlp_kind::memory_read);
    read->length = 512;
    read->address = 0x1'0000'0000;
    EXPECT_EQ(wire_bytes(*read, framing::of(3)), 24u);
    tlp* completion = pool.take(tlp_kind::completion);
    completion->length = 64;
    EXPECT_EQ(wire_bytes(*completion, framing::of(3)), 64u + 12 + 8);
    EXPECT_EQ(pool.in_flight(), 3u);
    for (tlp* p : {write, read, completion}) p->release();
    EXPECT_EQ(pool.in_flight(), 0u);
}

TEST(tlp, the_pool_reuses) {
    tlp_pool pool(64);
    tlp* first = pool.take(tlp_kind::memory_write);
    first->retain();
    first->release();
    EXPECT_EQ(pool.in_flight(), 1u);
    first->release();
    EXPECT_EQ(pool.take(tlp_kind::completion), first);
    EXPECT_LE(sizeof(tlp), 128u);
    first->release();
}

TEST(replay_buffer, keeps_until_acknowledged) {
    tlp_pool pool(64);
    replay_buffer b(2);
    tlp* a = pool.take(tlp_kind::memory_write);
    tlp* c = pool.take(tlp_kind::memory_write);
    EXPECT_EQ(b.keep(a), 0u);
    EXPECT_EQ(b.keep(c), 1u);
    a->release();
    c->release();
    EXPECT_TRUE(b.full());
    EXPECT_EQ(pool.in_flight(), 2u);
    EXPECT_EQ(b.at(1), c);
    EXPECT_TRUE(b.acknowledge(1));
    EXPECT_FALSE(b.acknowledge(1));
    EXPECT_EQ(pool.in_flight(), 1u);
    EXPECT_EQ(b.first(), 1u);
    b.acknowledge(2);
    EXPECT_TRUE(b.empty());
    EXPECT_EQ(pool.in_flight(), 0u);
}

TEST(stream, payload_is_checked_byte_by_byte) {
    std::vector<std::uint8_t> data(100);
    fill_payload(7, 1003, data.data(), 100);
    EXPECT_EQ(count_wrong(7, 1003, data.data(), 100), 0u);
    std::vector<std::uint8_t> part(40);
    fill_payload(7, 1003 + 33, part.data(), 40);
    EXPECT_TRUE(std::equal(part.begin(), part.end(), data.begin() + 33));
    EXPECT_GT(count_wrong(8, 1003, data.data(), 100), 90u);
    EXPECT_GT(count_wrong(7, 1004, data.data(), 100), 90u);
    for (const std::size_t i : {0u, 5u, 50u, 99u}) {
        data[i] ^= 1;
        EXPECT_EQ(count_wrong(7, 1003, data.data(), 100), 1u);
        data[i] ^= 1;
    }
}

TEST(fault_injector, bit_errors_come_at_their_rate_and_are_repeatable) {
    fault_plan plan;
    plan.bit_error_rate = 1e-5;
    fault_injector a(plan, "k80_0.up");
    fault_injector b(plan, "k80_0.up");
    fault_injector other(plan, "k80_1.up");
    int hits = 0;
    int differing = 0;
    const int packets = 200'000;
    for (int i = 0; i < packets; ++i) {
        const bool hit = a.corrupts_tlp(125);  // 1000 bits
        EXPECT_EQ(hit, b.corrupts_tlp(125));
        differing += hit != other.corrupts_tlp(125) ? 1 : 0;
        hits += hit ? 1 : 0;
    }
    // 1 - (1 - 1e-5)^1000 = 0.00995; five standard deviations.
    EXPECT_NEAR(hits, packets * 0.00995, 5 * std::sqrt(packets * 0.00995));
    EXPECT_GT(differing, hits);
}

TEST(fault_injector, scripted_packets_and_only_those) {
    fault_plan plan;
    plan.corrupt = {{"a.up", packet_type::tlp, 3},
                    {"a.up", packet_type::tlp, 1},
                    {"a.up", packet_type::dllp, 0},
                    {"b.up", packet_type::tlp, 0}};
    fault_injector f(plan, "a.up");
    std::string seen;
    for (int i = 0; i < 5; ++i) seen += f.corrupts_tlp(100) ? 'x' : '.';
    EXPECT_EQ(seen, ".x.x.");
    EXPECT_TRUE(f.corrupts_dllp(8));
    EXPECT_FALSE(f.corrupts_dllp(8));
}

TEST(port, dllp_latency_follows_the_specification) {
    // Table 3-7: 1.0 x16, 256 bytes: (256 + 28) * 3 / 16 + 19 = 72.25 symbols of 4 ns; 3.0: + 115, symbols of 1 ns.
    EXPECT_EQ(port::default_dllp_latency({1, 16}, 256).ps, 289'000u);
    EXPECT_EQ(port::default_dllp_latency({3, 16}, 256).ps, 168'250u);
    EXPECT_EQ(port::default_replay_timeout({3, 16}, 256).ps, 3 * 168'250u);
}
