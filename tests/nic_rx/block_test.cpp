// SPDX-License-Identifier: Apache-2.0
// The whole receive datapath in RTL: what it does, against worked cases and the independent reference, and its times.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/little_endian.h"
#include "nic/fake_nic.h"
#include "nic/receive/nic_rx_registers.h"
#include "nic/receive/random_case.h"
#include "nic/receive/receive_pipeline.h"
#include "nic/receive/table_memory.h"
#include "nic/receive_reference.h"
#include "nic/worked_cases.h"
#include "nic_rx/core_program.h"
#include "nic_rx/gated_block.h"
#include "nic_rx/rx_bench.h"
#include "nic_rx/rx_recording.h"
#include "nic_rx/simple_case.h"

namespace {

using namespace contraflow;
using namespace contraflow::nic;
namespace regs = contraflow::nic::nic_rx_registers;
using contraflow::testing::core_program;
using contraflow::testing::expected_of;
using contraflow::testing::one_buffer;
using contraflow::testing::put;
using contraflow::testing::rx_bench;
using contraflow::testing::two_tokens_of_a_page;

TEST(nic_rx_block, worked_cases) {
    const auto file = parse_receive_cases(contraflow::testing::worked_receive_cases());
    ASSERT_TRUE(file.problems.empty());
    ASSERT_EQ(file.cases.size(), 12u);
    for (const receive_case& c : file.cases) {
        SCOPED_TRACE(c.name);
        rx_bench b(c, {});
        b.set_up();
        ASSERT_TRUE(b.run());
        EXPECT_EQ(first_difference(b.result(), *c.expected), "");
        EXPECT_EQ(b.broken, "");
    }
}

// The second is gone before the first, and the other way round.
TEST(nic_rx_block, two_with_assertions_live_at_once) {
    for (const std::size_t first_gone : {0u, 1u}) {
        auto c = one_buffer();
        c.packets = {put(0, 16)};
        std::array<std::unique_ptr<rx_bench>, 2> both;
        for (auto& b : both) {
            b = std::make_unique<rx_bench>(c, rx_bench::behaviour{});
            b->set_up();
        }
        ASSERT_TRUE(both[0]->run());
        ASSERT_TRUE(both[1]->run());
        both.at(first_gone).reset();
        both.at(1 - first_gone)->given.packets.push_back(put(64, 16));
        ASSERT_TRUE(both.at(1 - first_gone)->run());
    }
}

TEST(nic_rx_block, random_packets_do_what_the_reference_says) {
    std::array<std::uint64_t, drop_reasons> drops{};
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        SCOPED_TRACE(seed);
        const auto c = random_receive_case(seed, 60);
        rx_bench::behaviour how;
        if (seed % 3 != 0) {
            how.seed = seed;
            how.refuse_dma = seed % 3 == 1 ? 4 : 0;
            how.refuse_table = how.refuse_message = how.refuse_error = 3;
            how.refuse_word = seed % 2 == 0 ? 5 : 0;
        }
        how.ring_entries = seed % 5 == 0 ? 1 : 64;
        rx_bench b(c, how);
        b.set_up();
        ASSERT_TRUE(b.run());
        const auto r = b.result();
        ASSERT_EQ(first_difference(r, expected_of(c)), "");
        ASSERT_EQ(b.broken, "");
        for (unsigned i = 0; i < drop_reasons; ++i) drops[i] += r.counters.drops[i];
    }
    for (unsigned i = 0; i < reasons_of_packets; ++i) EXPECT_GE(drops[i], 5u) << "the traffic lacks " << drop_names[i];
}

// With one of everything, or two where one is not allowed: nothing waits for itself.
TEST(nic_rx_block, random_packets_with_the_smallest_parameters) {
    for (std::uint64_t seed = 301; seed <= 315; ++seed) {
        SCOPED_TRACE(seed);
        const auto c = random_receive_case(seed, 40);
        rx_bench::behaviour how;
        how.build = nic_rx::build::smallest;
        how.ring_entries = 1;
        if (seed % 2 == 0) {
            how.seed = seed;
            how.refuse_dma = how.refuse_table = how.refuse_message = how.refuse_error = 3;
        }
        rx_bench b(c, how);
        b.set_up();
        ASSERT_TRUE(b.run());
        ASSERT_EQ(first_difference(b.result(), expected_of(c)), "");
        ASSERT_EQ(b.broken, "");
    }
}

TEST(nic_rx_block, the_window_moves_for_another_token_of_its_page) {
    const auto c = two_tokens_of_a_page();
    rx_bench b(c, {});
    b.set_up();
    ASSERT_TRUE(b.run());
    const auto r = b.result();
    EXPECT_EQ(first_difference(r, expected_of(c)), "");
    EXPECT_EQ(std::count_if(r.actions.begin(), r.actions.end(),
                            [](const auto& a) { return std::holds_alternative<window_move>(a); }),
              4);
}

// Cycles from the first word of a packet to its first write.
std::uint64_t until_written(const rx_bench& b, std::uint64_t packet) {
    for (const auto& n : b.log)
        if (n.packet == packet) return n.cycle - b.began.at(packet);
    return 0;
}

TEST(nic_rx_block, first_write_of_a_short_packet_that_hits) {
    auto c = one_buffer();
    c.packets = {put(0, 16)};
    rx_bench b(c, {});
    b.set_up();
    ASSERT_TRUE(b.run());
    b.given.packets.push_back(put(64, 16));
    ASSERT_TRUE(b.run());
    EXPECT_EQ(until_written(b, 1), 3u + 1 + 2 + 1);
}

