// SPDX-License-Identifier: Apache-2.0
// One core with firmware for both sides of a NIC: it translates sent data, writes read requests, starts windows, and
// looks up received packets.
#include <gmock/gmock.h>

#include "nic/transmit/transmit_scenarios.h"
#include "nic_levels/receive_level.h"

namespace core_transmit_test {

using namespace contraflow;
using namespace contraflow::nic;
using namespace contraflow::nic_levels;
using core::sim_time;
using nic::testing::node_spec;
using nic::testing::transmit_node;
using ::testing::HasSubstr;

// A node whose core runs the project's firmware, or another.
struct firmware_node {
    explicit firmware_node(node_spec s = {}, const std::string& file = {})
        : program(file.empty() ? built_in_firmware() : iss::elf_file::read(file)),
          factory(firmware_core(options)),
          n(with(s)) {
        n.register_gpu();
        n.sim.run();  // the buffer is registered
    }
    node_spec with(node_spec s) {
        options.program = &program;
        s.make_core = &factory;
        return s;
    }
    const nic_core& core() { return static_cast<const nic_core&>(n.nic->core()); }

    iss::elf_file program;
    core_options options;
    core_factory factory;
    transmit_node n;
};

node_spec with(gpu_generation g, gpu_reading r = gpu_reading::peer_to_peer) {
    node_spec s;
    s.transmit.generation = g;
    s.transmit.reading = r;
    return s;
}
std::string wrong(const std::string& name) { return std::string(CF_FIRMWARE) + "/" + name + ".elf"; }

class core_transmit : public ::testing::TestWithParam<std::pair<gpu_generation, gpu_reading>> {};
using enum gpu_generation;
using enum gpu_reading;
INSTANTIATE_TEST_SUITE_P(nic_levels, core_transmit,
                         ::testing::Values(std::pair{v1, peer_to_peer}, std::pair{v2, peer_to_peer},
                                           std::pair{v3, peer_to_peer}, std::pair{v1, bar1}, std::pair{v3, bar1}),
                         [](const auto& p) {
                             return fmt::format("v{}_{}", static_cast<int>(p.param.first) + 1,
                                                p.param.second == bar1 ? "bar1" : "peer_to_peer");
                         });

TEST_P(core_transmit, messages_leave_whole_and_in_order) {
    node_spec s = with(GetParam().first, GetParam().second);
    s.transmit.requests = 5;
    s.gpu.aperture_rate = core::bandwidth::from_gb_per_s(1.6);
    firmware_node f(s);
    auto& n = f.n;
    std::mt19937_64 draw(7);
    put_mixture(n, draw, 14);
    n.sim.run();
    n.expect_sent();
    EXPECT_TRUE(f.core().idle());
}

TEST(core_transmit, what_is_not_registered_is_told) {
    for (const auto g : {v1, v2, v3}) {
        firmware_node f(with(g));
        expect_unregistered_is_told(f.n);
    }
}

TEST(core_transmit, a_core_without_work_executes_nothing) {
    firmware_node f;
    f.n.put_gpu(0, 9000);
    f.n.ring_doorbell();
    f.n.sim.run();
    f.n.expect_sent();
    EXPECT_TRUE(f.core().core().waits_for_interrupt());
    const auto before = f.core().core().instructions();
    EXPECT_GT(before, 0u);
    f.n.sim.run_to(f.n.sim.events().now() + sim_time::from_us(1'000'000));
    EXPECT_EQ(f.core().core().instructions(), before);
}

TEST(core_transmit, a_reset_in_the_midst_leaves_nothing_and_works_again) {
    for (const auto g : {v1, v2, v3})
        for (const unsigned ns : {300u, 1500u, 2500u, 4100u, 7000u, 20000u}) {
            firmware_node f(with(g));
            expect_a_reset_leaves_nothing(f.n, sim_time::from_ns(ns));
        }
}

// A GPU that does not answer while the core writes requests: the message fails, and the core goes on.
TEST(core_transmit, a_gpu_that_does_not_answer_fails_its_message) {
    node_spec s = with(v1);
    s.transmit.answer_timeout = sim_time::from_us(20);
    s.transmit.requests = 3;
    s.gpu.read_latency = sim_time::from_us(100);
    firmware_node f(s);
    f.n.put_gpu(0, 9000, 1);
    f.n.put_host(0, 100, 2);
    f.n.ring_doorbell();
    f.n.sim.run();
    EXPECT_EQ(f.n.completion(0).status, transmit_status::timed_out);
    EXPECT_EQ(f.n.completion(1).status, transmit_status::done);
    EXPECT_TRUE(f.core().idle());
}

double stream(node_spec s) {
    firmware_node f(s);
    f.n.put_gpu(0, 256 << 10);
    f.n.ring_doorbell();
    f.n.sim.run();
    f.n.expect_sent();
    return f.n.rate() / 1e9;
}

// The results: one value is fitted, the latency of the core's table memory, to the receive side's 3 us.
TEST(core_transmit, rates_of_the_generations_are_in_their_order) {
    const double one = stream(with(v1)), three = stream(with(v3));
    RecordProperty("v1_GB_per_s", fmt::format("{:.3f}", one));
    double before = one;
    for (const std::uint32_t w : {4096u, 8192u, 16384u, 32768u}) {
        node_spec s = with(v2);
        s.transmit.window = {w};
        const double rate = stream(s);
        RecordProperty(fmt::format("v2_window_{}_GB_per_s", w), fmt::format("{:.3f}", rate));
        std::printf("v2, windows of %u: %.3f GB/s\n", w, rate);
        EXPECT_GT(rate, before);
        before = rate;
    }
    RecordProperty("v3_GB_per_s", fmt::format("{:.3f}", three));
    std::printf("v1 %.3f GB/s, v3 %.3f\n", one, three);
    EXPECT_GE(three, before);
}

// --- wrong firmware: its writes take effect -------------------------------------------------------------------------

TEST(core_transmit, a_wrong_read_request_reads_something_else) {
    firmware_node f(with(v1), wrong("nic_wrong_line"));
    f.n.put_gpu(0, 4096);
    f.n.drop_expected();
    f.n.ring_doorbell();
    f.n.sim.run();
    ASSERT_EQ(f.n.packets.size(), 1u);
    const auto right = f.n.gpu_bytes(0, 4096);
    EXPECT_FALSE(f.n.packets[0].payload == right);
    EXPECT_TRUE(std::equal(right.begin(), right.begin() + 128, f.n.packets[0].payload.begin())) << "the first line";
}

TEST(core_transmit, a_request_for_another_place_is_refused_and_the_core_is_named) {
    firmware_node f(with(v1), wrong("nic_wrong_place"));
    f.n.put_gpu(0, 4096);
    f.n.ring_doorbell();
    f.n.sim.run_to(f.n.sim.events().now() + sim_time::from_us(100));
    EXPECT_TRUE(f.n.packets.empty());
    EXPECT_THAT(f.n.waits(), HasSubstr("nic.transmit waits for the core of nic.core"));
}

TEST(core_transmit, a_wrong_extent_sends_other_bytes) {
    firmware_node f(with(v3), wrong("nic_wrong_extent"));
    f.n.put_gpu(100, 200);
    f.n.drop_expected();
    f.n.ring_doorbell();
    f.n.sim.run();
    ASSERT_EQ(f.n.packets.size(), 1u);
    EXPECT_FALSE(f.n.packets[0].payload == f.n.gpu_bytes(100, 200));
    EXPECT_TRUE(f.n.packets[0].payload == f.n.gpu_bytes(0, 200));
}

}  // namespace core_transmit_test
