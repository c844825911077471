// SPDX-License-Identifier: Apache-2.0
// Programs of several nodes that put to one another across a torus.
#include <gmock/gmock.h>

#include <fmt/format.h>

#include "host/cluster/cluster_bench.h"
#include "observe/watchdog.h"

namespace {

using namespace contraflow;
using core::sim_time;
using host::get_status;
using host::nic_place;
using host::rdma_cluster;
using host::rdma_process;
using host::testing::cluster_bench;
using host::testing::get_all;
using host::testing::receive_all;
using host::testing::send_all;
using host::testing::small_cluster;
using nic::completion_record;
using ::testing::EndsWith;
using ::testing::HasSubstr;

struct way {
    nic_place nic_at;
    nic::gpu_generation generation;
};

class two_nodes : public ::testing::TestWithParam<way> {};
INSTANTIATE_TEST_SUITE_P(rdma_cluster, two_nodes,
                         ::testing::Values(way{nic_place::beside_gpu, nic::gpu_generation::v2},
                                           way{nic_place::across_root_complex, nic::gpu_generation::v3},
                                           way{nic_place::other_socket, nic::gpu_generation::v1}),
                         [](const auto& p) { return fmt::format("place{}", static_cast<int>(p.param.nic_at)); });

TEST_P(two_nodes, puts_of_all_lengths_and_pairs_of_memories_arrive_whole) {
    rdma_cluster::spec s = small_cluster({2});
    s.node.nic_at = GetParam().nic_at;
    s.node.transmit.generation = GetParam().generation;
    cluster_bench b(s);
    constexpr std::uint32_t lengths[] = {32, 1, 4096, 9999, 65536};
    std::vector<completion_record> got[2];
    for (const unsigned source : {0u, 1u}) {
        std::vector<rdma_process::put_request> puts;
        std::uint64_t at[2] = {3, 5};
        for (const bool from : {false, true})
            for (const bool to : {false, true})
                for (const std::uint32_t length : lengths) {
                    puts.push_back(b.put(source, b.from_of(from) + puts.size() * 1000 + 7, 1 - source,
                                         b.to_of(to) + at[to], length, static_cast<std::uint16_t>(puts.size())));
                    at[to] += length < 60000 ? length + 1 : length - 30000;
                    if (length == 65536) at[to] += 30001;
                }
        b.process(source).start(receive_all(b.process(source), puts.size(), got[source]));
        b.process(source).start(send_all(b.process(source), puts));
    }
    b.run();
    b.expect_finished();
    b.expect_memories();
    b.expect_clean();
    for (const auto& records : got)
        for (std::size_t i = 0; i < records.size(); ++i) EXPECT_EQ(records[i].tag, i);
}

// A run may be cut short: what is on its way is given back, whoever has it.
TEST(rdma_cluster, ends_in_the_midst_of_its_work) {
    for (std::uint64_t ns = 100; ns < 12'000; ns += ns / 8 + 50) {
        cluster_bench b(small_cluster({2}));
        for (const unsigned source : {0u, 1u})
            b.process(source).start(send_all(b.process(source), {b.put(source, b.from_of(source == 0), 1 - source,
                                                                       b.to_of(source != 0), 20'000, 0)}));
        b.sim.run_to(b.sim.events().now() + sim_time::from_ns(ns));
    }
}

// Into the torus and out of it go whole words, with a header and a footer for each packet.
TEST(rdma_cluster, the_ports_count_the_packets_and_the_bytes_of_their_words) {
    cluster_bench b(small_cluster({2}));
    std::vector<completion_record> got;
    b.process(1).start(receive_all(b.process(1), 3, got));
    b.process(0).start(
        send_all(b.process(0), {b.put(0, b.from_of(false), 1, b.to_of(false), 1, 0),
                                b.put(0, b.from_of(false) + 4096, 1, b.to_of(false) + 4096, 4096, 1),
                                b.put(0, b.from_of(true) + 8192, 1, b.to_of(true) + 8192, 4096 + 17, 2)}));
    b.run();
    b.expect_finished();
    b.expect_memories();
    const std::uint64_t words = (2 + 1) + (2 + 256) + (2 + 256) + (2 + 2);
    EXPECT_EQ(b.cluster.node(0).port().injected(), 4u);
    EXPECT_EQ(b.cluster.node(0).port().injected_bytes(), 16 * words);
    EXPECT_EQ(b.cluster.node(1).port().taken(), 4u);
    EXPECT_EQ(b.cluster.node(1).port().taken_bytes(), 16 * words);
    EXPECT_EQ(b.cluster.node(1).port().injected_bytes() + b.cluster.node(0).port().taken_bytes(), 0u);
}

// Each node puts `rounds` times 4 KB to each one, itself included; places of a target never overlap.
void all_to_all(cluster_bench& b, unsigned rounds) {
    const unsigned nodes = b.cluster.nodes();
    std::vector<std::vector<completion_record>> got(nodes);
    for (unsigned n = 0; n < nodes; ++n) {
        std::vector<rdma_process::put_request> puts;
        for (unsigned round = 0; round < rounds; ++round)
            for (unsigned t = 0; t < nodes; ++t) {
                const bool from = (n + round) % 2 != 0, to = (t + n / 2) % 2 != 0;
                puts.push_back(b.put(n, b.from_of(from) + (t * rounds + round) * 5000, t,
                                     b.to_of(to) + (n * rounds + round) * 4100, 4096,
                                     static_cast<std::uint16_t>(round)));
            }
        b.process(n).start(receive_all(b.process(n), std::size_t{nodes} * rounds, got[n]));
        b.process(n).start(send_all(b.process(n), puts));
    }
    b.run();
    b.expect_finished();
    b.expect_memories();
    b.expect_clean();
    for (unsigned t = 0; t < nodes; ++t) {
        std::map<nic::position, unsigned> next;
        for (const auto& r : got[t]) EXPECT_EQ(r.tag, next[r.source]++) << "at node " << t;
        EXPECT_EQ(next.size(), nodes);
    }
}

TEST(rdma_cluster, eight_nodes_put_to_all_in_order_and_write_nowhere_else) {
    cluster_bench b(small_cluster({4, 2}));
    all_to_all(b, 4);
}

TEST(rdma_cluster, eight_nodes_get_through_the_smallest_queues_of_a_mesh) {
    rdma_cluster::spec s = small_cluster({2, 2, 2});
    s.torus.topology = net::topology::mesh;
    s.torus.virtual_channels = 1;
    s.torus.buffer = nic::most_words;
    s.torus.queue = 1;
    s.node.torus_queue = 1;
    s.node.process.entries = 8;
    s.node.receive.packet_buffer = {2 * nic::most_words * nic::word_bytes};
    s.node.receive.packets = 2;
    s.node.port.writes = 2;
    cluster_bench b(s);
    all_to_all(b, 2);
}

// ---- gets

TEST_P(two_nodes, gets_of_all_lengths_and_pairs_of_memories_come_back_whole) {
    rdma_cluster::spec s = small_cluster({2});
    s.node.nic_at = GetParam().nic_at;
    s.node.transmit.generation = GetParam().generation;
    cluster_bench b(s);
    constexpr std::uint32_t lengths[] = {32, 1, 4096, 9999, 65536};
    for (const unsigned node : {0u, 1u}) {
        std::vector<rdma_process::get_request> gets;
        std::uint64_t at[2] = {3, 5};
        for (const bool from : {false, true})
            for (const bool to : {false, true})
                for (const std::uint32_t length : lengths) {
                    gets.push_back(
                        b.get(node, b.to_of(to) + at[to], 1 - node, b.from_of(from) + gets.size() * 1000 + 7, length));
                    at[to] += length + 1;
                }
        b.process(node).start(get_all(b.process(node), gets));
    }
    b.run();
    b.expect_finished();
    b.expect_memories();
    b.expect_clean();
    EXPECT_FALSE(b.process(0).poll()) << "what comes by a get is not received";
}

// Each node gets `rounds` times 4 KB from each one, itself included, and puts as much to the next one meanwhile.
void all_from_all(cluster_bench& b, unsigned rounds) {
    const unsigned nodes = b.cluster.nodes();
    std::vector<std::vector<completion_record>> got(nodes);
    for (unsigned n = 0; n < nodes; ++n) {
        std::vector<rdma_process::get_request> gets;
        std::vector<rdma_process::put_request> puts;
        for (unsigned round = 0; round < rounds; ++round)
            for (unsigned t = 0; t < nodes; ++t) {
                const bool from = (n + round) % 2 != 0, to = (t + n / 2) % 2 != 0;
                const std::uint64_t place = (t * rounds + round) * 4100;
                gets.push_back(b.get(n, b.to_of(to) + place, t, b.from_of(from) + (n * rounds + round) * 5000, 4096));
                puts.push_back(b.put(n, b.from_of(!from) + place, (n + 1) % nodes, b.to_of(to) + 131072 + place, 4096,
                                     static_cast<std::uint16_t>(round)));
            }
        b.process(n).start(receive_all(b.process(n), puts.size(), got[n]));
        b.process(n).start(get_all(b.process(n), gets));
        b.process(n).start(send_all(b.process(n), puts));
    }
    b.run();
    b.expect_finished();
    b.expect_memories();
    b.expect_clean();
    for (unsigned n = 0; n < nodes; ++n) EXPECT_EQ(b.cluster.node(n).nic().transmit().answers(), rounds * nodes);
}

TEST(rdma_cluster, eight_nodes_get_from_all_and_put_meanwhile) {
    cluster_bench b(small_cluster({4, 2}));
    all_from_all(b, 3);
}

// With each source of back-pressure: requests never hold back responses.
TEST(rdma_cluster, all_get_from_all_through_the_smallest_queues) {
    rdma_cluster::spec s = small_cluster({2, 2, 2});
    s.torus.topology = net::topology::mesh;
    s.torus.virtual_channels = 1;
    s.torus.buffer = nic::most_words;
    s.torus.queue = 1;
    s.node.torus_queue = 1;
    s.node.process.entries = 8;
    s.node.process.gets = 64;
    s.node.core.messages = 1;
    s.node.core.message = sim_time::from_us(2);
    s.node.transmit.answers = 1;
    s.node.transmit.messages = 1;
    s.node.transmit.packets = 1;
    s.node.transmit.buffer = {8192};
    s.node.receive.packet_buffer = {2 * nic::most_words * nic::word_bytes};
    s.node.receive.packets = 2;
    s.node.port.writes = 2;
    cluster_bench b(s);
    all_from_all(b, 3);
}

TEST(rdma_cluster, a_get_without_an_answer_ends_and_its_tag_is_not_used_again) {
    rdma_cluster::spec s = small_cluster({3});
    s.node.process.get_timeout = sim_time::from_us(50);
    s.node.process.gets = 1;
    cluster_bench b(s);
    auto nowhere = b.get(0, b.host_to, 1, b.host_from, 0);
    nowhere.length = 100;
    nowhere.source = {3, 0, 0};
    auto unregistered = nowhere;
    unregistered.source = b.cluster.position(1);
    unregistered.from = 0x3000'0000'0000;
    auto beyond = unregistered;
    beyond.from = b.gpu_from + b.bytes - 99;
    const auto late = b.get(0, b.host_to + 5000, 2, b.host_from, 4096),
               after = b.get(0, b.host_to + 10000, 2, b.gpu_from, 30'000);
    std::vector<get_status> how;
    std::vector<std::uint64_t> answers;  // answers of node 2, at the end of each
    const auto program = [](cluster_bench& c, std::vector<rdma_process::get_request> gets, std::vector<get_status>& all,
                            std::vector<std::uint64_t>& answered) -> gpu::host_task {
        for (const auto& g : gets) {
            all.push_back(co_await c.process(0).got(co_await c.process(0).get(g)));
            answered.push_back(c.cluster.node(2).nic().transmit().answers());
        }
    };
    EXPECT_TRUE(b.cluster.node(2).control(core::control_verb::pause));
    b.process(0).start(program(b, {nowhere, unregistered, beyond, late, after}, how, answers));
    b.sim.run_to(b.sim.events().now() + sim_time::from_us(204));
    EXPECT_EQ(how.size(), 4u);
    EXPECT_TRUE(b.cluster.node(2).control(core::control_verb::enable));  // and the late answer comes first
    b.run();
    EXPECT_EQ(how, (std::vector{get_status::no_answer, get_status::no_answer, get_status::no_answer,
                                get_status::no_answer, get_status::done}));
    EXPECT_EQ(answers.back(), 2u) << "the late answer ends no other get";
    EXPECT_EQ(b.cluster.node(1).nic().transmit().refused_gets(), 2u);
    b.expect_memories();
    b.expect_clean();
    EXPECT_THROW(([&] {
                     b.process(0).start(get_all(b.process(0), {{b.cluster.position(1), b.host_from, 5, 1}}));
                     b.rethrow();
                 })(),
                 std::invalid_argument);
}

TEST(rdma_cluster, a_get_ends_though_puts_before_it_are_not_received) {
    cluster_bench b(small_cluster({2}));
    b.process(1).start(send_all(b.process(1), {b.put(1, b.host_from, 0, b.host_to, 100, 7)}));
    b.run();
    b.process(0).start(get_all(b.process(0), {b.get(0, b.gpu_to, 1, b.gpu_from, 5000)}));
    b.run();
    b.expect_finished();
    std::vector<completion_record> got;
    b.process(1).start(send_all(b.process(1), {b.put(1, b.host_from, 0, b.host_to + 200, 100, 8)}));
    b.process(0).start(receive_all(b.process(0), 2, got));
    b.run();
    b.expect_finished();
    EXPECT_EQ(got[0].tag, 7);
    EXPECT_EQ(got[1].tag, 8);
    b.expect_memories();
    b.expect_clean();
}

TEST(rdma_cluster, positions_and_numbers_of_nodes_are_those_of_the_topology) {
    const host::torus_positions p({4, 3, 2});
    for (unsigned n = 0; n < 24; ++n) EXPECT_EQ(p.number(p.of(n)), n);
    EXPECT_EQ(p.of(4 * 3 + 4 + 3), (nic::position{3, 1, 1}));
    for (const nic::position& nowhere : {nic::position{4, 0, 0}, {0, 3, 0}, {0, 0, 2}}) EXPECT_FALSE(p.number(nowhere));
    // One hop in each dimension, and no route round an axis that could be taken for another one.
    cluster_bench b(small_cluster({4, 3}));
    EXPECT_EQ(b.cluster.torus().hops(0, 1), 1u);
    EXPECT_EQ(b.cluster.position(1), (nic::position{1, 0, 0}));
    EXPECT_EQ(b.cluster.torus().hops(0, 2), 2u);
    EXPECT_EQ(b.cluster.torus().hops(0, 4), 1u);
    EXPECT_EQ(b.cluster.position(4), (nic::position{0, 1, 0}));
}

TEST(rdma_cluster, what_has_no_target_is_dropped_told_and_in_nobodys_way) {
    cluster_bench b(small_cluster({3}));
    std::vector<completion_record> got;
    auto nowhere = b.put(0, b.host_from, 1, b.host_to, 0, 1);
    nowhere.length = 100;
    nowhere.target = {3, 0, 0};
    auto unregistered = nowhere;
    unregistered.target = b.cluster.position(1);
    unregistered.to = 0x3000'0000'0000;
    auto beyond = unregistered;
    beyond.to = b.gpu_to + b.bytes - 99;
    b.process(1).start(receive_all(b.process(1), 1, got));
    b.process(0).start(
        send_all(b.process(0), {nowhere, unregistered, beyond, b.put(0, b.gpu_from, 1, b.gpu_to, 50, 9)}));
    b.run();
    b.expect_finished();
    b.expect_memories();
    b.expect_clean();
    EXPECT_EQ(b.cluster.node(0).port().unroutable(), 1u);
    ASSERT_EQ(b.cluster.node(1).nic().drops().size(), 2u);
    EXPECT_EQ(b.cluster.node(1).nic().drops()[0].reason, nic::drop_reason::no_buffer);
    EXPECT_EQ(b.cluster.node(1).nic().drops()[1].reason, nic::drop_reason::bounds);
    EXPECT_EQ(got[0].tag, 9);
}

// ---- wait reports

struct guarded {
    explicit guarded(cluster_bench& b) : dog(b.sim, sim_time::from_us(2000)) {
        dog.watch(b.cluster);
        dog.set_progress([&b] { return b.cluster.moved(); });
        dog.set_outstanding([&b] { return b.cluster.outstanding(); });
    }
    std::string chain() const {
        std::string all;
        for (const auto& line : dog.wait_chain()) all += line + "\n";
        return all;
    }
    // The chain of waits from there on.
    static std::string waits_from(const cluster_bench& b, std::string who) {
        std::vector<core::wait_edge> edges;
        b.cluster.report_waits(edges);
        std::string all;
        for (std::size_t steps = 0; steps < edges.size(); ++steps) {
            const auto next = std::ranges::find(edges, who, &core::wait_edge::waiter);
            if (next == edges.end()) break;
            all += next->waiter + " waits for " + next->resource + "\n";
            who = next->holder;
        }
        return all + who;
    }
    observe::watchdog dog;
};
std::vector<rdma_process::put_request> flood(cluster_bench& b, unsigned source, unsigned target, unsigned count,
                                             std::uint32_t length) {
    std::vector<rdma_process::put_request> puts;
    for (unsigned i = 0; i < count; ++i)
        puts.push_back(b.put(source, b.host_from + 4096 * (i % 8), target, b.host_to + (i % 8) * 4096, length,
                             static_cast<std::uint16_t>(i)));
    return puts;
}

TEST(rdma_cluster, a_full_completion_ring_is_named_across_the_torus_and_others_go_on_until_it_is_read) {
    rdma_cluster::spec s = small_cluster({4});
    s.node.process.entries = 8;
    s.torus.queue = 1;
    cluster_bench b(s);
    constexpr unsigned count = 200;
    b.process(0).start(send_all(b.process(0), flood(b, 0, 1, count, 2000)));
    std::vector<completion_record> got, others;
    b.process(3).start(receive_all(b.process(3), 20, others));
    b.process(2).start(send_all(b.process(2), flood(b, 2, 3, 20, 4000)));
    guarded g(b);
    EXPECT_NE(g.dog.run(), observe::watchdog::verdict::finished);
    EXPECT_FALSE(b.process(0).finished());
    EXPECT_TRUE(b.process(2).finished());
    EXPECT_EQ(others.size(), 20u);
    EXPECT_THAT(g.chain(), HasSubstr("node1.nic.receive waits for room in completion ring 0 of host"));
    const std::string way = guarded::waits_from(b, "node0.nic.transmit");
    EXPECT_THAT(way, HasSubstr("node0.torus_port waits for acceptance of a response\ntorus.node0.responses"));
    EXPECT_THAT(way, HasSubstr("torus.node0.x+ waits for credit"));
    EXPECT_THAT(way, EndsWith("node1.nic.receive waits for room in completion ring 0\nhost"));
    b.process(1).start(receive_all(b.process(1), count, got));
    EXPECT_EQ(g.dog.run(), observe::watchdog::verdict::finished);
    b.expect_finished();
    b.expect_memories();
    b.expect_clean();
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i].tag, i);
}

TEST(rdma_cluster, a_dead_receiver_is_named_across_the_torus_and_goes_on_when_it_is_revived) {
    cluster_bench b(small_cluster({4}));
    EXPECT_TRUE(b.cluster.node(1).control(core::control_verb::pause));
    std::vector<completion_record> got;
    b.process(1).start(receive_all(b.process(1), 60, got));
    b.process(0).start(send_all(b.process(0), flood(b, 0, 1, 60, 4096)));
    guarded g(b);
    EXPECT_NE(g.dog.run(), observe::watchdog::verdict::finished);
    EXPECT_TRUE(got.empty());
    EXPECT_THAT(g.chain(), HasSubstr("node1.torus_port waits for acceptance of a packet of node1.nic.receive"));
    EXPECT_THAT(guarded::waits_from(b, "node0.nic.transmit"), EndsWith("acceptance of a packet\nnode1.nic.receive"));
    EXPECT_TRUE(b.cluster.node(1).control(core::control_verb::enable));
    EXPECT_EQ(g.dog.run(), observe::watchdog::verdict::finished);
    b.expect_finished();
    b.expect_memories();
    b.expect_clean();
}

TEST(rdma_cluster, goes_on_after_a_reset_in_the_middle_of_everything) {
    auto s = small_cluster({2, 2});
    s.node.transmit.host_reads = 32;  // packets leave faster than the torus takes them
    cluster_bench b(s);
    const auto exchange = [&b](unsigned count, std::vector<std::vector<completion_record>>& got) {
        for (unsigned n = 0; n < 4; ++n) {
            b.process(n).start(receive_all(b.process(n), count, got[n]));
            b.process(n).start(send_all(b.process(n), flood(b, n, 3 - n, count, 4096)));
        }
    };
    std::vector<std::vector<completion_record>> before(4), after(4);
    exchange(60, before);
    b.sim.run_to(b.sim.events().now() + sim_time::from_us(30));
    // A packet is between the NIC and the torus as well.
    const auto held = [&b] {
        std::uint64_t sum = 0;
        for (unsigned n = 0; n < 4; ++n) sum += b.cluster.node(n).port().held();
        return sum;
    };
    for (unsigned i = 0; (held() == 0 || b.cluster.torus().outstanding() == 0) && i < 2000; ++i)
        b.sim.run_to(b.sim.events().now() + sim_time::from_ns(10));
    ASSERT_GT(held(), 0u);
    ASSERT_GT(b.cluster.torus().outstanding(), 0u);
    EXPECT_TRUE(b.cluster.control(core::control_verb::reset));
    EXPECT_EQ(b.cluster.outstanding(), 0u);
    b.run();
    b.expect_clean();
    EXPECT_FALSE(b.cluster.control(core::control_verb::flush));
    for (const auto& got : before) EXPECT_LT(got.size(), 60u);
    for (unsigned n = 0; n < 4; ++n) b.memory.register_all(n);
    exchange(60, after);  // and over what had arrived
    b.run();
    b.expect_finished();
    b.expect_memories();
    b.expect_clean();
    for (const auto& got : after) EXPECT_EQ(got.size(), 60u);
}

TEST(rdma_cluster, a_pause_holds_everything_and_loses_nothing) {
    cluster_bench b(small_cluster({3}));
    std::vector<completion_record> got;
    b.process(2).start(receive_all(b.process(2), 40, got));
    b.process(0).start(send_all(b.process(0), flood(b, 0, 2, 40, 4096)));
    b.sim.run_to(b.sim.events().now() + sim_time::from_us(30));
    EXPECT_TRUE(b.cluster.control(core::control_verb::pause));
    b.sim.run_to(b.sim.events().now() + sim_time::from_us(30));
    const std::uint64_t moved = b.cluster.moved();
    b.sim.run_to(b.sim.events().now() + sim_time::from_us(200));
    EXPECT_EQ(b.cluster.moved(), moved);
    EXPECT_LT(got.size(), 40u);
    EXPECT_TRUE(b.cluster.control(core::control_verb::enable));
    b.run();
    b.expect_finished();
    b.expect_memories();
    b.expect_clean();
}

// ---- time

// From the put until the host sees its completion, of the second of two equal puts: translations are cached.
sim_time one_way(cluster_bench& b, unsigned target, std::uint64_t from, std::uint64_t to, std::uint32_t length) {
    sim_time begin{}, end{};
    const auto receiver = [](cluster_bench& c, unsigned t, sim_time& at) -> gpu::host_task {
        co_await c.process(t).receive();
        at = c.sim.events().now();
    };
    for (unsigned i = 0; i < 2; ++i) {
        begin = b.sim.events().now();
        b.process(target).start(receiver(b, target, end));
        b.process(0).start(send_all(b.process(0), {b.put(0, from, target, to, length, 1)}));
        b.run();
        b.sim.run_to(begin + sim_time::from_us(1000));  // so that both begin alike
    }
    return end - begin;
}

TEST(rdma_cluster_timing, each_hop_adds_a_router_and_a_wire) {
    for (const std::uint32_t length : {32u, 4096u}) {
        std::vector<sim_time> times;
        for (const unsigned target : {0u, 1u, 2u, 3u}) {
            rdma_cluster::spec s = small_cluster({4});
            s.torus.topology = net::topology::mesh;
            s.torus.link_rate = core::bandwidth::from_gb_per_s(3.2);  // cycles of 5 ns, as the NIC's
            cluster_bench b(s);
            times.push_back(one_way(b, target, b.host_from, b.host_to, length));
        }
        constexpr std::uint64_t hop = (8 + 4) * 5000;
        for (unsigned hops = 2; hops < 4; ++hops) EXPECT_EQ((times[hops] - times[1]).ps, (hops - 1) * hop) << length;
        // From a node to itself, reads and writes share two PCIe links of 4 GB/s. The DLLPs for what is read can only
        // delay what is written: four of 8 bytes before the last data leave the NIC, one cycle until it sees that, and
        // as many before the completion on each link.
        constexpr std::uint64_t dllps = 4 * 8 * 250, cycle = 5000;
        EXPECT_LE((times[1] - times[0]).ps, hop) << length;
        EXPECT_GE((times[1] - times[0]).ps, hop - (3 * dllps + cycle)) << length;
        RecordProperty(fmt::format("to_itself_{}_ns", length), fmt::format("{:.0f}", times[0].seconds() * 1e9));
        RecordProperty(fmt::format("to_its_neighbour_{}_ns", length), fmt::format("{:.0f}", times[1].seconds() * 1e9));
    }
}

// Stages: the words at the torus' rate, begun so late that the NIC keeps up; routers and wires; into the datapath on
// arrival; it begins to write 4 cycles after the last word if all translations are cached.
TEST(rdma_cluster_timing, a_packets_way_is_the_sum_of_its_stages) {
    for (const std::uint64_t torus_cycle : {4000u, 5000u, 8000u}) {
        rdma_cluster::spec s = small_cluster({2});
        s.torus.link_rate = core::bandwidth::from_gb_per_s(16e3 / static_cast<double>(torus_cycle));
        cluster_bench b(s);
        one_way(b, 1, b.host_from, b.host_to, 32);
        const auto& from = b.cluster.node(0).port();
        const auto& to = b.cluster.node(1).port();
        const auto& transmit = b.cluster.node(0).nic().transmit();
        const pcie::link_tree& tree = b.cluster.node(1).tree();
        const pcie::port& nic = tree.sender({*tree.nodes().find("nic"), true});
        b.process(0).start(send_all(b.process(0), {b.put(0, b.host_from, 1, b.host_to, 32, 1)}));
        const auto when = [&b](const auto& count) {
            const std::uint64_t before = count();
            for (unsigned ns = 0; count() == before && ns < 20'000; ++ns)
                b.sim.run_to(b.sim.events().now() + sim_time::from_ns(1));
            return b.sim.events().now().ps;
        };
        constexpr std::uint64_t words = 4, of_write = 2;  // the packet; its payload
        const std::uint64_t injected = when([&] { return from.injected(); });
        const std::uint64_t left = when([&] { return transmit.packets(); });
        const std::uint64_t taken = when([&] { return to.taken(); });
        const std::uint64_t written = when([&] { return nic.statistics().tlps.value(); });
        // The last word reaches the torus with the NIC's last one, or later.
        EXPECT_EQ(left, injected + words * (torus_cycle < 5000 ? torus_cycle : 5000));
        EXPECT_EQ(taken, injected + (8 + 4 + words) * torus_cycle);
        // A word a cycle from the first one's edge on, or with the last one, if that arrives later; to the cycle. Times
        // here are whole nanoseconds. The write leaves with its last word.
        const auto edge = [](std::uint64_t t) { return (t + 4999) / 5000 * 5000; };
        const std::uint64_t in = std::max(edge(taken), edge(taken - words * torus_cycle) + words * 5000);
        EXPECT_EQ(written / 5000 * 5000, in + (4 + of_write - 1) * 5000) << torus_cycle;
        b.run();
        b.expect_memories();
    }
}

// The latency and the rate of a user, without time of the host or of the core. The published figures include both.
TEST(rdma_cluster_timing, latencies_and_rates_of_all_pairs_of_memories) {
    const auto name = [](bool from, bool to) { return fmt::format("{}{}", from ? 'g' : 'h', to ? 'g' : 'h'); };
    double half[2][2], rate[2][2];
    for (const bool from : {false, true})
        for (const bool to : {false, true}) {
            {
                cluster_bench b(small_cluster({2}));
                half[from][to] = one_way(b, 1, b.from_of(from), b.to_of(to), 32).seconds() * 1e9;
                RecordProperty(name(from, to) + "_32_ns", fmt::format("{:.0f}", half[from][to]));
            }
            cluster_bench b(small_cluster({2}));
            // 1 MiB: four times the available memory, between the first completion and the last.
            std::vector<completion_record> got;
            std::vector<rdma_process::put_request> puts;
            for (unsigned i = 0; i < 5; ++i)
                puts.push_back(b.put(0, b.from_of(from), 1, b.to_of(to), b.bytes, static_cast<std::uint16_t>(i)));
            sim_time first{}, last{};
            const auto receiver = [](cluster_bench& c, sim_time& begin, sim_time& end) -> gpu::host_task {
                for (unsigned i = 0; i < 5; ++i) {
                    co_await c.process(1).receive();
                    (i == 0 ? begin : end) = c.sim.events().now();
                }
            };
            b.process(1).start(receiver(b, first, last));
            b.process(0).start(send_all(b.process(0), puts));
            b.run();
            b.expect_memories();
            rate[from][to] = 4.0 * static_cast<double>(b.bytes) / (last - first).seconds() / 1e9;
            RecordProperty(name(from, to) + "_gb_per_s", fmt::format("{:.3f}", rate[from][to]));
        }
    // A read of a GPU has a longer latency than a read of the host, at the same rate.
    for (const bool to : {false, true}) {
        EXPECT_GT(half[1][to], half[0][to] + 1000);
        EXPECT_LT(rate[1][to], rate[0][to]);
    }
}

}  // namespace