TEST(nic_rx_block, a_miss_takes_three_reads) {
    auto c = one_buffer();
    c.packets = {put(0, 16)};
    rx_bench b(c, {.table_latency = 7});
    b.set_up();
    ASSERT_TRUE(b.run());
    EXPECT_EQ(b.table_reads, 3u);
    EXPECT_EQ(until_written(b, 0), 3u + 1 + 2 + 1 + 3 * (7 + 1));
}

TEST(nic_rx_block, first_write_of_the_longest_packet) {
    auto c = one_buffer();
    c.max_payload = 64;
    c.packets = {put(0, 16), put(4096, 16), put(4096, 16), put(8, 4096)};
    rx_bench b(c, {});
    b.set_up();
    ASSERT_TRUE(b.run());
    EXPECT_EQ(until_written(b, 3), 258u + 1 + 2 + 2) << "words, check, search, two pages that hit";
}

TEST(nic_rx_block, search_takes_longer_for_later_entries) {
    std::array<std::uint64_t, 2> first{};
    for (const unsigned index : {0u, 63u}) {
        auto c = one_buffer();
        c.buffers[0].first = index;
        c.packets = {put(0, 16)};
        rx_bench b(c, {});
        b.set_up();
        ASSERT_TRUE(b.run());
        first[index == 0 ? 0 : 1] = until_written(b, 0);
    }
    EXPECT_EQ(first[1] - first[0], 7u);
}

TEST(nic_rx_block, long_packets_go_at_line_rate) {
    for (const unsigned max_payload : {64u, 128u, 4096u}) {
        auto c = one_buffer();
        c.max_payload = max_payload;
        constexpr unsigned packets = 40;
        for (unsigned i = 0; i < packets; ++i) c.packets.push_back(put(i % 4 * 4096, 4096));
        rx_bench b(c, {});
        b.set_up();
        ASSERT_TRUE(b.run());
        const auto time = b.log.back().cycle - b.log.front().cycle + max_payload / 16;
        EXPECT_GE(packets * 256.0 / static_cast<double>(time), 0.95) << max_payload;
        std::printf("max_payload %u: %.1f %% of 3.2 GB/s\n", max_payload,
                    packets * 25600.0 / static_cast<double>(time));
    }
}

TEST(nic_rx_block, short_packets_go_one_in_twelve_cycles_or_better) {
    auto c = one_buffer();
    c.buffers[0].first = 63;
    constexpr unsigned packets = 300;
    for (unsigned i = 0; i < packets; ++i) c.packets.push_back(put(16 * i, 16));
    rx_bench b(c, {.acknowledge_latency = 10});
    b.set_up();
    ASSERT_TRUE(b.run());
    const auto time = b.log.back().cycle - b.log.front().cycle;
    EXPECT_LE(time, 12u * packets);
    EXPECT_GE(time, 9u * (packets - 1) - 40) << "faster than its search";
    std::printf("a short packet each %.2f cycles\n", static_cast<double>(time) / (packets - 1));
}

// --- times of the model

struct cycles_of {
    std::vector<std::uint64_t> writes;  // the last beat of each: data, windows, completions
    std::vector<std::uint64_t> others;  // messages and drops
};

template <class Log, class Time> cycles_of sorted_out(const Log& log, const Time& time) {
    cycles_of c;
    for (const auto& a : log)
        (std::holds_alternative<drop_action>(a.what) || std::holds_alternative<mailbox_message>(a.what) ? c.others
                                                                                                        : c.writes)
            .push_back(time(a));
    return c;
}

// Cycles from the first word of the first packet.
std::pair<cycles_of, cycles_of> of_rtl_and_model(const receive_case& c) {
    const core::sim_time cycle{5000};
    rx_bench b(c, {.table_latency = 6, .acknowledge_latency = 30, .from_last = true});
    b.set_up();
    EXPECT_TRUE(b.run());
    b.steps(20);  // a packet of one word is inside in the cycle after it, and a drop shows after it has ended
    contraflow::testing::fake_nic n(c, {}, make_hardware_datapath,
                                    {.table_latency = cycle * 6, .acknowledge_latency = cycle * 30});
    n.run();
    return {sorted_out(b.log, [&](const auto& a) { return std::max(a.last, a.cycle) - b.began.at(0); }),
            sorted_out(n.log, [&](const auto& a) { return (a.at - n.received_at.at(0)).ps / cycle.ps; })};
}

std::vector<receive_case> worked_and_random() {
    auto all = parse_receive_cases(contraflow::testing::worked_receive_cases()).cases;
    for (std::uint64_t seed = 200; seed < 215; ++seed) all.push_back(random_receive_case(seed, 60));
    return all;
}

