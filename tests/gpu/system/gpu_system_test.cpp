// SPDX-License-Identifier: Apache-2.0
// Whole GPUs: the cost of local and remote accesses, the visibility of writes, and the contract of every component.
#include <gmock/gmock.h>

#include <algorithm>

#include "gpu/whole_gpu.h"

namespace {

using namespace contraflow;
using namespace contraflow::gpu;
using gpu::testing::small_gpu;
using gpu::testing::whole_gpu;

// One wavefront's load of one line, `socket` being home, seen from socket 0.
core::sim_time latency_of_load(gpu_spec s, unsigned home, unsigned from = 0) {
    s.dispatcher.order = cta_order::contiguous;
    whole_gpu g(s);
    auto x = g.gpu.memory().allocate<float>(1024);
    core::sim_time took{};
    auto program = [&](gpu_system_if& gpu) -> host_task {
        co_await gpu.launch({"touch", s.sockets, 32, [=](wave w) -> kernel {
                                 if (w.cta() == home) co_await w.load(x, w.thread_ids() + 512);
                             }});
        co_await gpu.launch({"load", s.sockets, 32, [&, x](wave w) -> kernel {
                                 if (w.cta() != from) co_return;
                                 const core::sim_time begun = g.sim.events().now();
                                 co_await w.load(x, w.thread_ids());
                                 took = g.sim.events().now() - begun;
                             }});
    };
    g.run(program(g.gpu.host()));
    g.expect_clean();
    EXPECT_EQ(g.gpu.profile().count(access_kind::load, true), home == from ? 0u : 1u);
    return took;
}

TEST(gpu_system, a_remote_load_takes_the_links_longer_than_a_local_one) {
    gpu_spec s = small_gpu();
    const core::sim_time local = latency_of_load(s, 0);
    const core::sim_time hop = s.network.link.pipeline + s.network.link.propagation;
    EXPECT_GT(local, core::sim_time::from_ns(300));  // from memory
    EXPECT_LT(local, core::sim_time::from_ns(450));
    s.network.topology = net::topology::fully_connected;
    const core::sim_time near = latency_of_load(s, 1);
    const core::sim_time crossbars = s.cycle() * (s.crossbar.latency.count + s.crossbar.response_latency.count);
    EXPECT_GT(near, local + hop * 2 + crossbars);
    EXPECT_LT(near, local + hop * 2 + crossbars + core::sim_time::from_ns(60));
    s.network.topology = net::topology::central_switch;
    EXPECT_GT(latency_of_load(s, 1), near + hop * 2);
    s.network.topology = net::topology::ring;
    EXPECT_EQ(latency_of_load(s, 1), near);
    EXPECT_EQ(latency_of_load(s, 3), near);
    EXPECT_GT(latency_of_load(s, 2), near + hop * 2);
}

TEST(gpu_system, only_remote_caching_keeps_lines_of_other_sockets) {
    for (const coherence c : {coherence::memory_side, coherence::remote_caching}) {
        gpu_spec s = small_gpu();
        s.coherence = c;
        whole_gpu g(s);
        auto x = g.gpu.memory().allocate<std::uint32_t>(1024);
        // The first CTA of each socket reads data of socket 0; L1s are too small to keep it.
        auto program = [&](gpu_system_if& gpu) -> host_task {
            co_await gpu.launch({"own", 1, 32, [=](wave w) -> kernel {
                                     for (auto i : w.share(1024)) co_await w.store(x, i, 1);
                                 }});
            co_await gpu.launch({"read", 4, 32, [=](wave w) -> kernel {
                                     for (int round = 0; round < 4; ++round)
                                         for (auto i : w.own(4096)) co_await w.load(x, i % 1024);
                                 }});
        };
        g.run(program(g.gpu.host()));
        const auto crossed = g.gpu.socket(1).rdma()->requests();
        EXPECT_EQ(g.gpu.profile().count(access_kind::load, true), 3u * 4 * 32);
        if (c == coherence::memory_side)
            EXPECT_GE(crossed, 3u * 32);
        else
            EXPECT_EQ(crossed, 32u);
        g.expect_clean();
    }
}

TEST(gpu_system, a_kernel_sees_what_another_socket_wrote_in_the_one_before) {
    for (const coherence c : {coherence::memory_side, coherence::remote_caching}) {
        gpu_spec s = small_gpu();
        s.coherence = c;
        whole_gpu g(s);
        auto x = g.gpu.memory().allocate<std::uint32_t>(64);
        auto wrong = g.gpu.memory().allocate<std::uint32_t>(1);
        auto program = [&](gpu_system_if& gpu) -> host_task {
            for (std::uint32_t round = 1; round <= 6; ++round) {
                // One socket after the other writes; all read, so all hold copies.
                co_await gpu.launch({"write", 4, 64, [=](wave w) -> kernel {
                                         if (w.cta() == round % 4) co_await w.store(x, w.local_ids(), round);
                                     }});
                co_await gpu.launch({"read", 4, 64, [=](wave w) -> kernel {
                                         const auto v = co_await w.load(x, w.local_ids());
                                         co_await w.atomic_add(wrong, 0, 1, v != round);
                                     }});
            }
        };
        g.run(program(g.gpu.host()));
        EXPECT_EQ(g.gpu.memory().read(wrong, 0), 0u);
    }
}

// Without the boundary between kernels copies would be stale: one kernel, which has no such boundary, shows it.
TEST(gpu_system, within_a_kernel_copies_do_get_stale_and_uncached_loads_do_not) {
    for (const coherence c : {coherence::memory_side, coherence::remote_caching}) {
        gpu_spec s = small_gpu();
        s.coherence = c;
        whole_gpu g(s);
        auto x = g.gpu.memory().allocate<std::uint32_t>(1);
        auto ready = g.gpu.memory().allocate<std::uint32_t>(1);
        std::uint32_t cached = 9, uncached = 9;
        g.run(4, 32, [&, x, ready](wave w) -> kernel {
            if (w.cta() == 3) {
                co_await w.load(x, 0);  // has a copy from now on
                co_await w.atomic_add(ready, 0, 1, mask::thread(0));
                while ((co_await w.load_uncached(ready, 0))[0] < 2) {}
                cached = (co_await w.load(x, 0))[0];
                uncached = (co_await w.load_uncached(x, 0))[0];
            } else if (w.cta() == 0) {
                while ((co_await w.load_uncached(ready, 0))[0] < 1) {}
                co_await w.store(x, 0, 5);
                co_await w.fence();
                co_await w.atomic_add(ready, 0, 1, mask::thread(0));
            }
        });
        EXPECT_EQ(cached, 0u);
        EXPECT_EQ(uncached, 5u);
    }
}

TEST(gpu_system, first_touch_makes_a_kernel_local) {
    gpu_spec s = small_gpu();
    whole_gpu g(s);
    const std::size_t n = 16 * 1024;
    auto x = g.gpu.memory().allocate<float>(n);
    g.run(16, 128, [=](wave w) -> kernel {
        for (auto i : w.own(n)) co_await w.store(x, i, co_await w.load(x, i) + 1);
    });
    EXPECT_EQ(g.gpu.profile().count(access_kind::load, true), 0u);
    EXPECT_EQ(g.gpu.profile().count(access_kind::store, true), 0u);
    for (unsigned k = 0; k < 4; ++k) EXPECT_EQ(g.gpu.socket(k).rdma()->requests(), 0u);
}

TEST(gpu_system, milestones_tile_the_life_of_every_request) {
    for (const net::topology t : {net::topology::central_switch, net::topology::ring}) {
        gpu_spec s = small_gpu();
        s.pages.placement = memory::placement::interleaved;
        s.network.topology = t;
        s.network.link.lanes.lanes_per_direction = 1;
        whole_gpu g(s);
        struct : request_observer_if {
            void request_completed(access_kind, bool remote, const memory::memory_extension& e) override {
                ++seen;
                tiled += e.times.tile();
                const auto on_links = e.times.spent(memory::stage::link) + e.times.spent(memory::stage::response_link);
                crossed_for_nothing += !remote && on_links.ps > 0;
                crossed += remote && on_links.ps > 0;
            }
            std::uint64_t seen = 0, tiled = 0, crossed = 0, crossed_for_nothing = 0;
        } observer;
        g.gpu.profile().set_observer(&observer);
        auto x = g.gpu.memory().allocate<std::uint32_t>(32 * 1024);
        g.run(16, 128, [=](wave w) -> kernel {
            for (auto i : w.share(x.size() / 4)) {
                co_await w.store(x, i * 4,
                                 per_thread<std::uint32_t>(co_await w.load(x, (i * 4 + 5000) % x.size())) + 1);
                co_await w.atomic_add(x, i % 64, 1);
            }
        });
        EXPECT_GT(observer.seen, 1000u);
        EXPECT_EQ(observer.tiled, observer.seen);
        EXPECT_EQ(observer.crossed_for_nothing, 0u);
        EXPECT_GT(observer.crossed, 500u);
        EXPECT_GT(g.gpu.profile().spent(access_kind::load, true, memory::stage::response_link_queue).ps, 0u);
    }
}

TEST(gpu_system, lanes_are_symmetric_when_a_kernel_begins) {
    gpu_spec s = small_gpu();
    s.l2.banks = s.rdma_ports = 8;  // faster than the links
    s.network.link.lanes.sample_time = {300};
    s.network.link.lanes.switch_time = {10};
    s.dispatcher.launch_cost = {1000};
    whole_gpu g(s);
    const std::size_t n = 64 * 1024;
    auto x = g.gpu.memory().allocate<float>(n);
    unsigned turned = 0;
    auto program = [&](gpu_system_if& gpu) -> host_task {
        co_await gpu.launch({"own", 1, 128, [=](wave w) -> kernel {
                                 for (auto i : w.share(n)) co_await w.store(x, i, 0);
                             }});
        for (int round = 0; round < 2; ++round) {
            co_await gpu.launch({"many to one", 16, 256, [=](wave w) -> kernel {
                                     for (auto i : w.share(n)) co_await w.store(x, i, 1);
                                 }});
            turned += g.gpu.network()->links()[0]->lanes().lanes.ba > 8;
        }
        co_await gpu.launch({"begins", 1, 32, [&](wave w) -> kernel {
                                 co_await w.compute(500);
                                 for (const auto& l : g.gpu.network()->links()) EXPECT_EQ(l->lanes().lanes.ab, 8u);
                             }});
    };
    g.run(program(g.gpu.host()));
    EXPECT_EQ(turned, 2u);
    g.expect_clean();
}

TEST(gpu_system, idle_sockets_and_units_cost_nothing) {
    const auto events = [](unsigned sockets, unsigned units) {
        gpu_spec s = small_gpu();
        s.sockets = sockets;
        s.units = units;
        whole_gpu g(s);
        auto x = g.gpu.memory().allocate<float>(1024);
        g.run(1, 256, [=](wave w) -> kernel {
            for (auto i : w.share(1024)) co_await w.load(x, i);
        });
        return g.sim.events().executed();
    };
    const unsigned more_links = 6;  // each hears of the launch
    EXPECT_EQ(events(2, 1) + more_links, events(8, 16));
}

TEST(gpu_system, a_deadlock_is_named) {
    whole_gpu g(small_gpu());
    auto x = g.gpu.memory().allocate<float>(64);
    for (const auto& l : g.gpu.network()->links()) l->control(core::control_verb::pause);
    try {
        auto program = [&](gpu_system_if& gpu) -> host_task {
            co_await gpu.launch({"own", 1, 32, [=](wave w) -> kernel { co_await w.load(x, 0); }});
            co_await gpu.launch({"stuck", 2, 32, [=](wave w) -> kernel { co_await w.load(x, w.global_ids()); }});
        };
        g.run(program(g.gpu.host()));
        FAIL() << "it ended";
    } catch (const std::logic_error& e) {
        EXPECT_THAT(e.what(), ::testing::HasSubstr("gpu1.cu0"));
        EXPECT_THAT(e.what(), ::testing::HasSubstr("link1"));
    }
}

TEST(gpu_system, reset_before_a_kernel_began_lets_the_next_one_run_once) {
    gpu_spec s = small_gpu();
    s.dispatcher.launch_cost = {2000};
    whole_gpu g(s);
    auto x = g.gpu.memory().allocate<std::uint32_t>(32);
    const auto add_one = [=](wave w) -> kernel { co_await w.atomic_add(x, w.global_ids(), 1); };
    const auto launch = [&](gpu_system_if& gpu) -> host_task { co_await gpu.launch({"k", 1, 32, add_one}); };
    g.gpu.host().start(launch(g.gpu.host()));
    g.sim.events().at(
        core::sim_time::from_ns(500), [](void*, std::uint64_t) {}, nullptr);
    g.sim.run_until(core::sim_time::from_ns(500));
    ASSERT_TRUE(g.gpu.control(core::control_verb::reset));
    EXPECT_THROW(g.gpu.host().rethrow(), std::runtime_error);
    g.gpu.host().start(launch(g.gpu.host()));
    g.sim.run();
    g.gpu.host().rethrow();
    EXPECT_TRUE(g.gpu.host().finished());
    EXPECT_GE(g.gpu.host().launches().back().begun, core::sim_time::from_ns(2500));
    EXPECT_EQ(g.gpu.memory().read(x), std::vector<std::uint32_t>(32, 1));
}

TEST(gpu_system, reset_in_mid_traffic_leaves_nothing_under_way_and_a_gpu_that_works) {
    for (const net::topology t : {net::topology::central_switch, net::topology::ring}) {
        gpu_spec s = small_gpu();
        s.network.topology = t;
        s.pages.placement = memory::placement::interleaved;
        s.check_protocol = true;
        whole_gpu g(s);
        auto x = g.gpu.memory().allocate<float>(32 * 1024);
        bool heard = false;
        const auto add_one = [=](wave w) -> kernel {
            for (auto i : w.share(x.size())) co_await w.store(x, i, co_await w.load(x, i) + 1);
        };
        auto program = [&](gpu_system_if& gpu) -> host_task {
            try {
                co_await gpu.launch({"dropped", 32, 128, add_one});
            } catch (const std::runtime_error&) { heard = true; }
            gpu.memory().fill(x, 5.0f);
            co_await gpu.launch({"after it", 32, 128, add_one});
        };
        g.gpu.host().start(program(g.gpu.host()));
        g.sim.run_until(core::sim_time::from_ns(1500));
        ASSERT_GT(g.gpu.outstanding(), 10u);
        ASSERT_TRUE(g.gpu.control(core::control_verb::reset));
        EXPECT_TRUE(heard);
        EXPECT_EQ(g.gpu.payloads_in_flight(), 0u);
        g.sim.run();
        ASSERT_TRUE(g.gpu.host().finished());
        EXPECT_EQ(g.gpu.memory().read(x), std::vector<float>(x.size(), 6.0f));
        g.expect_clean();
    }
}

TEST(gpu_system, drain_ends_what_has_begun_and_enable_goes_on) {
    whole_gpu g(small_gpu());
    auto seen = g.gpu.memory().allocate<std::uint32_t>(500);
    auto program = [&](gpu_system_if& gpu) -> host_task {
        co_await gpu.launch({"k", 500, 64, [=](wave w) -> kernel {
                                 co_await w.compute(200);
                                 co_await w.atomic_add(seen, w.cta(), 1);
                             }});
    };
    g.gpu.host().start(program(g.gpu.host()));
    g.sim.run_until(core::sim_time::from_us(2));
    ASSERT_TRUE(g.gpu.control(core::control_verb::drain));
    g.sim.run();
    EXPECT_FALSE(g.gpu.host().finished());
    EXPECT_EQ(g.gpu.payloads_in_flight(), 0u);
    const auto values = g.gpu.memory().read(seen);
    const auto done = std::count(values.begin(), values.end(), 64u);
    EXPECT_EQ(done + std::count(values.begin(), values.end(), 0u), 500);
    EXPECT_GT(done, 0);
    EXPECT_LT(done, 500);
    ASSERT_TRUE(g.gpu.control(core::control_verb::enable));
    g.sim.run();
    EXPECT_TRUE(g.gpu.host().finished());
    EXPECT_EQ(g.gpu.memory().read(seen), std::vector<std::uint32_t>(500, 64));
    g.expect_clean();
}

TEST(gpu_system, flush_brings_all_to_memory) {
    whole_gpu g(small_gpu());
    auto x = g.gpu.memory().allocate<std::uint32_t>(256);
    g.run(1, 256, [=](wave w) -> kernel { co_await w.store(x, w.global_ids(), 7); });
    const std::uint64_t home = *g.gpu.pages().find(x.address());
    auto& bytes = g.gpu.socket(g.gpu.map().socket_of(home)).memory().bytes();
    EXPECT_EQ(*bytes.at(home), 0u);  // the second level has it
    ASSERT_TRUE(g.gpu.control(core::control_verb::flush));
    g.sim.run();
    EXPECT_EQ(*bytes.at(home), 7u);
    EXPECT_TRUE(g.gpu.control(core::control_verb::invalidate));
    EXPECT_EQ(g.gpu.memory().read(x), std::vector<std::uint32_t>(256, 7));
}

TEST(gpu_system, specifications_that_make_no_gpu_are_refused) {
    const auto refused = [](auto spoil) {
        gpu_spec s = small_gpu();
        spoil(s);
        EXPECT_THROW(whole_gpu{s}, std::invalid_argument);
        EXPECT_NE(config::first_text(problems_of(s)), "");
    };
    EXPECT_EQ(config::first_text(problems_of(small_gpu())), "");
    const gpu_spec defaults;
    EXPECT_EQ(config::first_text(problems_of(defaults)), "");
    refused([](gpu_spec& s) { s.units = 0; });
    refused([](gpu_spec& s) { s.l1.line = {64}; });
    refused([](gpu_spec& s) { s.l1.size = {1000}; });
    refused([](gpu_spec& s) { s.l1.writes = memory::write_policy::back; });
    refused([](gpu_spec& s) { s.l2.bank.atomics = memory::atomics_at::next; });
    refused([](gpu_spec& s) { s.network.link.lanes.lanes_per_direction = 0; });
    // With shader arrays, and without: their number may be a key of a sweep.
    for (const unsigned units : {0u, 2u}) {
        refused([&](gpu_spec& s) {
            s.shader_array.units = units;
            s.shader_array.scalars.size = {1000};
        });
        refused([&](gpu_spec& s) {
            s.shader_array.units = units;
            s.shader_array.instructions.ways = 3;
        });
    }
    refused([](gpu_spec& s) {
        s.coherence = coherence::remote_caching;
        s.l2.remote_ways = s.l2.bank.ways;
    });
}

TEST(gpu_system, every_statistic_has_a_unit_and_a_sentence) {
    whole_gpu g(small_gpu());
    for (const auto& r : g.statistics.rows({})) {
        EXPECT_FALSE(r.unit.empty()) << r.path;
        EXPECT_FALSE(r.text.empty()) << r.path;
    }
}

}  // namespace
