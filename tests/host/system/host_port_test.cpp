// SPDX-License-Identifier: Apache-2.0
// The host in a PCIe tree of GPUs: copies, commands and interrupts are TLPs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu/network/pcie_network.h"
#include "host/machine.h"

namespace {

using namespace contraflow;
using namespace contraflow::host;
using gpu::host_task;
using host::testing::busy;
using host::testing::counted;
using host::testing::machine;
using host::testing::small_gpus;

constexpr std::size_t words = 1u << 17;
constexpr std::uint64_t payload = words * sizeof(std::uint32_t);

gpu::multi_gpu_spec in_a_tree(unsigned gpus, unsigned gpus_a_switch = 2) {
    auto s = small_gpus(gpus);
    s.gpu.network.in_pcie_tree = true;
    s.gpu.network.pcie.gpus_a_switch = gpus_a_switch;
    return s;
}

// An array in the memory of one GPU, and a queue for it.
struct client {
    client(machine& m, unsigned gpu) : process(m.driver.create_context()) {
        process.select_gpu(gpu);
        array = process.allocate<std::uint32_t>(words);
        queue = &process.create_queue();
    }
    host_task in() { co_await queue->copy_to_device(array, sent); }
    host_task out() { co_await queue->copy_from_device(back, array); }
    host_task there_and_back() {
        queue->copy_to_device(array, sent);
        co_await queue->copy_from_device(back, array);
    }

    context& process;
    gpu::array<std::uint32_t> array;
    command_queue* queue = nullptr;
    std::vector<std::uint32_t> sent = counted(words), back = std::vector<std::uint32_t>(words);
};

std::uint64_t sent_over(machine& m, const std::string& node, bool up) {
    const auto& tree = m.gpus.hardware().pcie()->tree();
    return tree.sender({*tree.nodes().find(node), up}).statistics().payload_bytes.value();
}

std::uint64_t counter(machine& m, const std::string& path) {
    for (const auto& row : m.statistics.rows(m.sim.events().now()))
        if (row.path == path) return static_cast<std::uint64_t>(row.value);
    ADD_FAILURE() << "there is no " << path;
    return 0;
}

TEST(host_port, every_byte_of_a_copy_is_in_the_tlps_of_each_link_on_its_way) {
    machine m(in_a_tree(2));
    client c(m, 2);
    m.run(c.there_and_back());
    EXPECT_EQ(c.back, c.sent);
    const std::uint64_t commands = counter(m, "pcie.host.doorbells"), interrupts = counter(m, "pcie.host.interrupts");
    EXPECT_EQ(commands, 2u);
    EXPECT_EQ(interrupts, 2u);
    for (const char* link : {"host", "switch0", "gpu2"}) {
        const bool of_host = link == std::string("host");
        // A packet of 40 bytes and a doorbell of 4 to the GPU; a record of 8 bytes and an interrupt of 4 from it.
        EXPECT_EQ(sent_over(m, link, of_host), payload + 44 * commands) << link;
        EXPECT_EQ(sent_over(m, link, !of_host), payload + 8 * commands + 4 * interrupts) << link;
    }
    EXPECT_EQ(sent_over(m, "gpu1", true) + sent_over(m, "gpu1", false), 0u);
    m.expect_clean();
}

TEST(host_port, other_networks_have_none_and_their_copies_use_the_pipe) {
    machine m(2);
    EXPECT_EQ(m.gpus.host(), nullptr);
    client c(m, 2);
    m.run(c.there_and_back());
    EXPECT_EQ(c.back, c.sent);
}

// Gen4 x16: 31.5 GB/s; a posted write of 128 bytes has 24 more. The root complex forwards completions in 64 bytes, each
// with 20 more, and those of the host's link in order: two GPUs that read are never faster than one.
TEST(host_port, a_copy_takes_the_links_rate_without_headers_and_copies_of_two_gpus_share_a_link) {
    const auto rate = [](unsigned gpus, unsigned gpus_a_switch, host_task (client::*copy)()) {
        machine m(in_a_tree(2, gpus_a_switch));
        std::deque<client> clients;
        for (unsigned g = 1; g <= gpus; ++g) m.driver.start((clients.emplace_back(m, g).*copy)());
        const core::sim_time took = m.go_on();
        return static_cast<double>(gpus * payload) / (static_cast<double>(took.ps) / 1000);  // GB/s
    };
    const double link = 31.5;
    EXPECT_NEAR(rate(1, 2, &client::out), link * 128 / 152, link * 0.1);
    EXPECT_NEAR(rate(1, 2, &client::in), link * 64 / 84, link * 0.1);
    for (const auto copy : {&client::in, &client::out}) EXPECT_NEAR(rate(2, 2, copy) / rate(1, 2, copy), 1, 0.1);
    EXPECT_GT(rate(2, 1, &client::out) / rate(1, 2, &client::out), 1.5);
}

TEST(host_port, a_byte_that_a_switch_flips_is_wrong_in_the_copy) {
    for (const std::uint64_t number : {10u, 2000u}) {
        auto s = in_a_tree(2);
        pcie::buffer_flip flip;
        flip.node = "switch0";
        flip.number = number;
        flip.byte = 5;
        s.gpu.network.pcie.faults.flips = {flip};
        machine m(s);
        client c(m, 1);
        m.run(c.there_and_back());
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < words; ++i) wrong += c.back[i] != c.sent[i] ? 1 : 0;
        EXPECT_EQ(wrong, 1u) << number;
    }
}