// Unloaded: each packet of the cases alone. The first write ends in the model's cycle, each other one within 2 % of its
// time: acknowledgements come one a cycle. Messages and drops show in the model's cycle.
TEST(nic_rx_block, a_packet_alone_takes_as_long_as_in_the_model) {
    std::size_t puts = 0, others = 0;
    for (const receive_case& c : worked_and_random()) {
        receive_case one = c;
        for (std::size_t i = 0; i < c.packets.size(); ++i) {
            one.packets = {c.packets[i]};
            const auto [rtl, model] = of_rtl_and_model(one);
            SCOPED_TRACE(c.name + ", packet " + std::to_string(i));
            ASSERT_EQ(rtl.writes.size(), model.writes.size());
            for (std::size_t k = 0; k < rtl.writes.size(); ++k) {
                const auto in_model = static_cast<double>(model.writes[k]);
                ASSERT_NEAR(static_cast<double>(rtl.writes[k]), in_model, k == 0 ? 0 : 0.02 * in_model) << k;
            }
            ASSERT_EQ(rtl.others, model.others);
            puts += model.writes.empty() ? 0 : 1;
            others += rtl.others.size();
        }
    }
    EXPECT_GE(puts, 300u);
    EXPECT_GE(others, 300u);
}

// Loaded: all packets of each case, one after the other. Most writes end in the cycle in which the model's do; the
// others differ where completions share the channel with packets that only pass, and where the room of a refused packet
// becomes free later.
TEST(nic_rx_block, packets_in_a_row_take_as_long_as_in_the_model) {
    std::size_t all = 0, same = 0;
    double most = 0;
    for (const receive_case& c : worked_and_random()) {
        SCOPED_TRACE(c.name);
        const auto [rtl, model] = of_rtl_and_model(c);
        ASSERT_EQ(rtl.writes.size(), model.writes.size());
        all += rtl.writes.size();
        for (std::size_t i = 0; i < rtl.writes.size(); ++i) same += rtl.writes[i] == model.writes[i] ? 1 : 0;
        if (rtl.writes.empty()) continue;
        const auto took = static_cast<double>(rtl.writes.back()), in_model = static_cast<double>(model.writes.back());
        most = std::max(most, std::abs(took - in_model) / in_model);
        EXPECT_NEAR(took, in_model, 0.02 * in_model);
    }
    std::printf("%zu of %zu writes end in the model's cycle; the last one of a case %.2f %% from it at most\n", same,
                all, 100 * most);
    EXPECT_GE(same * 10, all * 9);
}

// --- what holds it up

TEST(nic_rx_block, without_acknowledgements_it_stops_taking_packets_and_loses_none) {
    auto c = one_buffer();
    for (unsigned i = 0; i < 60; ++i) c.packets.push_back(put(4096 * (i % 15), 4096, true));
    rx_bench b(c, {});
    b.set_up();
    b.hold_acknowledgements = true;
    EXPECT_FALSE(b.run(2000));
    EXPECT_EQ(b.log.size(), 32u) << "as many writes as there are tags";
    EXPECT_TRUE(b.out().quiet);
    EXPECT_FALSE(b.out().in_ready);
    EXPECT_EQ(b.next, 5u) << "one is written and gone from the buffer, four of 256 words fit into 1,024";
    b.hold_acknowledgements = false;
    ASSERT_TRUE(b.run());
    EXPECT_EQ(first_difference(b.result(), expected_of(b.given)), "");
    EXPECT_EQ(b.broken, "");
}

// A packet begins only where the longest one fits, whatever its own length.
TEST(nic_rx_block, a_full_packet_buffer_holds_the_torus) {
    auto c = one_buffer();
    c.packets = {put(0, 4096), put(4096, 4096), put(8192, 4096), put(12288, 100), put(16384, 4096), put(20480, 4096)};
    rx_bench b(c, {});
    b.set_up();
    b.hold_dma = true;
    EXPECT_FALSE(b.run(2000));
    EXPECT_EQ(b.next, 4u) << "775 of 1,024 words are used";
    EXPECT_TRUE(b.out().quiet);
    b.hold_dma = false;
    ASSERT_TRUE(b.run());
    EXPECT_EQ(first_difference(b.result(), expected_of(b.given)), "");
    EXPECT_EQ(b.broken, "");
}

// A write whose bytes have all left the packet buffer shows nothing of the packet that comes in there meanwhile.
TEST(nic_rx_block, a_write_that_is_held_up_stays_as_it_is) {
    auto c = one_buffer();
    c.max_payload = 64;
    c.packets = {put(56, 16)};
    rx_bench b(c, {});
    b.set_up();
    b.hold_dma = b.feeding = true;
    for (unsigned i = 0; i < 100 && !b.out().dma_valid; ++i) b.step();
    b.hold_dma = false;
    b.step();
    b.hold_dma = true;
    b.step();
    ASSERT_TRUE(b.out().dma_valid);
    const auto data = b.out().dma_data;
    b.given.packets.push_back(put(4096, 200));
    b.steps(50);
    EXPECT_EQ(b.out().dma_data, data);
    b.hold_dma = false;
    ASSERT_TRUE(b.run());
    EXPECT_EQ(first_difference(b.result(), expected_of(b.given)), "");
}

TEST(nic_rx_block, a_full_ring_holds_its_completion_and_all_behind_it_until_the_host_has_read) {
    auto c = one_buffer();
    constexpr unsigned count = 20;
    for (unsigned i = 0; i < count; ++i) c.packets.push_back(put(64 * i, 64, true));
    rx_bench b(c, {.ring_entries = 4, .empty_rings = false});
    b.set_up();
    EXPECT_FALSE(b.run(2000));
    const auto events = [&] {
        return std::count_if(b.log.begin(), b.log.end(),
                             [](const auto& a) { return std::holds_alternative<completion_event>(a.what); });
    };
    EXPECT_EQ(events(), 4);
    EXPECT_EQ(b.log.size(), 4u + 4 + 8) << "eight packets in flight, no more";
    EXPECT_TRUE(b.out().quiet);
    for (std::uint32_t consumed = 3; events() < count; consumed += 4) {
        b.consume(0, consumed);
        b.run(2000);
        EXPECT_EQ(events(), std::min(consumed + 4, count));
    }
    EXPECT_TRUE(b.out().idle);
}

