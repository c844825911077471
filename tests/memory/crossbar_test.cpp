// SPDX-License-Identifier: Apache-2.0
// The behaviour of a crossbar, case by case: requests take 5 cycles, responses 7; flits of 32 bytes, headers of 8.
#include "memory/crossbar/crossbar.h"
#include "memory/dram/dram.h"
#include "probe.h"

using namespace contraflow;
using namespace contraflow::memory;
using memory::testing::bench;
using memory::testing::probe;

namespace crossbar_test {

constexpr std::uint64_t there = 5, back = 7, memory_ns = 50;

struct by_granule final : address_to_port_if {
    unsigned outputs;
    explicit by_granule(unsigned n) : outputs(n) {}
    unsigned find(std::uint64_t address) const override {
        return address >= 1u << 16 ? nowhere : static_cast<unsigned>(address / 256 % outputs);
    }
    std::uint64_t span(std::uint64_t address) const override { return 256 - address % 256; }
};

crossbar_spec shape(unsigned inputs, unsigned outputs) {
    crossbar_spec x;
    x.inputs = inputs;
    x.outputs = outputs;
    x.latency = core::cycles{there};
    x.response_latency = core::cycles{back};
    x.flit = {32};
    x.header = {8};
    return x;
}

// Memories that take the same time for every request, however many there are.
dram_spec even_memory() {
    dram_spec d;
    d.size = {1u << 16};
    d.channels = 1;
    d.activate = d.precharge = d.column = d.row_active = {};
    d.channel_bandwidth = core::bandwidth{1e14};
    d.overhead = core::sim_time::from_ns(memory_ns);
    return d;
}

struct setup {
    bench b;
    by_granule routes;
    std::vector<std::unique_ptr<probe>> p;
    crossbar x;
    std::vector<std::unique_ptr<dram>> homes;
    explicit setup(const crossbar_spec& s) : routes(s.outputs), x("tested", b.shared, s, routes) {
        for (unsigned i = 0; i < s.inputs; ++i) {
            p.push_back(std::make_unique<probe>(fmt::format("probe{}", i).c_str(), b));
            b.connect(p[i]->port, x.up(i));
        }
        for (unsigned o = 0; o < s.outputs; ++o) {
            homes.push_back(std::make_unique<dram>(fmt::format("home{}", o).c_str(), b.shared, even_memory()));
            b.connect(x.down(o), homes[o]->up());
        }
    }
    ~setup() {
        b.expect_silence();
        EXPECT_TRUE(x.idle());
        EXPECT_EQ(b.payloads.in_flight(), 0u);
    }
};

TEST(crossbar, an_atomic_operation_has_data_both_ways) {
    setup s(shape(1, 1));
    s.p[0]->ask(0, [](payload& p) {
        p.modify(0x100, 64, {atomic_op::add, operand_type::u32, 0});
        std::memset(p.bytes(), 0, 64);
    });
    s.b.sim.run();
    EXPECT_EQ(s.x.statistics().request_flits.value(), 3u);
    EXPECT_EQ(s.x.statistics().response_flits.value(), 3u);
}

TEST(crossbar, a_request_takes_its_latency_and_its_flits_each_way) {
    setup s(shape(1, 2));
    auto& word = s.p[0]->read(0x100, 4);
    auto& line = s.p[0]->read(0x200, 128, 500);
    auto& written = s.p[0]->write(0x300, 1, 128, 1000);
    s.b.sim.run();
    EXPECT_EQ(word.ns(), there + 1 + memory_ns + back + 1);
    EXPECT_EQ(line.ns(), there + 1 + memory_ns + back + 5);
    EXPECT_EQ(written.ns(), there + 5 + memory_ns + back + 1);
    EXPECT_EQ(word.times.spent(stage::crossbar).ps, (there + 1) * 1000);
    EXPECT_EQ(word.times.spent(stage::response_crossbar).ps, (back + 1) * 1000);
    EXPECT_EQ(s.x.statistics().request_flits.value(), 1u + 1 + 5);
    EXPECT_EQ(s.x.statistics().response_flits.value(), 1u + 5 + 1);
    EXPECT_EQ(s.homes[0]->statistics().reads.value(), 1u);
    EXPECT_EQ(s.homes[1]->statistics().reads.value(), 1u);
}

TEST(crossbar, an_input_takes_in_a_flit_a_cycle) {
    setup s(shape(1, 4));
    std::vector<probe::asked*> all;
    for (unsigned i = 0; i < 4; ++i) all.push_back(&s.p[0]->write(256 * i, i, 128));
    s.b.sim.run();
    for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(all[i]->ns(), there + 5 * (i + 1) + memory_ns + back + 1) << i;
}

TEST(crossbar, an_output_carries_a_flit_a_cycle_and_inputs_share_it) {
    setup s(shape(4, 1));
    std::vector<probe::asked*> all;
    for (unsigned i = 0; i < 4; ++i) all.push_back(&s.p[i]->write(256 * i, i, 128));
    s.b.sim.run();
    for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(all[i]->ns(), there + 5 * (i + 1) + memory_ns + back + 1) << i;
}

TEST(crossbar, different_outputs_do_not_disturb_each_other) {
    setup s(shape(2, 2));
    auto& one = s.p[0]->write(0x000, 1, 128);
    auto& two = s.p[1]->write(0x100, 2, 128);
    s.b.sim.run();
    EXPECT_EQ(one.ns(), two.ns());
}

TEST(crossbar, held_back_inputs_take_turns_and_none_starves) {
    crossbar_spec x = shape(3, 1);
    x.queue = 1;
    setup s(x);
    std::vector<std::vector<probe::asked*>> all(3);
    for (unsigned n = 0; n < 20; ++n)
        for (unsigned i = 0; i < 3; ++i) all[i].push_back(&s.p[i]->write(256 * n, n, 128));
    s.b.sim.run();
    EXPECT_GT(s.x.statistics().held_back.value(), 0u);
    for (unsigned n = 4; n < 20; ++n) {
        const auto low = std::min({all[0][n]->answered, all[1][n]->answered, all[2][n]->answered});
        const auto high = std::max({all[0][n]->answered, all[1][n]->answered, all[2][n]->answered});
        EXPECT_LE((high - low).ps, 10'000u) << n;
    }
    EXPECT_EQ(s.b.sim.events().now().ps / 1000, there + 60 * 5 + memory_ns + back + 1);  // the output was never idle
}

TEST(crossbar, responses_that_find_no_room_wait_in_the_memory) {
    crossbar_spec x = shape(1, 4);
    x.response_queue = 1;
    x.response_latency = core::cycles{1};
    setup s(x);
    std::vector<probe::asked*> all;
    for (unsigned i = 0; i < 40; ++i) all.push_back(&s.p[0]->read(256 * i, 128));
    s.b.sim.run();
    EXPECT_GT(s.x.statistics().held_responses.value(), 0u);
    const auto first = all[0]->answered;
    const auto last = s.b.sim.events().now();
    EXPECT_GE((last - first).ps, 39 * 5000u);  // five flits each
    for (const auto* a : all) EXPECT_TRUE(a->done);
}

TEST(crossbar, an_address_that_leads_nowhere_is_an_error) {
    setup s(shape(1, 2));
    auto& lost = s.p[0]->read(1u << 20);
    auto& found = s.p[0]->read(0x100);
    s.b.sim.run();
    EXPECT_EQ(lost.status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(found.status, tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(s.x.statistics().unroutable.value(), 1u);
}

TEST(crossbar, debug_and_blocking_accesses_are_cut_where_the_way_parts) {
    setup s(shape(1, 2));
    std::vector<std::uint8_t> out(1000);
    for (unsigned i = 0; i < 1000; ++i) out[i] = static_cast<std::uint8_t>(i * 7);
    EXPECT_EQ(s.p[0]->debug(tlm::TLM_WRITE_COMMAND, 0x50, out.data(), 1000), 1000u);
    std::vector<std::uint8_t> in(1000);
    EXPECT_EQ(s.p[0]->debug(tlm::TLM_READ_COMMAND, 0x50, in.data(), 1000), 1000u);
    EXPECT_EQ(in, out);
    EXPECT_EQ(s.homes[1]->bytes().pages_in_use(), 1u);
    std::uint8_t byte = 0;
    s.homes[1]->bytes().read(0x100, &byte, 1);
    EXPECT_EQ(byte, out[0xb0]);
    EXPECT_EQ(s.p[0]->debug(tlm::TLM_READ_COMMAND, (1u << 16) - 10, in.data(), 1000), 10u);

    std::fill(in.begin(), in.end(), 0);
    tlm::tlm_generic_payload trans;
    trans.set_command(tlm::TLM_READ_COMMAND);
    trans.set_address(0x50);
    trans.set_data_ptr(in.data());
    trans.set_data_length(1000);
    trans.set_streaming_width(1000);
    sc_core::sc_time delay;
    s.p[0]->port->b_transport(trans, delay);
    EXPECT_TRUE(trans.is_response_ok());
    EXPECT_EQ(in, out);
    EXPECT_GE(delay, sc_core::sc_time(there + back + memory_ns, sc_core::SC_NS));
}

}  // namespace crossbar_test
