// SPDX-License-Identifier: Apache-2.0
// The receive datapath with firmware on its core and as RTL, alone and in lockstep with the TLM model.
#include "nic_levels/receive_level.h"

#include <cmath>
#include <cstdio>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nic/fake_nic.h"
#include "nic/receive/random_case.h"
#include "nic/receive_reference.h"
#include "nic/smallest_receive.h"
#include "nic/worked_cases.h"
#include "nic_levels/rtl_datapath.h"
#include "nic_levels/wrong_rtl.h"
#include "observe/waves/wave_recording.h"

namespace nic_levels_test {

using namespace contraflow;
using namespace contraflow::nic;
using namespace contraflow::nic_levels;
using contraflow::testing::fake_nic;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

constexpr core::sim_time cycle{5000};

// A level, with the project's firmware or another.
struct chosen {
    explicit chosen(const chosen_level& l, const std::string& file = {})
        : program(file.empty() ? built_in_firmware() : iss::elf_file::read(file)),
          factory(receive_factory(l, options, difference)) {
        options.program = &program;
        options.profile = &profile;
    }
    iss::elf_file program;
    core_profile profile;
    core_options options;
    level_difference difference;
    datapath_factory factory;
};

const chosen_level rtl_and_tlm{receive_level::lockstep, {lockstep_level::rtl, lockstep_level::tlm}};
const chosen_level rtl_with_firmware{receive_level::rtl, {}, miss_path::firmware};
const chosen_level rtl_with_firmware_and_tlm{
    receive_level::lockstep, {lockstep_level::rtl, lockstep_level::tlm}, miss_path::firmware};
const chosen_level rtl_and_firmware{receive_level::lockstep, {lockstep_level::rtl, lockstep_level::firmware}};

std::string wrong(const std::string& name) { return std::string(CF_FIRMWARE) + "/" + name + ".elf"; }

// Registered buffers 0 to `count` - 1 of process 1, a megabyte of the host's memory each, one after the other; the
// last one's pages are mapped.
receive_case buffers_of_the_host(unsigned count) {
    receive_case c;
    c.name = "buffers";
    const auto base = [](unsigned i) { return (1ull << 32) + i * (1ull << 20); };
    for (unsigned i = 0; i < count; ++i)
        c.buffers.push_back({i, {true, 1, base(i), 1 << 20, memory_space::host, true, 0x10000, 0}});
    std::map<std::uint64_t, std::uint64_t> tables;
    for (std::uint64_t a = base(count - 1); a < base(count); a += 4096) {
        tables[entry_address(memory_space::host, 0x10000, a >> 12, 0)] = 0x20001;
        tables[entry_address(memory_space::host, 0x20000, a >> 12, 1)] = 0x40001;
        tables[entry_address(memory_space::host, 0x40000, a >> 12, 2)] = a | 1;
    }
    c.tables.assign(tables.begin(), tables.end());
    return c;
}

std::vector<std::uint8_t> put(std::uint64_t address, std::uint16_t length, bool notify = false) {
    packet_header h;
    h.length = length;
    h.process = 1;
    h.address = address;
    h.notify = notify;
    std::vector<std::uint8_t> payload(length);
    std::iota(payload.begin(), payload.end(), static_cast<std::uint8_t>(address));
    return packet_words(h, payload);
}
std::vector<std::uint8_t> get(std::uint16_t tag) {
    packet_header h;
    h.length = get_request_payload;
    h.kind = 1;
    h.process = 0xabcd;
    h.address = 0x1234'5678'9abc;
    h.tag = tag;
    h.source = {31, 7, 5};
    std::vector<std::uint8_t> payload(h.length);
    std::iota(payload.begin(), payload.end(), static_cast<std::uint8_t>(tag));
    return packet_words(h, payload);
}

class worked : public ::testing::TestWithParam<unsigned> {};

TEST_P(worked, case_comes_out_exactly) {
    const auto cases = parse_receive_cases(contraflow::testing::worked_receive_cases()).cases;
    const receive_case& c = cases.at(GetParam());
    SCOPED_TRACE(c.name);
    for (const chosen_level& level : {chosen_level{receive_level::firmware}, chosen_level{receive_level::lockstep},
                                      chosen_level{receive_level::rtl}, rtl_and_tlm, rtl_and_firmware,
                                      rtl_with_firmware, rtl_with_firmware_and_tlm}) {
        SCOPED_TRACE(title_of(level));
        const chosen l(level);
        const auto o = replay(c, {}, l.factory);
        EXPECT_TRUE(o.complete) << o.hang;
        EXPECT_EQ(l.difference.text, "");
        EXPECT_EQ(o.not_conserved, "");
        EXPECT_EQ(first_difference(o.result, *c.expected), "");
    }
}
INSTANTIATE_TEST_SUITE_P(nic_levels, worked, ::testing::Range(0u, 12u));

TEST(nic_levels, random_packets_do_the_same_at_all_levels) {
    std::array<std::uint64_t, drop_reasons> drops{};
    std::uint64_t gets = 0;
    for (std::uint64_t seed = 1001; seed <= 1045; ++seed) {
        SCOPED_TRACE(seed);
        const auto c = random_receive_case(seed, 120);
        const chosen l(seed <= 1030   ? chosen_level{receive_level::lockstep}
                       : seed <= 1040 ? rtl_and_tlm
                                      : rtl_with_firmware_and_tlm);
        const auto o = replay(c, {}, l.factory);
        ASSERT_TRUE(o.complete) << o.hang;
        ASSERT_EQ(l.difference.text, "");
        ASSERT_EQ(o.not_conserved, "");
        ASSERT_EQ(first_difference(o.result, contraflow::testing::expected_of(c)), "");
        for (unsigned i = 0; i < drop_reasons; ++i) drops[i] += o.result.counters.drops[i];
        gets += o.result.counters.mailbox;
    }
    for (unsigned i = 0; i < reasons_of_packets; ++i) EXPECT_GE(drops[i], 5u) << "the traffic lacks " << drop_names[i];
    EXPECT_GE(gets, 50u);
}

// Refusals, delays, acknowledgements out of order, small queues.
TEST(nic_levels, a_nic_that_holds_things_up_changes_time_alone) {
    const std::array<chosen_level, 7> levels{
        receive_level::lockstep, receive_level::firmware,  receive_level::firmware, receive_level::rtl, rtl_and_tlm,
        rtl_with_firmware,       rtl_with_firmware_and_tlm};
    for (std::uint64_t seed = 1; seed <= 21; ++seed) {
        SCOPED_TRACE(seed);
        chosen l(levels[seed % levels.size()]);
        l.options.spec.messages = 1;
        const receive_spec s = seed % 2 == 0 ? contraflow::testing::smallest_receive() : receive_spec{};
        fake_nic::behaviour b;
        b.seed = seed;
        b.refuse_dma = 4;
        b.refuse_messages = 3;
        b.ring_entries = seed % 5 == 0 ? 1 : 64;
        fake_nic n(random_receive_case(seed, 60), s, l.factory, b);
        n.run();
        EXPECT_TRUE(n.datapath->idle());
        EXPECT_EQ(n.early_completions, 0u);
        ASSERT_EQ(first_difference(n.result(), contraflow::testing::expected_of(n.given)), "");
        observe::conservation checks;
        n.datapath->check(checks);
        EXPECT_TRUE(checks.held());
        EXPECT_EQ(l.difference.text, "");
    }
}

// With waves the RTL is clocked in each cycle at its time, else in several at once: nothing outside can tell.
TEST(nic_levels, rtl_that_is_clocked_together_does_the_same_at_the_same_times) {
    struct ignoring : observe::wave_sink_if {
        observe::signal_id add(std::string, unsigned) override { return {}; }
        void set(observe::signal_id, core::sim_time, std::uint64_t) override {}
    } sink;
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        SCOPED_TRACE(seed);
        std::array<std::vector<core::sim_time>, 2> times;
        std::array<std::uint64_t, 2> callbacks{};
        for (const bool waves : {false, true}) {
            const chosen l(chosen_level{receive_level::rtl});
            const datapath_factory make = [&](datapath_place place) {
                if (waves) place.waves = &sink;
                return l.factory(place);
            };
            fake_nic::behaviour b;
            b.seed = seed % 2 == 0 ? seed : 0;
            b.refuse_dma = seed % 2 == 0 ? 4 : 0;
            fake_nic n(random_receive_case(seed, 60), {}, make, b);
            n.run();
            ASSERT_EQ(first_difference(n.result(), contraflow::testing::expected_of(n.given)), "");
            for (const auto& a : n.log) times[waves].push_back(a.at);
            callbacks[waves] = n.sim.events().executed();
        }
        EXPECT_EQ(times[0], times[1]);
        EXPECT_LT(callbacks[0], callbacks[1]);
    }
}