TEST(nic_rx_block, a_full_mailbox_holds_the_packets_behind_it) {
    auto c = one_buffer();
    packet_header h;
    h.length = get_request_payload;
    h.kind = 1;
    h.target = c.node;
    for (std::uint16_t i = 0; i < 12; ++i) {
        h.tag = i;
        c.packets.push_back(packet_words(h, std::vector<std::uint8_t>(16, static_cast<std::uint8_t>(i))));
    }
    c.packets.push_back(put(0, 64));
    rx_bench b(c, {});
    b.set_up();
    b.hold_messages = true;
    EXPECT_FALSE(b.run(2000));
    EXPECT_EQ(b.log.size(), 1u) << "the put is written; it ends behind the messages";
    EXPECT_TRUE(b.out().quiet);
    EXPECT_FALSE(b.out().idle);
    b.hold_messages = false;
    ASSERT_TRUE(b.run());
    EXPECT_EQ(first_difference(b.result(), expected_of(b.given)), "");
}

// --- removal of translations

// A page that is taken away while packets for it are under way: what was translated before is acknowledged before the
// removal is, and nothing is written through it after.
TEST(nic_rx_block, removal_is_told_after_the_last_write_through_it) {
    auto c = one_buffer();
    for (unsigned i = 0; i < 24; ++i) c.packets.push_back(put(0, 256));
    for (std::uint64_t at = 1; at < 400; at += at < 70 ? 1 : 17) {
        SCOPED_TRACE(at);
        rx_bench b(c, {.table_latency = 7, .acknowledge_latency = 100});
        b.set_up();
        b.feeding = true;
        b.steps(static_cast<unsigned>(at));
        b.tables[entry_address(memory_space::host, 0x40000, 0x10000 >> 12, 2)] = 0xabcd0001;
        b.begin_command(3, 0, {0x10000});
        while (!b.command_ended()) b.step();
        EXPECT_EQ(b.answer, 0u);
        const auto told = b.cycle;
        ASSERT_TRUE(b.run());
        std::uint64_t before = 0, after = 0;
        for (const auto& n : b.log) {
            const auto& w = std::get<data_write>(n.what);
            const bool old = w.address >> 12 != 0xabcd0000u >> 12;
            if (old) { EXPECT_LE(n.cycle + 100, told); }
            (old ? before : after)++;
        }
        EXPECT_EQ(before + after, 48u);
        EXPECT_GT(after, 0u);
        ASSERT_EQ(b.broken, "");
    }
}

// --- resets

// In the middle of words, writes, walks and waits for acknowledgements; afterwards it does what a new block does.
TEST(nic_rx_block, after_a_soft_reset_it_does_what_a_new_one_does) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        SCOPED_TRACE(seed);
        const auto c = random_receive_case(seed, 12);
        rx_bench b(c, {.seed = seed, .refuse_dma = 3, .refuse_table = 3, .refuse_word = 4});
        b.set_up();
        b.feeding = true;
        b.steps(static_cast<unsigned>(seed * seed));
        b.soft_reset();
        b.set_up();
        ASSERT_TRUE(b.run());
        ASSERT_EQ(first_difference(b.result(), expected_of(c)), "");
        ASSERT_EQ(b.broken, "");
    }
}

// --- the core

TEST(nic_rx_block, with_misses_by_a_core_it_does_the_same) {
    unsigned lookups = 0, messages = 0;
    for (std::uint64_t seed = 100; seed < 112; ++seed) {
        SCOPED_TRACE(seed);
        const auto c = random_receive_case(seed, 40);
        rx_bench b(c, {.by_core = true});
        core_program p(b);
        b.set_up();
        ASSERT_TRUE(b.run());
        b.core = {};
        ASSERT_EQ(first_difference(b.result(), expected_of(c)), "");
        ASSERT_EQ(b.broken, "");
        EXPECT_EQ(b.table_reads, 0u) << "the walker";
        EXPECT_LT(p.lookups(), 40u) << "the TLBs keep what the core found";
        lookups += p.lookups();
        messages += p.messages();
    }
    EXPECT_GT(lookups, 50u);
    EXPECT_GT(messages, 5u);
}

// Two blocks as NICs have them: one finds the clocks that rise in an evaluation, the other is told.
class twins final : public nic_rx::nic_rx_block {
public:
    void drive(const nic_rx::inputs& in) override {
        in_ = in;
        found_->drive(in);
        told_->drive(in);
        EXPECT_EQ(found_->out(), told_->out());
        out_ = found_->out();
    }
    void edge() override {
        found_->edge();
        told_->clock(in_, in_);
    }
    void clock(const nic_rx::inputs& in, const nic_rx::inputs&) override {
        drive(in);
        edge();
    }
    unsigned stream(unsigned, nic_rx::inputs&, std::span<const std::uint8_t>, std::vector<std::uint8_t>&) override {
        return 0;
    }
    void flip(const nic_rx::stored_bit& at) override {
        found_->flip(at);
        told_->flip(at);
    }

private:
    nic_rx::inputs in_;
    std::unique_ptr<nic_rx::nic_rx_block> found_ = nic_rx::make_nic_rx_block(nic_rx::build::plain),
                                          told_ = nic_rx::make_nic_rx_block(nic_rx::build::plain);
};

