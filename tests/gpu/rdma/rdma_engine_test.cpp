// SPDX-License-Identifier: Apache-2.0
// Control of RDMA engines and of networks at any moment: drain and enable, reset in the middle of
// traffic, wait reports, the same result twice; and the effect of an engine's queues.
#include <gmock/gmock.h>

#include "gpu/network/networks.h"
#include "gpu/whole_gpu.h"

namespace {

using namespace contraflow;
using namespace contraflow::gpu;
using gpu::testing::whole_gpu;
using net::topology;

gpu_spec rdma_machine(network_kind how, unsigned queue) {
    gpu_spec s = gpu::testing::small_gpu();
    s.pages.placement = memory::placement::interleaved;
    s.network = gpu::testing::network_of(how);
    s.rdma = {queue, {4}};
    return s;
}

constexpr unsigned elements = 16 * 1024;

// Three of four elements are another socket's.
host_task add_one_to(gpu_system_if& gpu, array<float> x) {
    co_await gpu.launch({"add", 32, 128, [=](wave w) -> kernel {
                             for (auto i : w.share(x.size())) {
                                 const auto there = (i * 5 + 1024) % x.size();
                                 co_await w.store(x, there, co_await w.load(x, there) + 1);
                             }
                         }});
}

class rdma_engines : public ::testing::TestWithParam<std::tuple<network_kind, unsigned>> {
protected:
    gpu_spec spec() const { return rdma_machine(std::get<0>(GetParam()), std::get<1>(GetParam())); }
};
INSTANTIATE_TEST_SUITE_P(networks, rdma_engines,
                         ::testing::Combine(::testing::ValuesIn(gpu::testing::all_networks), ::testing::Values(0u, 2u)),
                         [](const auto& p) {
                             return fmt::format("{}_queue{}", gpu::testing::name_of(std::get<0>(p.param)),
                                                std::get<1>(p.param));
                         });

TEST_P(rdma_engines, drain_ends_what_has_left_and_enable_goes_on) {
    whole_gpu g(spec());
    const auto x = g.gpu.memory().allocate<float>(elements);
    g.gpu.host().start(add_one_to(g.gpu.host(), x));
    g.sim.run_until(core::sim_time::from_ns(1500));
    bool busy = false;
    for (unsigned i = 0; i < g.gpu.sockets(); ++i) {
        busy |= !g.gpu.socket(i).rdma()->idle();
        EXPECT_TRUE(g.gpu.socket(i).rdma()->control(core::control_verb::drain));
    }
    ASSERT_TRUE(busy);
    g.sim.run();  // until only blocked requests are left
    for (unsigned i = 0; i < g.gpu.sockets(); ++i) EXPECT_TRUE(g.gpu.socket(i).rdma()->idle());
    EXPECT_EQ(g.gpu.packets()->outstanding(), 0u);
    EXPECT_FALSE(g.gpu.host().finished());
    for (unsigned i = 0; i < g.gpu.sockets(); ++i)
        EXPECT_TRUE(g.gpu.socket(i).rdma()->control(core::control_verb::enable));
    g.sim.run();
    ASSERT_TRUE(g.gpu.host().finished());
    EXPECT_EQ(g.gpu.memory().read(x), std::vector<float>(elements, 1));
    g.expect_clean();
}

TEST_P(rdma_engines, pause_serves_no_request_and_enable_goes_on) {
    whole_gpu g(spec());
    const auto x = g.gpu.memory().allocate<float>(elements);
    g.gpu.host().start(add_one_to(g.gpu.host(), x));
    g.sim.run_until(core::sim_time::from_ns(1500));
    rdma_engine& paused = *g.gpu.socket(1).rdma();
    EXPECT_TRUE(paused.control(core::control_verb::pause));
    const auto sent = paused.requests();
    g.sim.run();
    EXPECT_EQ(paused.requests(), sent);
    EXPECT_FALSE(g.gpu.host().finished());
    EXPECT_TRUE(paused.control(core::control_verb::enable));
    g.sim.run();
    ASSERT_TRUE(g.gpu.host().finished());
    EXPECT_EQ(g.gpu.memory().read(x), std::vector<float>(elements, 1));
    g.expect_clean();
}

TEST_P(rdma_engines, reset_in_mid_traffic_leaks_nothing_and_leaves_a_machine_that_works) {
    gpu_spec s = spec();
    s.check_protocol = true;
    whole_gpu g(s);
    const auto x = g.gpu.memory().allocate<float>(elements);
    bool heard = false;
    auto program = [&](gpu_system_if& gpu) -> host_task {
        try {
            co_await add_one_to(gpu, x);
        } catch (const std::runtime_error&) { heard = true; }
        gpu.memory().fill(x, 5.0f);
        co_await add_one_to(gpu, x);
    };
    g.gpu.host().start(program(g.gpu.host()));
    g.sim.run_until(core::sim_time::from_ns(1500));
    ASSERT_GT(g.gpu.outstanding(), 10u);
    ASSERT_TRUE(g.gpu.control(core::control_verb::reset));
    EXPECT_TRUE(heard);
    EXPECT_EQ(g.gpu.payloads_in_flight(), 0u);
    EXPECT_EQ(g.gpu.packets()->outstanding(), 0u);
    g.sim.run();
    ASSERT_TRUE(g.gpu.host().finished());
    EXPECT_EQ(g.gpu.memory().read(x), std::vector<float>(elements, 6));
    EXPECT_TRUE(g.gpu.idle());
}

TEST_P(rdma_engines, give_the_same_time_twice) {
    core::sim_time took[2];
    for (core::sim_time& t : took) {
        whole_gpu g(spec());
        const auto x = g.gpu.memory().allocate<float>(elements);
        t = g.run(add_one_to(g.gpu.host(), x));
    }
    EXPECT_EQ(took[0], took[1]);
}

TEST_P(rdma_engines, a_network_that_sends_nothing_is_named) {
    whole_gpu g(spec());
    const auto x = g.gpu.memory().allocate<float>(elements);
    g.gpu.packets()->control(core::control_verb::pause);
    try {
        g.run(add_one_to(g.gpu.host(), x));
        FAIL() << "it ended";
    } catch (const std::logic_error& e) {
        const bool tree = std::get<0>(GetParam()) == network_kind::pcie;
        EXPECT_THAT(e.what(), ::testing::HasSubstr("rdma"));
        EXPECT_THAT(e.what(), ::testing::HasSubstr(tree ? "pcie.gpu" : "link"));
    }
}

TEST(rdma_engine, keeps_no_copies_to_invalidate_or_flush) {
    whole_gpu g(rdma_machine(of_links(topology::fully_connected), 1));
    EXPECT_FALSE(g.gpu.socket(0).rdma()->control(core::control_verb::invalidate));
    EXPECT_FALSE(g.gpu.socket(0).rdma()->control(core::control_verb::flush));
}

TEST(rdma_engine, has_its_queues_in_the_statistics_only_where_it_has_queues) {
    for (const unsigned queue : {0u, 3u}) {
        whole_gpu g(rdma_machine(of_links(topology::central_switch), queue));
        const auto x = g.gpu.memory().allocate<float>(elements);
        g.run(add_one_to(g.gpu.host(), x));
        unsigned levels = 0;
        for (const auto& r : g.statistics.rows(g.sim.events().now())) {
            if (r.path.find("rdma.re") == std::string::npos || r.metric != "max") continue;
            ++levels;
            EXPECT_GT(r.value, 0) << r.path;
            EXPECT_LE(r.value, queue * g.gpu.socket(0).rdma()->ports()) << r.path;
        }
        EXPECT_EQ(levels, queue == 0 ? 0 : 4 * g.gpu.sockets());
    }
}

// One wavefront reads, and then writes, 256 bytes of each page: three of four pages are other sockets'.
TEST_P(rdma_engines, count_the_requests_of_a_wavefront_and_their_data_at_both_ends) {
    const unsigned queue = std::get<1>(GetParam());
    whole_gpu g(spec());
    constexpr unsigned page = 4096 / sizeof(float), pages = elements / page;
    const auto x = g.gpu.memory().allocate<float>(elements);
    const std::uint64_t line = g.gpu.configuration().l1.line.count, lines = 64 * sizeof(float) / line;
    const auto counts = [&](unsigned socket, const char* what) {
        const std::string path = std::string(g.gpu.socket(socket).rdma()->name()) + what;
        for (const auto& r : g.statistics.rows(g.sim.events().now()))
            if (r.path == path && r.metric == "count") return static_cast<std::uint64_t>(r.value);
        ADD_FAILURE() << "no statistic " << path;
        return std::uint64_t{0};
    };
    const auto pass = [&](bool writes) {
        return g.run(1, 64, [=](wave w) -> kernel {
            for (unsigned p = 0; p < pages; ++p) {
                const auto at = w.global_ids() + p * page;
                if (writes)
                    co_await w.store(x, at, 1.0f);
                else
                    co_await w.load(x, at);
            }
        });
    };
    const unsigned sockets = g.gpu.sockets();
    const std::uint64_t there = pages / sockets * lines;  // in each other socket
    pass(false);
    unsigned asks = 0;
    while (asks < sockets && counts(asks, ".requests") == 0) ++asks;
    ASSERT_LT(asks, sockets);
    const auto expect = [&](unsigned passes, std::uint64_t read, std::uint64_t written) {
        for (unsigned s = 0; s < sockets; ++s) {
            SCOPED_TRACE(fmt::format("socket {}, {} queues, {} passes", s, queue, passes));
            const bool own = s == asks;
            EXPECT_EQ(counts(s, ".requests"), own ? (sockets - 1) * there * passes : 0);
            EXPECT_EQ(counts(s, ".served"), own ? 0 : there * passes);
            EXPECT_EQ(counts(s, ".data_in"), own ? (sockets - 1) * read : written);
            EXPECT_EQ(counts(s, ".data_out"), own ? (sockets - 1) * written : read);
        }
    };
    expect(1, there * line, 0);
    pass(true);
    expect(2, there * line, there * line);
    g.expect_clean();
}

// One thread loads lines of another GPU, one after the other: each is for the engine's latency in each of four places.
TEST(rdma_engine, gauges_of_its_flows_are_what_they_hold) {
    constexpr unsigned lines = 20;
    gpu_spec s = rdma_machine(static_cast<network_kind>(topology::fully_connected), 8);
    whole_gpu g(s);
    const auto x = g.gpu.memory().allocate<float>(elements);
    g.run(1, 32, [=](wave w) -> kernel {
        for (unsigned i = 0; i < lines; ++i) co_await w.load(x, w.thread_ids() + (1024 + 32 * i));
    });
    const core::sim_time end = g.sim.events().now();
    const double each = lines * s.rdma.latency.count * static_cast<double>(s.cycle().ps);
    double held = 0;
    unsigned flows = 0;
    for (const auto& row : g.statistics.rows(end)) {
        const auto of = row.path.find("rdma.re");
        if (of == std::string::npos || (row.metric != "mean" && row.metric != "max")) continue;
        const std::string flow = row.path.substr(of + 5);
        if (flow != "requests_out" && flow != "requests_in" && flow != "responses_out" && flow != "responses_in")
            continue;
        const bool used = flow == "requests_out" || flow == "responses_in" ? row.path.starts_with("gpu0.")
                                                                           : row.path.starts_with("gpu1.");
        SCOPED_TRACE(row.path);
        if (row.metric == "max") {
            EXPECT_EQ(row.value, used ? 1 : 0);
            continue;
        }
        EXPECT_NEAR(row.value * static_cast<double>(end.ps), used ? each : 0, 1e-6 * each);
        held += row.value;
        ++flows;
    }
    EXPECT_EQ(flows, 4 * g.gpu.sockets());
    EXPECT_NEAR(held * static_cast<double>(end.ps), 4 * each, 1e-6 * each);
    g.expect_clean();
}

}  // namespace