// The RTL as NICs have it, whose calm cycles are clocked with what is known of them, beside the RTL with assertions,
// which evaluates all of each edge. Many cycles at once are compared when they have ended, others one by one.
class calm_and_evaluated final : public nic_rx::nic_rx_block {
public:
    explicit calm_and_evaluated(std::uint64_t& calm) : edges_(calm) {}
    ~calm_and_evaluated() override { edges_ += calm_->calm().words + calm_->calm().beats + calm_->calm().both; }
    void drive(const nic_rx::inputs& in) override {
        calm_->drive(in);
        evaluated_->drive(in);
        compare();
    }
    void edge() override {
        calm_->edge();
        evaluated_->edge();
    }
    void clock(const nic_rx::inputs& in, const nic_rx::inputs& expected) override {
        drive(in);
        calm_->clock(in, expected);
        evaluated_->edge();
        drive(expected);
    }
    unsigned stream(unsigned cycles, nic_rx::inputs& in, std::span<const std::uint8_t> words,
                    std::vector<std::uint8_t>& bytes) override {
        nic_rx::inputs evaluated_in = in;
        auto evaluated_bytes = bytes;
        const unsigned edges = calm_->stream(cycles, in, words, bytes);
        EXPECT_EQ(evaluated_->stream(cycles, evaluated_in, words, evaluated_bytes), edges);
        EXPECT_EQ(evaluated_bytes, bytes);
        drive(in);
        return edges;
    }
    void flip(const nic_rx::stored_bit&) override {}

private:
    void compare() {
        EXPECT_EQ(calm_->out(), evaluated_->out());
        out_ = calm_->out();
    }
    std::uint64_t& edges_;  // in calm cycles
    std::unique_ptr<nic_rx::nic_rx_block> calm_ = nic_rx::make_nic_rx_block(nic_rx::build::plain),
                                          evaluated_ = nic_rx::make_nic_rx_block(nic_rx::build::usual);
};