TEST(nic_rx_block, edges_whose_clocks_are_told_do_what_an_evaluation_does) {
    for (std::uint64_t seed = 701; seed <= 716; ++seed) {
        SCOPED_TRACE(seed);
        const auto c = random_receive_case(seed, 40);
        rx_bench::behaviour how;
        how.make = [] { return std::make_unique<twins>(); };
        how.by_core = seed % 4 == 0;
        if (seed % 2 == 0) {
            how.seed = seed;
            how.refuse_dma = how.refuse_table = how.refuse_message = how.refuse_error = 3;
            how.refuse_word = 5;
        }
        if (seed % 3 == 0 && !how.by_core) how.ring_entries = 1;
        rx_bench b(c, how);
        std::optional<core_program> program;
        if (how.by_core) program.emplace(b);
        b.set_up();
        if (seed % 4 == 1) {
            b.feeding = true;
            b.steps(static_cast<unsigned>(seed - 700) * 40);
            b.soft_reset();
            b.set_up();
        }
        ASSERT_TRUE(b.run());
        b.core = {};
        ASSERT_EQ(first_difference(b.result(), expected_of(c)), "");
        ASSERT_EQ(b.broken, "");
        ASSERT_FALSE(HasFailure());
    }
}

// A block that evaluates all of each edge, and one as NICs have it that follows it: as many cycles together as differ
// in nothing but the word, up to the next event.
class followed final : public nic_rx::nic_rx_block {
public:
    explicit followed(calm_edges& seen) : seen_(seen) {}
    ~followed() override {
        drive(now_.in);
        follow();
        seen_.words += second_->calm().words;
        seen_.beats += second_->calm().beats;
        seen_.both += second_->calm().both;
    }
    void drive(const nic_rx::inputs& in) override {
        first_->drive(in);
        out_ = first_->out();
        now_ = {in, out_};
    }
    void edge() override {
        if (ago_.size() == 200) follow();
        ago_.push_back(now_);
        first_->edge();
    }
    void clock(const nic_rx::inputs& in, const nic_rx::inputs& expected) override {
        drive(in);
        edge();
        drive(expected);
    }
    unsigned stream(unsigned, nic_rx::inputs&, std::span<const std::uint8_t>, std::vector<std::uint8_t>&) override {
        return 0;
    }
    void flip(const nic_rx::stored_bit&) override {}

private:
    struct cycle {
        nic_rx::inputs in;
        nic_rx::outputs out;
    };
    static bool differ_in_words_alone(nic_rx::inputs a, const nic_rx::inputs& b) {
        static_cast<nic_rx::word_inputs&>(a) = b;
        const nic_rx::seldom_inputs& seldom = b;
        const nic_rx::write_inputs& writes = b;
        return a.rst_n == b.rst_n && seldom == static_cast<nic_rx::seldom_inputs&>(a) &&
               writes == static_cast<nic_rx::write_inputs&>(a);
    }
    static bool ends_stream(const nic_rx::outputs& o, const nic_rx::inputs& in) {
        return o.table_valid || o.error_valid || (o.message_valid && in.message_ready) ||
               (o.dma_valid && in.dma_ready && o.dma_last);
    }
    // Edges that stream() may take from a cycle on, and the words that they bring.
    unsigned edges_from(std::size_t first, std::vector<std::uint8_t>& words) const {
        unsigned edges = 0;
        for (std::size_t i = first; i + 1 < ago_.size(); ++i, ++edges) {
            const nic_rx::inputs &in = ago_[i].in, &next = ago_[i + 1].in;
            if (!in.rst_n || !differ_in_words_alone(in, next) || in.in_valid != next.in_valid) break;
            if (!in.in_valid) continue;
            if (in.in_last || !ago_[i].out.in_ready) break;
            words.insert(words.end(), next.in_data.begin(), next.in_data.end());
        }
        const bool last = edges != 0 && ago_[first + edges].in.in_last;
        if (!words.empty() && !last) words.resize(words.size() + nic_rx::word_bytes);  // others follow
        return edges;
    }
    void follow() {
        ago_.push_back(now_);
        for (std::size_t i = 0; i + 1 < ago_.size();) {
            nic_rx::inputs in = ago_[i].in;
            std::vector<std::uint8_t> words, bytes, expected;
            const unsigned most = edges_from(i, words);
            const unsigned edges = most == 0 ? 0 : second_->stream(most, in, words, bytes);
            EXPECT_TRUE(edges == most || (edges != 0 && ends_stream(ago_[i + edges].out, in))) << "it ends early";
            for (unsigned k = 1; k <= edges; ++k) {
                const nic_rx::outputs& o = ago_[i + k].out;
                EXPECT_TRUE(k == edges || !ends_stream(o, in)) << "it does not end";
                if (!o.dma_valid || !in.dma_ready) continue;
                expected.resize(expected.size() + nic_rx::word_bytes);
                std::uint8_t* const to = &*expected.end() - nic_rx::word_bytes;
                expected.resize(expected.size() - nic_rx::word_bytes + add_beat(to, o.dma_data.data(), o.dma_strobe));
            }
            EXPECT_EQ(bytes, expected);
            if (!in.rst_n) {
                second_->drive(in);
                second_->edge();
                ++i;
            } else if (edges == 0) {
                second_->clock(in, ago_[++i].in);
            } else {
                i += edges;
                const nic_rx::word_inputs& word = ago_[i].in;
                EXPECT_TRUE(!in.in_valid || word == static_cast<const nic_rx::word_inputs&>(in));
            }
            second_->drive(ago_[i].in);
            EXPECT_EQ(second_->out(), ago_[i].out);
        }
        ago_.clear();
    }

