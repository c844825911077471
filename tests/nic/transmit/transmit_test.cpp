// SPDX-License-Identifier: Apache-2.0
// The transmit side in whole nodes: every byte leaves once, in order, under every kind of back-pressure; an error is
// reported, ends only its own message, and hangs nothing.
#include <functional>

#include <gmock/gmock.h>

#include "nic/transmit/transmit_scenarios.h"

using namespace contraflow;
using namespace contraflow::nic;
using core::sim_time;
using nic::testing::node_spec;
using nic::testing::placing;
using nic::testing::transmit_node;
using ::testing::HasSubstr;

namespace {

constexpr std::uint64_t page = gpu::peer_page;

node_spec with(gpu_generation generation, gpu_reading reading = gpu_reading::peer_to_peer) {
    node_spec s;
    s.transmit.generation = generation;
    s.transmit.reading = reading;
    s.gpu.map_time = {};
    s.gpu.aperture_rate = core::bandwidth::from_gb_per_s(1.6);
    return s;
}

struct kind_of_node {
    gpu_generation generation;
    gpu_reading reading;
    placing where;
};
class transmit : public ::testing::TestWithParam<kind_of_node> {
protected:
    static node_spec spec() {
        node_spec s = with(GetParam().generation, GetParam().reading);
        s.where = GetParam().where;
        return s;
    }
};
using enum gpu_generation;
using enum gpu_reading;
using enum contraflow::host::nic_place;
INSTANTIATE_TEST_SUITE_P(
    nic, transmit,
    ::testing::Values(kind_of_node{v1, peer_to_peer, beside_gpu}, kind_of_node{v2, peer_to_peer, beside_gpu},
                      kind_of_node{v3, peer_to_peer, across_root_complex}, kind_of_node{v3, peer_to_peer, other_socket},
                      kind_of_node{v1, bar1, across_root_complex}, kind_of_node{v2, bar1, other_socket},
                      kind_of_node{v3, bar1, beside_gpu}),
    [](const auto& p) {
        return fmt::format("v{}_{}_{}", static_cast<int>(p.param.generation) + 1,
                           p.param.reading == bar1 ? "bar1" : "peer_to_peer", static_cast<int>(p.param.where));
    });

// Messages of both memories, of any size from any place; the torus is blocked now and then.
TEST_P(transmit, messages_leave_whole_and_in_order) {
    node_spec s = spec();
    s.core.translate = sim_time::from_ns(300);
    s.transmit.packets = 6;
    s.sink_depth = 1;
    transmit_node n(s);
    n.register_gpu();
    std::mt19937_64 draw(7);
    put_mixture(n, draw, 40);
    for (unsigned i = 0; i < 60; ++i) {
        n.blocked = draw() % 2 == 0;
        if (!n.blocked) n.unblock();
        n.sim.run_to(n.sim.events().now() + sim_time::from_ns(100 + draw() % 8000));
    }
    n.unblock();
    n.sim.run();
    n.expect_sent();
}

TEST_P(transmit, a_torus_that_takes_nothing_holds_it_up_and_nothing_is_lost) {
    transmit_node n(spec());
    n.register_gpu();
    n.put_gpu(100, 200'000, 1);
    n.put_host(0, 50'000, 2);
    n.blocked = true;
    n.ring_doorbell();
    n.sim.run_to(n.sim.events().now() + sim_time::from_us(400));
    EXPECT_TRUE(n.packets.empty());
    EXPECT_THAT(n.waits(), HasSubstr("nic.transmit waits for room in a queue of to_torus"));
    EXPECT_THAT(n.waits(), HasSubstr("to_torus waits for its first item to be taken of torus"));
    n.unblock();
    n.sim.run();
    n.expect_sent();
}

TEST_P(transmit, a_reset_in_the_midst_leaves_nothing_and_works_again) {
    for (const unsigned ns : {300u, 900u, 2500u, 7000u, 20000u}) {
        transmit_node n(spec());
        n.register_gpu();
        expect_a_reset_leaves_nothing(n, sim_time::from_ns(ns));
    }
}

TEST(transmit_get, a_request_carries_its_payload) {
    transmit_node n({});
    descriptor d = transmit_node::put(memory_space::host, 0, get_request_payload, 9);
    d.kind = packet_kind::get_request;
    for (unsigned i = 0; i < get_request_payload; ++i) d.payload[i] = static_cast<std::uint8_t>(i + 1);
    n.post(d);
    n.ring_doorbell();
    n.sim.run();
    ASSERT_EQ(n.packets.size(), 1u);
    EXPECT_EQ(n.packets[0].header.kind, static_cast<unsigned>(packet_kind::get_request));
    EXPECT_TRUE(std::ranges::equal(n.packets[0].payload, d.payload));
    EXPECT_EQ(n.completion(0).status, transmit_status::done);
    n.expect_clean();
}

TEST(transmit_core, a_core_that_takes_its_time_delays_and_changes_nothing) {
    for (const auto g : {v1, v2, v3}) {
        node_spec s = with(g);
        s.core = {sim_time::from_ns(3000), sim_time::from_ns(700), sim_time::from_ns(90)};
        transmit_node n(s);
        n.register_gpu();
        for (std::uint16_t tag = 0; tag < 5; ++tag) n.put_gpu(1000 * tag, 9000, tag);
        n.put_host(77, 9000, 5);
        n.ring_doorbell();
        const sim_time begin = n.sim.events().now();
        n.sim.run();
        n.expect_sent();
        EXPECT_GT((n.packets.back().at - begin).ps, (sim_time::from_ns(3000) * 5).ps);
    }
}

// ---- errors

TEST(transmit_error, an_invalid_descriptor_is_completed_as_such_and_the_next_ones_go_on) {
    transmit_node n({});
    n.register_gpu();
    std::array<std::uint8_t, descriptor::size> bytes;
    transmit_node::put(memory_space::gpu0, transmit_node::gpu_virtual, 100, 1).encode(bytes);
    bytes[50] = 1;
    n.post_bytes(bytes);
    n.put_gpu(0, 5000, 2);
    n.ring_doorbell();
    n.sim.run();
    EXPECT_EQ(n.completion(0).status, transmit_status::invalid);
    EXPECT_EQ(n.completion(0).tag, 1u);
    EXPECT_EQ(n.completion(1).status, transmit_status::done);
    EXPECT_EQ(n.packets.size(), 2u);
    n.expect_clean();
}

TEST(transmit_error, what_is_not_registered_is_told) {
    for (const auto g : {v1, v2, v3}) {
        transmit_node n(with(g));
        n.register_gpu();
        expect_unregistered_is_told(n);
    }
}

TEST(transmit_error, an_address_that_nobody_has_and_an_aperture_that_is_not_mapped_fail_their_message_alone) {
    transmit_node n(with(v3, bar1));
    n.register_gpu();
    n.post(transmit_node::put(memory_space::host, 0x7777'0000'0000, 100, 1));
    n.post(transmit_node::put(memory_space::gpu0, transmit_node::gpu_virtual, 3 * page, 2));
    n.put_host(0, 3000, 3);
    // The second of three pages is taken out of BAR1.
    n.gpu->bar1().unmap({page, {}}, page);
    n.ring_doorbell();
    n.sim.run();
    EXPECT_EQ(n.completion(0).status, transmit_status::read_failed);
    EXPECT_EQ(n.completion(1).status, transmit_status::read_failed);
    EXPECT_EQ(n.completion(2).status, transmit_status::done);
    EXPECT_GT(n.gpu->bar1().refused(), 0u);
    for (const auto& p : n.packets) EXPECT_FALSE(p.header.tag == 2 && p.header.notify);
    ASSERT_FALSE(n.packets.empty());
    EXPECT_EQ(n.packets.back().header.tag, 3u);
    n.expect_clean();
}

// A GPU that loses its requests: the wait is reported, times out, and everything behind it goes on.
TEST(transmit_error, a_gpu_that_is_reset_in_the_midst_fails_its_messages_and_nobody_else_s) {
    for (const auto g : {v1, v2, v3}) {
        transmit_node n(with(g));
        n.register_gpu();
        const auto before = std::vector<std::uint8_t>(n.gpu->memory().bytes().begin(), n.gpu->memory().bytes().end());
        n.put_gpu(0, 100'000, 1);
        n.post(transmit_node::put(memory_space::gpu0, transmit_node::gpu_virtual, 9000, 2));
        n.put_host(0, 3000, 3);
        n.ring_doorbell();
        n.sim.run_to(n.sim.events().now() + sim_time::from_us(20));
        n.gpu->reset_engines();
        n.sim.run_to(n.sim.events().now() + sim_time::from_us(500));
        EXPECT_THAT(n.waits(), HasSubstr("nic.transmit.peer_reader waits for answers to read requests of gpu0"));
        n.sim.run();
        EXPECT_EQ(n.completion(0).status, transmit_status::timed_out);
        EXPECT_EQ(n.completion(1).status, transmit_status::timed_out);
        EXPECT_EQ(n.completion(2).status, transmit_status::done);
        EXPECT_EQ(n.packets.back().header.tag, 3u);
        // It gets no requests before it has been recovered.
        const auto requests = n.nic->transmit().reader().requests();
        n.post(transmit_node::put(memory_space::gpu0, transmit_node::gpu_virtual, 9000, 5));
        n.ring_doorbell();
        n.sim.run();
        EXPECT_EQ(n.completion(3).status, transmit_status::timed_out);
        EXPECT_EQ(n.nic->transmit().reader().requests(), requests);
        EXPECT_GT(n.gpu->reads().dropped() + n.gpu->reads().refused(0), 0u);
        EXPECT_TRUE(std::ranges::equal(before, n.gpu->memory().bytes()));
        n.expect_clean();
        // The driver sets the GPU up again and tells the NIC.
        n.packets.clear();
        n.drop_expected();
        n.open_gpu();
        n.nic->transmit().recover(0);
        n.put_gpu(500, 30'000, 4);
        n.ring_doorbell();
        n.sim.run();
        EXPECT_EQ(n.completion(4).status, transmit_status::done);
        std::vector<std::uint8_t> got;
        for (const auto& p : n.packets) got.insert(got.end(), p.payload.begin(), p.payload.end());
        EXPECT_EQ(got, n.gpu_bytes(500, 30'000));
        n.expect_clean();
    }
}

TEST(transmit_error, a_read_request_for_what_is_not_wanted_is_counted_and_not_sent) {
    transmit_node n(with(v1));
    n.register_gpu();
    auto& reader = n.nic->transmit().reader();
    const auto requests = reader.requests();
    for (unsigned i = 0; i < 3; ++i) reader.write_request(gpu::peer_read_request{0, i}.encode());
    n.sim.run();
    EXPECT_EQ(reader.requests(), requests);
    for (const auto& row : n.statistics.rows(n.sim.events().now()))
        if (row.path.ends_with("peer_reader.misplaced")) EXPECT_EQ(row.value, 3);
    n.put_gpu(0, 9000, 1);
    n.ring_doorbell();
    n.sim.run();
    n.expect_sent();
}

TEST(transmit_error, a_page_that_the_gpu_takes_back_times_out) {
    transmit_node n(with(v3));
    n.register_gpu();
    n.gpu->memory().let(0, n.spec.gpu.memory.count, 0);
    n.post(transmit_node::put(memory_space::gpu0, transmit_node::gpu_virtual, 9000, 1));
    n.ring_doorbell();
    n.sim.run();
    EXPECT_EQ(n.completion(0).status, transmit_status::timed_out);
    EXPECT_TRUE(n.packets.empty());
    EXPECT_GT(n.gpu->reads().refused(0), 0u);
    n.expect_clean();
}

// Answers that arrive after they have been given up are refused, and the new users of their lines keep their bytes.
TEST(transmit_error, late_answers_are_refused_and_change_nothing) {
    node_spec s = with(v3);
    s.transmit.answer_timeout = sim_time::from_us(2);
    s.gpu.read_latency = sim_time::from_us(6);
    s.host.latency = sim_time::from_us(3);  // so that packets of the host lie in these lines when they come
    transmit_node n(s);
    n.register_gpu();
    n.post(transmit_node::put(memory_space::gpu0, transmit_node::gpu_virtual, 32768, 1));
    n.ring_doorbell();
    n.sim.run_to(n.sim.events().now() + sim_time::from_ns(7500));
    EXPECT_EQ(n.completion(0).status, transmit_status::timed_out);
    n.gpu->memory().let(0, 1, 3);
    n.nic->transmit().recover(0);
    n.put_host(0, 32768, 2);
    n.ring_doorbell();
    n.sim.run();
    EXPECT_GT(n.nic->transmit().reader().unexpected(), 20u);
    std::vector<std::uint8_t> got;
    for (const auto& p : n.packets) got.insert(got.end(), p.payload.begin(), p.payload.end());
    EXPECT_TRUE(std::equal(got.begin(), got.end(), n.memory.begin() + transmit_node::data_at));
    EXPECT_EQ(got.size(), 32768u);
    n.expect_clean();
}

// The same with a GPU that gets new requests at once: an answer to a request that was given up does not answer them.
TEST(transmit_error, a_late_answer_is_not_taken_for_another_request_s) {
    node_spec s = with(v3);
    s.transmit.answer_timeout = sim_time::from_us(20);
    transmit_node n(s);
    n.register_gpu();
    n.post(transmit_node::put(memory_space::gpu0, transmit_node::gpu_virtual, 32768, 1));
    ASSERT_TRUE(n.gpu->control(core::control_verb::pause));
    n.ring_doorbell();
    // Its requests wait on the links, and hold back the completion as well.
    n.sim.run_to(n.sim.events().now() + sim_time::from_us(30));
    ASSERT_TRUE(n.nic->transmit().reader().stuck(0));
    EXPECT_EQ(n.completion(0).sequence, 0u);
    n.nic->transmit().recover(0);
    ASSERT_TRUE(n.gpu->control(core::control_verb::enable));
    // Half of the buffer goes to the host, so that the same lines are asked for while late answers for them come.
    n.put_host(0, 16384, 3);
    n.post(transmit_node::put(memory_space::gpu0, transmit_node::gpu_virtual + 8 * page, 32768, 2));
    n.ring_doorbell();
    n.sim.run();
    EXPECT_EQ(n.completion(0).status, transmit_status::timed_out);
    EXPECT_EQ(n.completion(5).status, transmit_status::done);
    EXPECT_EQ(n.packets.size(), 12u);
    EXPECT_GT(n.nic->transmit().reader().unexpected(), 0u);
    const auto right = n.gpu_bytes(8 * page, 32768);
    for (const auto& p : n.packets) {
        if (p.header.tag == 3) continue;
        const auto at = static_cast<long>(p.header.address - transmit_node::put(memory_space::gpu0, 0, 1, 0).address);
        EXPECT_TRUE(std::equal(p.payload.begin(), p.payload.end(), right.begin() + at));
    }
}

TEST(transmit_error, a_doorbell_that_cannot_be_is_refused) {
    transmit_node n({});
    n.posted = transmit_node::entries + 1;
    n.ring_doorbell();
    n.sim.run();
    EXPECT_EQ(n.nic->function().answers().aborted(), 1u);
    n.posted = 0;
    n.put_host(0, 32768);
    n.blocked = true;
    n.ring_doorbell();
    n.sim.run();
    const std::uint32_t all = std::exchange(n.posted, 7u);  // back, while none is complete
    n.ring_doorbell();
    n.sim.run();
    n.posted = all;
    n.unblock();
    n.sim.run();
    EXPECT_EQ(n.nic->function().answers().aborted(), 2u);
    n.expect_sent();
}

TEST(transmit_error, descriptors_that_cannot_be_read_are_completed_as_such) {
    transmit_node n({});
    n.place_ring(transmit_node::host_base + transmit_node::host_bytes);
    n.posted = 3;
    n.ring_doorbell();
    n.sim.run();
    for (unsigned i = 0; i < 3; ++i) EXPECT_EQ(n.completion(i).status, transmit_status::read_failed);
    EXPECT_GT(n.interrupts, 0u);  // two at a time may be one
    n.expect_clean();
}

TEST(answer_window, takes_nothing_that_was_not_asked_for) {
    transmit_node n({});
    n.host_write(n.nic->answers_base(), 1, 8);
    n.host_write(n.nic->answers_base() + 64, 1, 4);
    // Whole answers, into each of the copies of the buffer.
    for (unsigned copy = 0; copy < 256; ++copy) n.host_write(n.nic->answers_base() + copy * 32768 + 64, 1, 64);
    n.sim.run();
    EXPECT_EQ(n.nic->transmit().reader().unexpected(), 258u);
    EXPECT_EQ(n.nic->function().answers().aborted(), 258u);
}

TEST(transmit_statistics, are_the_same_in_every_run) {
    const auto once = [] {
        transmit_node n(with(v2));
        n.register_gpu();
        n.put_gpu(3, 50'000, 1);
        n.put_host(3, 50'000, 2);
        n.ring_doorbell();
        n.sim.run();
        n.expect_sent();
        std::string text;
        for (const auto& row : n.statistics.rows(n.sim.events().now()))
            text += fmt::format("{} {} {}\n", row.path, row.metric, row.value);
        return text;
    };
    EXPECT_EQ(once(), once());
}

}  // namespace