TEST(host_port, a_copy_waits_for_a_host_that_does_not_answer_and_the_wait_chain_names_both) {
    machine m(in_a_tree(2));
    client c(m, 1);
    m.driver.start(c.in());
    m.sim.run_until(core::sim_time::from_ns(2000));
    m.gpus.host()->control(core::control_verb::pause);
    m.sim.run_until(core::sim_time::from_us(100));
    EXPECT_FALSE(m.driver.finished());
    std::vector<core::wait_edge> edges;
    m.whole.report_waits(edges);
    const auto names = [&](const std::string& waiter, const std::string& holder) {
        return std::any_of(edges.begin(), edges.end(),
                           [&](const core::wait_edge& e) { return e.waiter == waiter && e.holder == holder; });
    };
    EXPECT_TRUE(names("driver.queue0", "gpu1.cp"));
    EXPECT_TRUE(names("gpu1.cp.dma", "pcie.host"));
    EXPECT_TRUE(names("pcie.host", "pcie.host"));
    m.gpus.host()->control(core::control_verb::enable);
    m.go_on();
    m.expect_clean();
}

TEST(host_port, reset_in_mid_copy_ends_it_with_an_error_and_all_works_again) {
    for (const std::uint64_t ns : {50u, 300u, 900u, 3000u, 20000u, 30000u}) {
        machine m(in_a_tree(2));
        client c(m, 2);
        unsigned failed = 0;
        const auto copy = [&]() -> host_task {
            try {
                c.queue->launch(busy(4, 20000));
                c.queue->copy_to_device(c.array, c.sent);
                co_await c.queue->copy_from_device(c.back, c.array);
            } catch (const std::runtime_error&) { ++failed; }
        };
        m.driver.start(copy());
        m.sim.run_until(core::sim_time::from_ns(ns));
        ASSERT_FALSE(m.driver.finished());
        EXPECT_TRUE(m.whole.control(core::control_verb::reset));
        EXPECT_EQ(m.whole.payloads_in_flight(), 0u);
        m.sim.run();
        EXPECT_TRUE(m.driver.finished());
        EXPECT_EQ(failed, 1u) << ns;
        m.expect_clean();
        m.run(c.there_and_back());
        EXPECT_EQ(c.back, c.sent) << ns;
        m.expect_clean();
    }
}

// More commands than a GPU has slots, from many queues: all end, in bounded slots.
TEST(host_port, commands_without_a_slot_wait_for_one) {
    machine m(in_a_tree(2));
    context& c = m.driver.create_context();
    auto x = c.allocate<std::uint32_t>(200 * 1024);
    const auto values = counted(1024);
    for (unsigned i = 0; i < 200; ++i) {
        auto& q = c.create_queue();
        q.copy_to_device(x.address(1024 * i), std::as_bytes(std::span(values)));
    }
    std::vector<std::uint32_t> back(200 * 1024);
    m.run([](machine& of) -> host_task { co_await of.driver.synchronise(); }(m));
    EXPECT_EQ(counter(m, "pcie.host.doorbells"), 200u);
    m.run([](command_queue& q, std::vector<std::uint32_t>& to, gpu::array<std::uint32_t> from) -> host_task {
        co_await q.copy_from_device(to, from);
    }(c.create_queue(), back, x));
    for (std::size_t i = 0; i < back.size(); ++i) ASSERT_EQ(back[i], i % 1024 + 1);
    m.expect_clean();
}

}  // namespace