    calm_edges& seen_;
    cycle now_;
    std::vector<cycle> ago_;  // the second block is in the first of them
    std::unique_ptr<nic_rx::nic_rx_block> first_ = nic_rx::make_nic_rx_block(nic_rx::build::usual),
                                          second_ = nic_rx::make_nic_rx_block(nic_rx::build::plain);
};

TEST(nic_rx_block, cycles_that_are_clocked_together_do_what_they_do_one_by_one) {
    nic_rx::nic_rx_block::calm_edges seen;
    for (std::uint64_t seed = 801; seed <= 824; ++seed) {
        SCOPED_TRACE(seed);
        auto c = random_receive_case(seed, 60);
        c.max_payload = 64u << seed % 7;
        rx_bench::behaviour how;
        how.make = [&] { return std::make_unique<followed>(seen); };
        if (seed % 4 == 0) {
            how.seed = seed;
            how.refuse_dma = how.refuse_table = how.refuse_message = how.refuse_error = 20;
            how.refuse_word = 50;
        }
        how.any_rest = seed % 8 == 2;
        if (seed % 3 == 0) how.ring_entries = 1;
        rx_bench b(c, how);
        b.set_up();
        if (seed % 5 == 0) {
            b.feeding = true;
            b.steps(static_cast<unsigned>(seed - 800) * 90);
            b.soft_reset();
            b.set_up();
        }
        if (seed % 6 == 1) {  // pauses, and removals of all translations, while words come and beats leave
            b.feeding = true;
            for (unsigned i = 0; i < 12; ++i) {
                b.steps(17 + 13 * i);
                b.in().pause = i % 2 == 0;
                b.command(nic::nic_rx_registers::command_opcode_invalidate_all, 0, {});
            }
            b.in().pause = false;
        }
        for (std::size_t n = 1; seed % 6 == 3 && n < c.packets.size(); ++n) {  // one packet after the other
            b.packets_to_come = n;
            ASSERT_TRUE(b.run());
        }
        b.packets_to_come = ~std::size_t{0};
        ASSERT_TRUE(b.run());
        if (seed % 6 != 1) { ASSERT_EQ(first_difference(b.result(), expected_of(c)), ""); }
        ASSERT_EQ(b.broken, "");
        ASSERT_FALSE(HasFailure());
    }
    std::printf("calm edges: %llu of words, %llu of beats, %llu of both\n", static_cast<unsigned long long>(seen.words),
                static_cast<unsigned long long>(seen.beats), static_cast<unsigned long long>(seen.both));
    EXPECT_GT(seen.words, 3'000u);
    EXPECT_GT(seen.beats, 1'000u);
    EXPECT_GT(seen.both, 3'000u);
}

// Edges in quiet cycles change nothing that comes later, nor when. A NIC that refuses nothing, and one that refuses and
// delays; misses by the walker and by a core.
TEST(nic_rx_block, edges_while_it_is_quiet_change_nothing) {
    std::uint64_t quiet = 0, cycles = 0;
    for (std::uint64_t seed = 401; seed <= 412; ++seed) {
        SCOPED_TRACE(seed);
        const auto c = random_receive_case(seed, 40);
        rx_bench::behaviour how;
        how.build = nic_rx::build::plain;
        how.by_core = seed % 4 == 0;
        how.ring_entries = seed % 3 == 0 ? 1 : 64;
        if (seed % 2 == 0) {
            how.seed = seed;
            how.refuse_dma = how.refuse_table = how.refuse_message = how.refuse_error = 3;
        }
        std::array<std::vector<std::uint64_t>, 2> times;
        for (auto& list : times) {
            rx_bench b(c, how);
            std::optional<core_program> core;
            if (how.by_core) core.emplace(b);
            b.set_up();
            ASSERT_TRUE(b.run());
            for (const auto& n : b.log) list.push_back(n.cycle);
            b.core = {};
            ASSERT_EQ(first_difference(b.result(), expected_of(c)), "");
            ASSERT_EQ(b.broken, "");
            b.steps(2);
            EXPECT_TRUE(b.out().quiet) << "nothing is inside";
            quiet += b.quiet_cycles;
            cycles += b.cycle;
            how.edges_when_quiet = true;
        }
        EXPECT_EQ(times[0], times[1]);
    }
    EXPECT_GT(quiet, cycles / 40);
}

// A second get request is not shown while the transmit side has not taken the task before.
TEST(nic_rx_block, a_task_that_waits_hides_the_next_get_request) {
    auto c = one_buffer();
    packet_header h;
    h.length = get_request_payload;
    h.kind = 1;
    h.target = c.node;
    for (std::uint8_t i = 0; i < 2; ++i) c.packets.push_back(packet_words(h, std::vector<std::uint8_t>(16, i)));
    rx_bench b(c, {.by_core = true});
    b.feeding = true;
    b.steps(50);
    const auto status = [&] { return b.bus(false, regs::irq_status.offset); };
    EXPECT_EQ(status(), regs::irq_status_message.mask());
    b.bus(true, regs::message_take.offset, 0);  // not read yet: it stays
    EXPECT_EQ(b.bus(false, regs::message.offset + 16), 0u);
    b.bus(true, regs::message_take.offset, 0);
    EXPECT_EQ(status(), regs::irq_status_message.mask());
    b.bus(true, regs::task_send.offset, 0);
    EXPECT_EQ(status(), 0u);
    b.bus(true, regs::task.offset, 1);
    EXPECT_TRUE(b.bus_error) << "the task belongs to the transmit side";
    b.in().task_ready = true;
    b.step();
    b.in().task_ready = false;
    EXPECT_EQ(status(), regs::irq_status_message.mask());
    EXPECT_EQ(b.bus(false, regs::message.offset + 16), 0x01010101u);
}

// The driver replaces an entry under traffic: each packet sees the old one or the new one, and the change waits until
// no search is between.
TEST(nic_rx_block, a_buffer_is_replaced_under_traffic) {
    for (unsigned at = 100; at < 120; ++at) {
        auto c = one_buffer();
        c.buffers[0].first = 63;  // the search takes eight cycles
        for (unsigned i = 0; i < 40; ++i) c.packets.push_back(put(16 * i, 16, true));
        rx_bench b(c, {});
        b.set_up();
        b.feeding = true;
        b.steps(at);
        buffer_entry other = c.buffers[0].second;
        other.ring = 9;
        b.set_buffer(63, other);
        ASSERT_TRUE(b.run());
        ASSERT_EQ(b.broken, "");
        bool changed = false;
        for (const auto& n : b.log)
            if (const auto* e = std::get_if<completion_event>(&n.what)) {
                EXPECT_EQ(e->ring, changed || e->ring == 9 ? 9u : 0u) << "and not back again";
                changed = changed || e->ring == 9;
            }
        EXPECT_TRUE(changed);
        EXPECT_EQ(b.counters().accepted, 40u);
    }
}

// The core had begun to read a look-up that the reset removed; its answer is not that of the next look-up.
TEST(nic_rx_block, an_answer_to_what_a_reset_removed_is_ignored) {
    auto c = one_buffer();
    c.packets = {put(16, 100)};
    rx_bench b(c, {.by_core = true});
    core_program p(b);
    b.set_up();
    const auto program = std::exchange(b.core, {});
    const auto wait_for_lookup = [&] {
        b.feeding = true;
        for (unsigned i = 0; i < 200 && !b.out().irq; ++i) b.step();
        ASSERT_TRUE(b.out().irq);
    };
    wait_for_lookup();
    EXPECT_NE(b.bus(false, regs::lookup_header.offset), 0u);
    b.soft_reset();
    b.core = program;
    b.set_up();
    b.core = {};
    wait_for_lookup();
    b.bus(true, regs::lookup_entry.offset, 0xbad0001);
    b.bus(true, regs::lookup_result.offset, 0);
    b.steps(20);
    EXPECT_TRUE(b.log.empty());
    b.core = program;
    ASSERT_TRUE(b.run());
    b.core = {};
    EXPECT_EQ(first_difference(b.result(), expected_of(c)), "");
}

// An entry that the core writes word by word is as before or as after, and nothing between: here both do not hold the
// packets, and a mixture would.
TEST(nic_rx_block, an_entry_written_word_by_word_changes_at_once) {
    auto c = one_buffer();
    for (unsigned i = 0; i < 60; ++i) c.packets.push_back(put(0x10010, 16));
    rx_bench b(c, {});
    b.set_up();
    b.feeding = true;
    buffer_entry other = c.buffers[0].second;
    other.base = 0x18000;
    other.length = 0x4000;
    const auto words = encode(other);
    for (unsigned i = 0; i < 8; ++i) {
        b.steps(10);
        b.bus(true, rx_bench::list_word(0, i), words[i]);
    }
    ASSERT_TRUE(b.run());
    EXPECT_EQ(b.counters().drops[static_cast<unsigned>(drop_reason::no_buffer)], 60u);
    // It is found now.
    b.given.packets = {put(0x8000, 16)};
    b.next = 0;
    ASSERT_TRUE(b.run());
    EXPECT_EQ(b.counters().accepted, 1u);
}

// Bits change in the payload of some packets and in an entry; clocks are gated, or not. Every port that tells of it
// does the same in every cycle, and in the quiet ones nothing changes.
TEST(nic_rx_block, gated_clocks_see_bad_words_in_the_same_cycles) {
    std::uint64_t drops = 0;
    for (std::uint64_t seed = 501; seed <= 508; ++seed) {
        SCOPED_TRACE(seed);
        auto c = random_receive_case(seed, 40);
        contraflow::testing::bad_memories bad;
        for (std::size_t i = 0; i < c.packets.size(); ++i)
            if (i % 3 == seed % 3 && c.packets[i].size() >= 3 * word_bytes)
                bad.payloads[i] = {{0, static_cast<unsigned>(i * 29 % nic_rx::packet_buffer_bits)}};
        std::array<std::vector<std::array<unsigned, 6>>, 2> ports;
        for (const bool gated : {false, true}) {
            rx_bench::behaviour how;
            how.edges_when_quiet = seed % 2 == 0;
            if (seed % 4 > 1) {
                how.seed = seed;
                how.refuse_dma = how.refuse_table = how.refuse_error = 3;
            }
            if (gated) how.make = contraflow::testing::make_gated_block;
            rx_bench b(c, how);
            b.bad_payloads = bad.payloads;
            b.set_up();
            b.bus(true, regs::irq_enable.offset, regs::irq_enable_memory.mask());
            b.core = [&] {
                const auto& o = b.out();
                ports[gated ? 1 : 0].push_back({o.irq, o.quiet, o.calm, o.idle, o.dma_valid, o.error_valid});
            };
            ASSERT_TRUE(b.run());
            ASSERT_EQ(first_difference(b.result(), expected_of(c, bad)), "");
            ASSERT_EQ(b.broken, "");
            const auto now = b.counters().drops[static_cast<unsigned>(drop_reason::memory)];
            EXPECT_EQ(b.out().irq, now != 0);
            drops += now;
        }
        EXPECT_EQ(ports[0], ports[1]);
    }
    EXPECT_GE(drops, 40u);
}

// Without a bit that changes, the same packets wait as long.
TEST(nic_rx_block, a_bad_word_moves_no_other_packet) {
    std::array<std::vector<std::uint64_t>, 2> times;
    for (const bool spoilt : {false, true}) {
        auto c = one_buffer();
        for (unsigned i = 0; i < 10; ++i) c.packets.push_back(put(512 * i, 300, false));
        rx_bench b(c, {});
        if (spoilt) b.bad_payloads = {{2, {{18, 7}}}, {3, {{0, 7}}}, {9, {{4, 131}}}};
        b.set_up();
        ASSERT_TRUE(b.run());
        for (const auto& n : b.log)
            if (std::holds_alternative<data_write>(n.what)) times[spoilt ? 1 : 0].push_back(n.last);
    }
    EXPECT_EQ(times[0], times[1]);
}

TEST(nic_rx_block, registers) {
    rx_bench b(one_buffer(), {});
    const auto read = [&](unsigned offset) { return b.bus(false, offset); };
    EXPECT_EQ(read(regs::id.offset), regs::id.reset);
    EXPECT_EQ(read(regs::buf_list.offset), 0x5000'0000u);
    EXPECT_EQ(read(regs::buf_list_entries.offset), 64u);
    for (const auto& r : regs::all) {
        read(r.offset);
        EXPECT_FALSE(b.bus_error) << r.name;
        if (r.how != regs::access::ro) continue;
        b.bus(true, r.offset, 1);
        EXPECT_TRUE(b.bus_error) << r.name;
    }
    EXPECT_EQ(read(regs::rings.offset), 16u);
    b.bus(false, 0x100);
    EXPECT_TRUE(b.bus_error) << "behind the last one";
    b.bus(false, 2);
    EXPECT_TRUE(b.bus_error) << "between two";
    b.bus(true, regs::ring_set.offset, 16);
    EXPECT_TRUE(b.bus_error);
    b.bus(true, regs::lookup_result.offset, regs::lookup_result_space.in_place(5));
    EXPECT_TRUE(b.bus_error);
    b.bus(true, regs::table_segment.offset + 4, 0x77);
    b.step();
    EXPECT_EQ(b.out().table_segment, 0x77ull << 32);
    for (unsigned i = 0; i < 64; ++i) b.bus(true, rx_bench::list_word(63, i % 8), i);
    for (unsigned i = 0; i < 8; ++i) EXPECT_EQ(read(rx_bench::list_word(63, i)), 56 + i) << i;
    b.bus(true, rx_bench::list_word(64), 0);
    EXPECT_TRUE(b.bus_error) << "behind BUF_LIST";
    for (const unsigned bad : {0u, 7u, 255u}) EXPECT_EQ(b.command(static_cast<std::uint8_t>(bad), 0, {}), ~0u);
    EXPECT_EQ(b.command(regs::command_opcode_set_buffer, 64, {}), ~0u);
    EXPECT_EQ(b.command(regs::command_opcode_set_buffer, 0, {5u << 2}), ~0u) << "no such space";
    EXPECT_EQ(b.command(regs::command_opcode_set_buffer, 0, {16u << 8}), ~0u) << "no such ring";
    EXPECT_EQ(b.command(regs::command_opcode_set_ring, 16, {}), ~0u);
    EXPECT_EQ(b.command(regs::command_opcode_read_counter, regs::counter_registers, {}), ~0u);
    EXPECT_EQ(b.command(regs::command_opcode_reset, 0, {}), 0u);
    EXPECT_EQ(read(rx_bench::list_word(63)) & 1, 0u);
}

TEST(rx_recording, gives_back_the_inputs_of_each_edge_as_they_were) {
    nic_rx::inputs in_reset, in_use;
    in_reset.rst_n = false;
    const std::vector<nic_rx::recorded_edge> edges{
        {0, in_reset}, {0, in_reset}, {2, in_use}, {7, in_reset}, {8, in_use}};
    nic_rx::rx_recording r("nic.receive", nic_rx::build::usual, core::sim_time{1000});
    for (const auto& e : edges) r.add(e.cycle, e.in);
    nic_rx::rx_recording::reader read(r);
    for (const auto& e : edges) {
        ASSERT_TRUE(read.read());
        EXPECT_EQ(read.edge().cycle, e.cycle);
        EXPECT_EQ(read.edge().in.rst_n, e.in.rst_n) << e.cycle;
    }
    EXPECT_FALSE(read.read());
}

}  // namespace