TEST(nic_levels, rtl_in_calm_cycles_does_what_it_does_if_all_of_each_edge_is_evaluated) {
    std::uint64_t calm = 0;
    const datapath_factory make = [&](const datapath_place& p) {
        return std::make_unique<rtl_datapath>(p, [&] { return std::make_unique<calm_and_evaluated>(calm); });
    };
    for (std::uint64_t seed = 1; seed <= 16; ++seed) {
        SCOPED_TRACE(seed);
        auto c = random_receive_case(seed, 120);
        c.max_payload = 64u << seed % 7;
        fake_nic::behaviour b;
        b.seed = seed % 4 == 0 ? seed : 0;
        b.refuse_dma = seed % 4 == 0 ? 4 : 0;
        fake_nic n(c, {}, make, b);
        n.feed();
        for (unsigned i = 0; seed % 3 == 0 && i < 20; ++i) {
            n.sim.run_to(n.sim.events().now() + cycle * (1 + (seed * 7919 + i * 104729) % 497));
            ASSERT_TRUE(n.datapath->control(core::control_verb::invalidate));
        }
        n.run();
        if (seed % 3 != 0) { ASSERT_EQ(first_difference(n.result(), contraflow::testing::expected_of(n.given)), ""); }
        ASSERT_FALSE(HasFailure());
    }
    std::printf("%llu edges in calm cycles\n", static_cast<unsigned long long>(calm));
    EXPECT_GT(calm, 30'000u);
}

// The cost of a run with RTL is that of the cycles in which it is clocked: those in which a word comes or a beat
// leaves, and a few that a packet, a write and its acknowledgement take.
TEST(nic_levels, rtl_is_clocked_in_few_cycles_but_those_of_words_and_beats) {
    for (const std::uint32_t length : {32u, 512u, 4096u}) {
        constexpr unsigned count = 40;
        auto c = buffers_of_the_host(1);
        for (unsigned i = 0; i < count; ++i) c.packets.push_back(put((1ull << 32) + i * 4096, length));
        const chosen l(receive_level::rtl);
        fake_nic n(c, {}, l.factory, {});
        n.run();
        EXPECT_EQ(n.datapath->counters().accepted, count);
        const std::uint64_t beats = length / word_bytes, words = beats + 2;
        const std::uint64_t writes = std::max<std::uint64_t>(length / receive_spec{}.max_payload, 1);
        const std::uint64_t clocked = static_cast<const rtl_datapath&>(*n.datapath).clocked() / count;
        std::printf("%u bytes: %llu cycles a packet, %llu words, %llu beats, %llu writes\n", length,
                    static_cast<unsigned long long>(clocked), static_cast<unsigned long long>(words),
                    static_cast<unsigned long long>(beats), static_cast<unsigned long long>(writes));
        EXPECT_LE(clocked, words + 8);  // beats leave while the next packet comes
    }
}

// Per packet of 4 KiB in a stream: with one buffer 3 us, the published figure, to which the latency of the core's table
// memory is fitted; the other figures follow.
TEST(nic_levels, time_of_a_look_up_is_linear_in_the_number_of_buffers) {
    const auto measured = [](unsigned buffers) {
        auto c = buffers_of_the_host(buffers);
        for (unsigned i = 0; i < 50; ++i)
            c.packets.push_back(put((1ull << 32) + ((buffers - 1ull) << 20) + i * 4096, 4096));
        const chosen l(receive_level::firmware);
        {
            fake_nic n(c, {}, l.factory, {});
            n.sim.run();  // buffers are registered
            n.run();
            EXPECT_EQ(n.datapath->counters().accepted, 50u);
        }
        return static_cast<double>(l.profile.lookup_time) / static_cast<double>(l.profile.packets) * 1e-6;  // us
    };
    const double one = measured(1), eight = measured(8), all = measured(64);
    std::printf("a look-up takes %.3f us with 1 buffer, %.3f with 8, %.3f with 64\n", one, eight, all);
    EXPECT_NEAR(one, 3.0, 0.05);
    EXPECT_NEAR((all - eight) / 56, (eight - one) / 7, 0.01 * one);
    EXPECT_GT(eight, one);
}

TEST(nic_levels, a_core_without_work_executes_nothing) {
    const chosen l(receive_level::firmware);
    fake_nic n(buffers_of_the_host(1), {}, l.factory, {});
    n.sim.run();
    auto& core = static_cast<firmware_datapath&>(*n.datapath).core().core();
    EXPECT_TRUE(core.waits_for_interrupt());
    const auto before = core.instructions();
    n.sim.run_to(n.sim.events().now() + core::sim_time::from_us(1'000'000));
    EXPECT_EQ(core.instructions(), before);
}

// More get requests than the core's queue holds, while the transmit side refuses.
TEST(nic_levels, get_requests_wait_for_the_core_and_for_the_transmit_side) {
    receive_case c = buffers_of_the_host(1);
    for (std::uint16_t tag = 0; tag < 40; ++tag) c.packets.push_back(get(tag));
    chosen l(receive_level::firmware);
    l.options.spec.messages = 2;
    fake_nic n(c, {}, l.factory, {.seed = 3, .refuse_messages = 2});
    n.run();
    EXPECT_EQ(n.datapath->counters().mailbox, 40u);
    EXPECT_EQ(first_difference(n.result(), contraflow::testing::expected_of(c)), "");
}

TEST(nic_levels, a_buffer_that_is_registered_or_removed_counts_for_packets_after_it) {
    auto c = buffers_of_the_host(1);
    const auto entry = c.buffers[0].second;
    const chosen l(receive_level::firmware);
    fake_nic n(c, {}, l.factory, {});
    n.datapath->receive(put(1ull << 32, 64));  // before the core has started
    n.sim.run();
    EXPECT_EQ(n.datapath->counters().accepted, 1u);
    for (unsigned i = 0; i < 20; ++i) {
        n.datapath->receive(put(1, 64));  // to no buffer: keeps the core busy
        n.sim.run_to(n.sim.events().now() + cycle * (37 * i));
        n.datapath->set_buffer(0, i % 2 == 0 ? buffer_entry{} : entry);
        while (!n.datapath->can_receive()) n.sim.run_to(n.sim.events().now() + cycle);
        n.datapath->receive(put(1ull << 32, 64));
        n.sim.run();
        EXPECT_EQ(n.datapath->counters().accepted, 1 + (i + 1) / 2) << i;
    }
}

// Writes translated before a page was taken away are acknowledged before its removal is; none follows.
TEST(nic_levels, removal_is_told_after_the_last_write_through_it) {
    auto c = buffers_of_the_host(1);
    for (unsigned i = 0; i < 20; ++i) c.packets.push_back(put(1ull << 32, 256));
    for (std::uint64_t at = 200; at < 4000; at += 331) {
        SCOPED_TRACE(at);
        const chosen l(receive_level::firmware);
        fake_nic n(c, {}, l.factory, {.acknowledge_latency = cycle * 200});
        n.sim.run();
        const auto begin = n.sim.events().now();
        n.feed();
        n.sim.run_to(begin + cycle * at);
        n.tables.set_entry(entry_address(memory_space::host, 0x40000, (1ull << 32) >> 12, 2), 0xabcd0001);
        n.datapath->invalidate(0x10000);
        EXPECT_FALSE(n.datapath->idle());
        while (n.invalidations == 0) n.sim.run_to(n.sim.events().now() + cycle);
        const auto told = n.sim.events().now();
        n.sim.run();
        unsigned after = 0;
        for (const auto& entry : n.log) {
            const bool old = std::get<data_write>(entry.what).address >> 12 == (1ull << 32) >> 12;
            if (old) { EXPECT_LE(entry.at + cycle * 200, told); }
            after += old ? 0 : 1;
        }
        EXPECT_EQ(n.log.size(), 40u);
        EXPECT_GT(after, 0u);
    }
}

// A reset at any time, then the same packets again: what had begun before counts for nothing.
void plays_as_a_new_one_after_a_reset(const chosen_level& level) {
    const auto c = random_receive_case(7, 40);
    for (std::uint64_t at = 0; at < 30'000; at = at * 5 / 3 + 101) {
        const chosen l(level);
        fake_nic n(c, {}, l.factory, {});
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
        EXPECT_TRUE(n.datapath->idle()) << at;
        ASSERT_EQ(first_difference(n.result(), contraflow::testing::expected_of(c)), "") << at;
    }
}

TEST(nic_levels, after_a_reset_it_does_what_a_new_one_does) {
    plays_as_a_new_one_after_a_reset(receive_level::firmware);
}

// The core finishes its work; its answer is not the next packet's, and buffers are gone.
TEST(nic_levels, what_the_core_had_begun_before_a_reset_counts_for_nothing) {
    for (std::uint64_t at = 0; at < 800; at += 23) {
        SCOPED_TRACE(at);
        const chosen l(receive_level::firmware);
        fake_nic n(buffers_of_the_host(1), {}, l.factory, {});
        n.sim.run();
        n.datapath->receive(at % 2 == 0 ? put(1ull << 32, 16) : get(1));
        n.sim.run_to(n.sim.events().now() + cycle * at);
        n.hold_acknowledgements = true;  // for writes that were sent
        ASSERT_TRUE(n.datapath->control(core::control_verb::reset));
        n.log.clear();
        n.datapath->receive(at % 2 == 0 ? put(1ull << 32, 16) : get(2));
        n.sim.run_to(n.sim.events().now() + core::sim_time::from_us(50));
        ASSERT_EQ(n.log.size(), 1u);
        const action wanted = at % 2 == 0
                                  ? action{drop_action{drop_reason::no_buffer, 1, 0, {}}}
                                  : action{mailbox_message{0xabcd,
                                                           2,
                                                           {31, 7, 5},
                                                           0x1234'5678'9abc,
                                                           {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17}}};
        EXPECT_EQ(n.log[0].what, wanted);
    }
}

TEST(nic_levels, get_requests_are_held_back_when_the_queue_of_the_core_is_full) {
    receive_case c = buffers_of_the_host(1);
    for (std::uint16_t tag = 0; tag < 10; ++tag) c.packets.push_back(get(tag));
    chosen l(receive_level::firmware);
    l.options.spec.messages = 2;
    fake_nic n(c, {}, l.factory, {.refuse_messages = 1});
    n.feed();
    n.sim.run_to(core::sim_time::from_us(100));
    EXPECT_EQ(n.datapath->counters().mailbox, 4u) << "one is in the mailbox, two wait, one is with the transmit side";
    EXPECT_FALSE(n.datapath->idle());
}

TEST(nic_levels, the_driver_reads_counters) {
    auto c = buffers_of_the_host(1);
    c.packets = {put(1ull << 32, 64), put(1ull << 32, 100), put(1, 16)};
    const chosen l(receive_level::firmware);
    fake_nic n(c, {}, l.factory, {});
    n.run();
    namespace regs = nic_rx_registers;
    std::vector<std::uint32_t> answers;
    for (const std::uint32_t counter :
         {0u, 2u, 4u + static_cast<unsigned>(drop_reason::no_buffer), regs::counter_registers})
        static_cast<firmware_datapath&>(*n.datapath)
            .core()
            .command({regs::command_opcode_read_counter, counter, {}, [&](std::uint32_t a) { answers.push_back(a); }});
    EXPECT_FALSE(n.datapath->idle());
    n.sim.run();
    EXPECT_TRUE(n.datapath->idle());
    EXPECT_THAT(answers, ::testing::ElementsAre(2, 164, 1, UINT32_MAX));
}

// --- firmware that is wrong -----------------------------------------------------------------------------------------

std::string difference_of(const receive_case& c, const chosen& l) {
    replay(c, {}, l.factory, {}, [&] { return l.difference.text.empty(); });
    return l.difference.text;
}

// It looks for a second page where the payload ends with the first.
TEST(nic_levels, lockstep_shows_both_sides_of_the_first_difference) {
    auto c = buffers_of_the_host(1);
    const std::uint64_t last = (1ull << 32) + (1 << 20) - 4096;
    c.packets = {put(1ull << 32, 16), put(last, 4096), put(1ull << 32, 16)};
    const chosen l(receive_level::lockstep, wrong("nic_page_too_many"));
    EXPECT_THAT(difference_of(c, l),
                MatchesRegex(R"(packet 1, action 0: firmware \{"drop":.*"translation".*\} at .*us, tlm )"
                             R"(\{"write":\{"space":"host","address":"1000ff000".*\} at .*us)"));
}

TEST(nic_levels, lockstep_shows_a_get_request_that_is_handed_on_wrongly) {
    receive_case c = buffers_of_the_host(1);
    c.packets = {get(5)};
    const chosen l(receive_level::lockstep, wrong("nic_wrong_task"));
    EXPECT_THAT(difference_of(c, l),
                MatchesRegex(R"(packet 0, action 0: firmware \{"mailbox":.*\} at .*, tlm \{"mailbox":.*\} at .*)"));
}

// The RTL asks firmware for a page once, and keeps it; get requests go through its mailbox and its task registers.
TEST(nic_levels, firmware_serves_the_misses_of_the_rtl) {
    auto c = buffers_of_the_host(3);
    const std::uint64_t base = c.buffers.back().second.base;
    for (unsigned i = 0; i < 40; ++i) c.packets.push_back(i % 10 == 9 ? get(7) : put(base + i * 256, 256, true));
    const chosen l(rtl_with_firmware_and_tlm);
    fake_nic n(c, {}, l.factory, {});
    n.run();
    EXPECT_EQ(first_difference(n.result(), contraflow::testing::expected_of(c)), "");
    EXPECT_EQ(l.difference.text, "");
    EXPECT_EQ(n.table_reads, 0u) << "the walker has read nothing";
    n.datapath.reset();
    EXPECT_EQ(l.profile.packets, 3u) << "pages of 4 KiB in 10 KiB";
    const auto spent = [&](std::string_view routine) {
        const auto row = std::ranges::find(l.profile.rows, routine, &iss::routine_profile::row::name);
        return row == l.profile.rows.end() ? 0 : row->cycles;
    };
    EXPECT_GT(spent("page_walk"), 0u);
    EXPECT_GT(spent("receive_get_request"), 0u);
}

TEST(nic_levels, lockstep_shows_wrong_firmware_behind_the_rtl) {
    auto c = buffers_of_the_host(1);
    c.packets = {put(1ull << 32, 16), put((1ull << 32) + (1 << 20) - 4096, 4096)};
    const chosen pages(rtl_with_firmware_and_tlm, wrong("nic_page_too_many"));
    EXPECT_THAT(difference_of(c, pages), MatchesRegex(R"(packet 1, action 0: rtl \{"drop":.*"translation".*, tlm .*)"));
    c.packets = {get(5)};
    const chosen task(rtl_with_firmware_and_tlm, wrong("nic_wrong_task"));
    EXPECT_THAT(difference_of(c, task), MatchesRegex(R"(packet 0, action 0: rtl \{"mailbox":.*, tlm \{"mailbox":.*)"));
    const chosen crashing(rtl_with_firmware, wrong("nic_crash"));
    c.packets = {put(1ull << 32, 16)};
    const auto o = replay(c, {}, crashing.factory);
    ASSERT_TRUE(o.failure);
    EXPECT_THROW(std::rethrow_exception(o.failure), iss::firmware_crash);
}

// What the core had begun before a reset counts for nothing, and a page is asked for again.
TEST(nic_levels, after_a_reset_the_rtl_with_firmware_does_what_a_new_one_does) {
    plays_as_a_new_one_after_a_reset(rtl_with_firmware);
}

// A block that another side resets, while it is asked to: commands wait until it has ended.
class block_reset_by_another final : public nic_rx::nic_rx_block {
public:
    explicit block_reset_by_another(bool& asked) : asked_(asked) {}
    void drive(const nic_rx::inputs& in) override {
        follow(in, [&](const nic_rx::inputs& i) { block_->drive(i); });
    }
    void edge() override {
        block_->edge();
        asked_ = false;
    }
    void clock(const nic_rx::inputs& in, const nic_rx::inputs& expected) override {
        follow(in, [&](const nic_rx::inputs& i) { block_->clock(i, expected); });
        asked_ = false;
    }
    unsigned stream(unsigned, nic_rx::inputs&, std::span<const std::uint8_t>, std::vector<std::uint8_t>&) override {
        return 0;
    }
    void flip(const nic_rx::stored_bit& at) override { block_->flip(at); }

private:
    template <class F> void follow(nic_rx::inputs in, F&& then) {
        in.soft_reset = in.soft_reset || asked_;
        then(in);
        out_ = block_->out();
    }
    bool& asked_;
    std::unique_ptr<nic_rx::nic_rx_block> block_ = nic_rx::make_nic_rx_block(nic_rx::build::plain);
};

// The clock does not stop between the end of the reset and the edge that takes the removal.
TEST(nic_levels, a_removal_that_waits_through_a_reset_is_taken) {
    auto c = buffers_of_the_host(1);
    c.packets = {put(1ull << 32, 16)};
    bool asked = false;
    const datapath_factory make = [&](const datapath_place& p) {
        return std::make_unique<rtl_datapath>(p, [&] { return std::make_unique<block_reset_by_another>(asked); });
    };
    fake_nic n(c, {}, make, {});
    n.sim.run();
    n.hold_acknowledgements = true;
    n.feed();
    n.sim.run();
    ASSERT_EQ(n.held.size(), 1u);
    asked = true;
    n.datapath->invalidate(0x10000);
    n.sim.run_to(n.sim.events().now() + cycle * 50);
    EXPECT_EQ(n.invalidations, 0u) << "it was not reset, or did not wait for the write";
    n.acknowledge(n.held[0]);
    n.sim.run_to(n.sim.events().now() + cycle * 50);
    EXPECT_EQ(n.invalidations, 1u);
}

// --- removal of all translations ------------------------------------------------------------------------------------

const std::array<chosen_level, 5> every_kind{chosen_level{receive_level::tlm}, chosen_level{receive_level::firmware},
                                             chosen_level{receive_level::rtl}, rtl_with_firmware, rtl_and_tlm};

// A page of a GPU in two tables: a write to it goes where the table says now, and its window moves first.
TEST(nic_levels, removal_of_all_translations_reads_tables_again_and_moves_windows) {
    receive_case c;
    c.name = "a GPU";
    for (unsigned i = 0; i < 2; ++i) {
        const std::uint64_t root = 0x10000 + i * 0x100000;
        c.buffers.push_back({i, {true, 1, 0x10000 + i * 0x10000, 0x10000, memory_space::gpu1, true, root, 0}});
        c.tables.insert(c.tables.end(), {{entry_address(memory_space::gpu1, root, 1 + i, 0), root + 0x10001},
                                         {entry_address(memory_space::gpu1, root + 0x10000, 1 + i, 1), root + 0x30001},
                                         {entry_address(memory_space::gpu1, root + 0x30000, 1 + i, 2), 0x7770003}});
    }
    for (const chosen_level& level : every_kind) {
        SCOPED_TRACE(title_of(level));
        const chosen l(level);
        fake_nic n(c, {}, l.factory, {});
        n.sim.run();
        const auto puts = [&] {
            n.log.clear();
            for (const std::uint64_t address : {0x10000u, 0x20000u}) {
                n.datapath->receive(put(address, 16));
                n.sim.run();
            }
            std::vector<std::uint64_t> windows;
            for (const auto& done : n.log)
                if (const auto* w = std::get_if<window_move>(&done.what)) windows.push_back(w->page.page);
            return windows;
        };
        EXPECT_EQ(puts().size(), 1u) << "both pages are one";
        EXPECT_EQ(puts().size(), 0u);
        ASSERT_TRUE(n.datapath->control(core::control_verb::invalidate));
        n.sim.run_to(n.sim.events().now() + core::sim_time::from_us(20));
        EXPECT_EQ(puts().size(), 1u) << "the same page, anew";
        n.tables.set_entry(entry_address(memory_space::gpu1, 0x140000, 2, 2), 0x8880003);
        if (has_core(level) && level.level == receive_level::firmware)
            EXPECT_EQ(puts().size(), 1u) << "firmware keeps no copies";
        else
            EXPECT_EQ(puts().size(), 0u) << "the TLB has it";
        ASSERT_TRUE(n.datapath->control(core::control_verb::invalidate));
        n.sim.run_to(n.sim.events().now() + core::sim_time::from_us(20));
        EXPECT_EQ(puts().size(), 2u);
        EXPECT_TRUE(n.datapath->idle());
        EXPECT_EQ(l.difference.text, "");
    }
}

// At any time under traffic, to a NIC that refuses: what is written is the same, through windows that show its page.
TEST(nic_levels, removal_of_all_translations_under_traffic_changes_no_write) {
    unsigned moves = 0, fewest = 0;
    for (std::uint64_t seed = 1; seed <= 24; ++seed) {
        SCOPED_TRACE(seed);
        const auto c = random_receive_case(seed, 60);
        // The smallest one has its assertions.
        const receive_spec s = seed % 2 == 0 ? contraflow::testing::smallest_receive() : receive_spec{};
        const chosen l(seed % 3 == 0 ? rtl_with_firmware : chosen_level{receive_level::rtl});
        fake_nic::behaviour b;
        b.seed = seed;
        b.refuse_dma = 3;
        fake_nic n(c, s, l.factory, b);
        n.feed();
        for (unsigned i = 0; i < 60; ++i) {
            n.sim.run_to(n.sim.events().now() + cycle * (1 + (seed * 7919 + i * 104729) % 97));
            ASSERT_TRUE(n.datapath->control(core::control_verb::invalidate));
        }
        n.run();
        EXPECT_TRUE(n.datapath->idle());
        const auto split = [](const std::vector<action>& all) {
            std::vector<action> others;
            unsigned windows = 0;
            for (const action& a : all) std::holds_alternative<window_move>(a) ? void(++windows) : others.push_back(a);
            return std::pair(others, windows);
        };
        const auto got = split(n.result().actions), wanted = split(contraflow::testing::expected_of(c).actions);
        EXPECT_EQ(got.first, wanted.first);
        moves += got.second;
        fewest += wanted.second;
        std::map<memory_space, std::uint64_t> shown;
        for (const auto& done : n.log) {
            if (const auto* w = std::get_if<window_move>(&done.what)) shown[w->space] = w->page.page;
            const auto* d = std::get_if<data_write>(&done.what);
            if (d != nullptr && of_gpu(d->space)) { ASSERT_EQ(shown.at(d->space), d->address & ~0xffffull); }
        }
    }
    EXPECT_GT(moves, fewest + 50);
}

// --- RTL that is wrong ----------------------------------------------------------------------------------------------

datapath_factory with_wrong_rtl(level_difference& difference) {
    const named_factory rtl{"rtl", [](const datapath_place& place) {
                                return std::make_unique<rtl_datapath>(place, contraflow::testing::make_wrong_rtl);
                            }};
    return [rtl, &difference](const datapath_place& place) {
        return std::make_unique<receive_lockstep>(place, rtl, named_factory{"tlm", make_hardware_datapath}, difference);
    };
}

// What the lockstep run says; the packet that it keeps shows the same when it is played alone, from its file.
void expect_difference(const receive_case& c, const std::string& first, const std::string& alone) {
    level_difference d;
    replay(c, {}, with_wrong_rtl(d), {}, [&] { return d.text.empty(); });
    EXPECT_THAT(d.text, MatchesRegex(first));
    ASSERT_TRUE(d.alone);
    const auto read = parse_receive_cases(to_json(*d.alone));
    ASSERT_TRUE(read.problems.empty()) << read.problems[0].message;
    level_difference again;
    replay(read.cases.at(0), {}, with_wrong_rtl(again), {}, [&] { return again.text.empty(); });
    EXPECT_THAT(again.text, MatchesRegex(alone));
    const chosen right(rtl_and_tlm);
    EXPECT_TRUE(replay(read.cases.at(0), {}, right.factory).complete);
    EXPECT_EQ(right.difference.text, "");
}

TEST(nic_levels, lockstep_finds_rtl_that_lets_a_packet_end_behind_its_buffer) {
    auto c = buffers_of_the_host(1);
    c.buffers[0].second.length = 4096 - 100;
    const std::uint64_t last = (1ull << 32) + 4096 - 116;
    c.packets = {put(1ull << 32, 16), put(last, 16), put(last + 1, 16), put(1ull << 32, 16)};
    const std::string both = R"(action 0: rtl \{"write":.*\} at .*us, tlm \{"drop":\{"reason":"bounds".*\} at .*us)";
    expect_difference(c, "packet 2, " + both, "packet 0, " + both);
}

// Two pages of a GPU that lie on one physical page, with two tokens.
TEST(nic_levels, lockstep_finds_rtl_that_does_not_move_a_window_for_another_token) {
    receive_case c;
    c.name = "two tokens";
    c.buffers = {{0, {true, 1, 0x10000, 0x20000, memory_space::gpu1, true, 0x10000, 0}}};
    c.tables = {{entry_address(memory_space::gpu1, 0x10000, 1, 0), 0x20001},
                {entry_address(memory_space::gpu1, 0x20000, 1, 1), 0x40001},
                {entry_address(memory_space::gpu1, 0x40000, 1, 2), 0x7770003},
                {entry_address(memory_space::gpu1, 0x40000, 2, 2), 0x7770005}};
    c.packets = {put(0x10000, 16), put(0x1fff8, 16)};
    const std::string both = R"(rtl \{"write":.*\} at .*us, tlm \{"window":.*"token":2\}\} at .*us)";
    expect_difference(c, "packet 1, action 1: " + both, "packet 0, action 2: " + both);
}

// With waves the run goes on for a microsecond: both levels' ports are seen before and after the difference.
TEST(nic_levels, waves_of_both_levels_around_a_difference) {
    auto c = buffers_of_the_host(1);
    c.buffers[0].second.length = 4096 - 100;
    const std::uint64_t last = (1ull << 32) + 4096 - 116;
    for (unsigned i = 0; i < 200; ++i) c.packets.push_back(put(i == 120 ? last + 1 : 1ull << 32, 16));
    level_difference d;
    observe::wave_recording waves;
    const auto before = core::sim_time::from_us(1);
    waves.keep_around(level_difference::event, before, level_difference::watched_after);
    const auto o = replay(
        c, {}, with_wrong_rtl(d), {}, [&] { return !d.ended; }, &waves);
    EXPECT_TRUE(d.ended);
    EXPECT_THAT(d.text, HasSubstr("packet 120, action 0: rtl {"));
    ASSERT_TRUE(waves.event_at());
    const core::sim_time at = *waves.event_at();
    EXPECT_EQ(waves.begin(), at - before);
    EXPECT_GE(o.time, at);
    std::map<std::string, std::array<unsigned, 2>> moved;  // before and after
    for (const auto& change : waves.changes()) {
        EXPECT_GE(change.at, at - before);
        ++moved[waves.signals().at(change.signal).name][change.at > at ? 1 : 0];
    }
    for (const char* signal : {"nic.receive.dma_valid", "nic.receive.in_valid", "nic.receive_tlm.retired"})
        for (const unsigned count : moved[signal]) EXPECT_GT(count, 0u) << signal;
}

TEST(nic_levels, a_crash_ends_the_run_with_pc_and_routine) {
    auto c = buffers_of_the_host(1);
    c.packets = {put(1ull << 32, 16)};
    const chosen l(receive_level::firmware, wrong("nic_crash"));
    const auto o = replay(c, {}, l.factory);
    EXPECT_FALSE(o.complete);
    ASSERT_TRUE(o.failure);
    try {
        std::rethrow_exception(o.failure);
    } catch (const iss::firmware_crash& e) {
        EXPECT_THAT(e.what(),
                    MatchesRegex("nic_receive.core: store to 0x40000030: there is nothing at pc 0x[0-9a-f]+ in "
                                 "'receive_packet'"));
    }
}

TEST(nic_levels, a_hang_is_told_with_pc_routine_and_last_bus_access) {
    auto c = buffers_of_the_host(1);
    c.packets = {put(1ull << 32, 16)};
    const chosen l(receive_level::firmware, wrong("nic_hang"));
    const auto o = replay(c, {}, l.factory);
    EXPECT_FALSE(o.complete);
    EXPECT_THAT(o.hang, HasSubstr("nothing has moved from"));
    std::string chain;
    for (const auto& line : o.wait_chain) chain += line + "\n";
    EXPECT_THAT(chain,
                MatchesRegex("(.|\n)*nic_receive.core waits for something else while it runs at pc 0x[0-9a-f]+ in "
                             "'receive_packet'; last bus access: load from 0x4000000c at (.|\n)*"));
}

// A program that waits without wfi keeps the core busy for ever; the run ends with its packets.
TEST(nic_levels, a_core_that_polls_does_not_keep_the_run_from_ending) {
    auto c = buffers_of_the_host(1);
    c.packets = {put(1ull << 32, 16)};
    const chosen l(receive_level::firmware, wrong("nic_polls"));
    const auto o = replay(c, {}, l.factory);
    EXPECT_TRUE(o.complete);
    EXPECT_EQ(o.result.counters.accepted, 1u);
}

}  // namespace nic_levels_test
