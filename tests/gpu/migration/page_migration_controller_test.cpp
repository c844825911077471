// SPDX-License-Identifier: Apache-2.0
// The page migration controller on whole GPUs without a driver: right bytes while kernels run, finite queues, control
// in the middle of work, and wait reports.
#include <algorithm>
#include <cstring>
#include <deque>
#include <optional>
#include <sstream>

#include <gmock/gmock.h>

#include "gpu/migration/page_migration_controller.h"
#include "gpu/whole_gpu.h"

namespace {

using namespace contraflow;
using namespace contraflow::gpu;
using core::control_verb;
using gpu::testing::small_gpu;
using gpu::testing::whole_gpu;
using ::testing::Contains;
using ::testing::HasSubstr;

constexpr std::uint64_t page = 4096;

// A controller of GPU 0 that pulls pages from the others; each word of a page holds its address.
struct puller : core::request_client_if<page_pull> {
    explicit puller(const page_migration_controller::spec& s = {}, const gpu_spec& g = small_gpu())
        : m(g),
          tested(memory::resources{m.sim.events(), m.statistics, payloads}, "gpu0.pmc", placed(s, g)) {
        client.emplace(m.sim.events(), *this, "driver", tested.pulls());
        for (unsigned port = 0; port < g.client_ports; ++port)
            tested.connect(m.gpu.socket(0).client_port(tested, port));
    }
    static page_migration_controller::spec placed(page_migration_controller::spec s, const gpu_spec& g) {
        s.line = g.l1.line;
        return s;
    }
    static std::uint64_t base(unsigned gpu) { return gpu * std::uint64_t{64u << 20}; }
    static std::uint64_t word(std::uint64_t address) { return address * 0x9e3779b97f4a7c15u; }

    // The value in memory, past all caches.
    page_pull& order(unsigned from_gpu, unsigned number, std::uint64_t page = ::page) {
        page_pull& p = pulls.emplace_back();
        p.from = base(from_gpu) + (4u << 20) + number * page;
        p.to = base(0) + (24u << 20) + pulls.size() * page;
        p.bytes = page;
        p.tag = static_cast<std::uint32_t>(pulls.size() - 1);
        for (std::uint64_t at = p.from; at < p.from + page; at += 8) {
            const std::uint64_t value = word(at);
            m.gpu.socket(from_gpu).memory().bytes().write(at, reinterpret_cast<const std::uint8_t*>(&value), 8);
        }
        return p;
    }
    bool submit(page_pull& p) {
        begun.push_back(m.sim.events().now());
        p.since = begun.back();
        return client->send(p);
    }
    void expect_arrived(const page_pull& p) {
        for (std::uint64_t i = 0; i < p.bytes; i += 8) {
            std::uint64_t value = 0;
            m.gpu.socket(0).memory().bytes().read(p.to + i, reinterpret_cast<std::uint8_t*>(&value), 8);
            ASSERT_EQ(value, word(p.from + i)) << i;
        }
    }
    void expect_clean() {
        EXPECT_TRUE(tested.idle());
        observe::conservation checks;
        tested.check(checks);
        for (const auto& c : checks.checks()) EXPECT_TRUE(c.held()) << c.name;
        EXPECT_EQ(payloads.in_flight(), 0u);
        m.expect_clean();
    }
    void accepted(page_pull&, core::sim_time) override { ++held_back; }
    void answered(page_pull& p) override {
        done.push_back(p.tag);
        ended.push_back(m.sim.events().now());
    }

    memory::payload_pool payloads;
    whole_gpu m;
    page_migration_controller tested;
    std::optional<page_pull_client> client;
    std::deque<page_pull> pulls;
    std::vector<std::uint32_t> done;
    std::vector<core::sim_time> begun, ended;
    unsigned held_back = 0;
};

TEST(page_migration_controller, brings_pages_of_every_other_gpu_while_kernels_run) {
    gpu_spec g = small_gpu();
    g.check_protocol = true;
    g.pages.placement = memory::placement::interleaved;
    puller p({}, g);
    const auto x = p.m.gpu.memory().allocate<float>(16 * 1024);
    p.m.gpu.host().start([](gpu_system_if& gpu, array<float> a) -> host_task {
        co_await gpu.launch({"add", 32, 128, [=](wave w) -> kernel {
                                 for (auto i : w.share(a.size())) co_await w.store(a, i, co_await w.load(a, i) + 1);
                             }});
    }(p.m.gpu.host(), x));
    for (unsigned i = 0; i < 12; ++i) EXPECT_TRUE(p.submit(p.order(1 + i % 3, i)));
    p.m.sim.run();
    ASSERT_EQ(p.done.size(), 12u);
    for (const page_pull& pull : p.pulls) {
        EXPECT_FALSE(pull.failed);
        p.expect_arrived(pull);
    }
    EXPECT_EQ(p.m.gpu.memory().read(x), std::vector<float>(16 * 1024, 1));
    EXPECT_EQ(p.tested.statistics().pages.value(), 12u);
    EXPECT_EQ(p.tested.statistics().bytes.value(), 12 * page);
    EXPECT_EQ(p.tested.statistics().at_work.max(), 8.0);
    p.expect_clean();
}

TEST(page_migration_controller, several_pages_at_a_time_and_many_lines_take_less_time) {
    const auto took = [](unsigned pages, unsigned lines) {
        page_migration_controller::spec s;
        s.pages = pages;
        s.outstanding = lines;
        puller p(s);
        for (unsigned i = 0; i < 8; ++i) EXPECT_TRUE(p.submit(p.order(1 + i % 3, i)));
        p.m.sim.run();
        EXPECT_EQ(p.done.size(), 8u);
        p.expect_clean();
        return p.ended.back();
    };
    EXPECT_GT(took(1, 1), took(1, 8) * 4);
    EXPECT_GT(took(1, 64).ps, took(4, 64).ps * 5 / 4);
}

// GB/s of a page of 2 MiB between two idle GPUs of the default size.
double pull_rate(const page_migration_controller::spec& s, gpu_spec g) {
    g.sockets = 2;
    g.units = 1;
    g.dram.size = {64u << 20};
    g.network.link.lanes.policy = "static";
    g.client_ports = s.ports;
    puller p(s, g);
    page_pull& pull = p.order(1, 0, 2u << 20);
    EXPECT_TRUE(p.submit(pull));
    p.m.sim.run();
    EXPECT_EQ(p.done.size(), 1u);
    p.expect_arrived(pull);
    p.expect_clean();
    return static_cast<double>(pull.bytes) / static_cast<double>((p.ended.back() - p.begun.back()).ps) * 1e3;
}

// A line takes 144 bytes of a link, and at a port of the crossbar a read and a write, with their headers, 4 cycles of
// 64 bytes. A channel of memory carries 48 GB/s, but for the 220 ns of a refresh every 3900. The start and the end of a
// page of 2 MiB take about 3 % of its time.
TEST(page_migration_controller, pulls_as_fast_as_the_narrowest_of_link_crossbar_and_memory) {
    const page_migration_controller::spec s;
    const auto nearly = [](double rate, double of) {
        EXPECT_GE(rate, 0.9 * of);
        EXPECT_LE(rate, of);
    };
    constexpr double of_a_line = 128.0 / 144, of_a_port = 128.0 / 4, of_a_channel = 48 * (1 - 220.0 / 3900);
    nearly(pull_rate(s, {}), 64 * of_a_line);
    for (const unsigned lanes : {1u, 2u, 4u, 16u}) {
        gpu_spec g;
        g.network.link.lanes.lanes_per_direction = lanes;
        auto wide = s;
        wide.ports = 8;
        wide.outstanding = 2048;
        nearly(pull_rate(wide, g), lanes * 8 * of_a_line);
    }
    for (const unsigned ports : {1u, 2u}) {
        auto narrow = s;
        narrow.ports = ports;
        nearly(pull_rate(narrow, {}), std::min(ports * of_a_port, 64 * of_a_line));
    }
    gpu_spec g;
    g.dram.channels = 1;
    nearly(pull_rate(s, g), of_a_channel);
}

TEST(page_migration_controller, has_the_slots_that_its_link_fills_within_the_latency_of_a_line) {
    page_migration_controller::spec one_by_one;
    one_by_one.outstanding = 1;
    const double latency_ns = 128 / pull_rate(one_by_one, {});  // its read, and its write
    const double under_way = latency_ns * 64 / 144;
    EXPECT_GT(under_way, 64);  // which were too few
    EXPECT_LE(under_way, page_migration_controller::spec{}.outstanding);
    RecordProperty("latency_ns", std::to_string(latency_ns));
}

TEST(page_migration_controller, reads_what_a_second_level_has_and_memory_has_not) {
    for (const bool through_l2 : {false, true}) {
        page_migration_controller::spec s;
        s.through_l2 = through_l2;
        puller p(s);
        page_pull& pull = p.order(1, 0);
        // A unit of that GPU writes a line, and the new bytes stay in its second level.
        const auto x = p.m.gpu.memory().allocate<std::uint32_t>(1024);
        auto program = [&](gpu_system_if& gpu) -> host_task {
            co_await gpu.launch({"write", 1, 32, [=](wave w) -> kernel { co_await w.store(x, w.thread_ids(), 7u); }});
        };
        p.m.run(program(p.m.gpu.host()));
        unsigned dirty = 0;
        for (const auto& c : p.m.gpu.socket(0).second_level()) dirty += static_cast<unsigned>(c->dirty_lines());
        ASSERT_EQ(dirty, 1u);
        pull.from = *p.m.gpu.pages().find(x.address()) / page * page;  // GPU 0's own page: the same path, no network
        p.submit(pull);
        p.m.sim.run();
        std::uint32_t value = 0;
        p.m.gpu.socket(0).memory().bytes().read(pull.to + 4, reinterpret_cast<std::uint8_t*>(&value), 4);
        EXPECT_EQ(value, 7u);
        dirty = 0;
        for (const auto& c : p.m.gpu.socket(0).second_level()) dirty += static_cast<unsigned>(c->dirty_lines());
        EXPECT_EQ(dirty, through_l2 ? 1u : 0u);  // past the second level, newer bytes must be written back first
        p.expect_clean();
    }
}

TEST(page_migration_controller, a_full_queue_holds_back_and_takes_in_order) {
    page_migration_controller::spec s;
    s.pages = 1;
    s.queue = 2;
    s.outstanding = 4;
    puller p(s);
    unsigned taken = 0;
    for (unsigned i = 0; i < 6; ++i) taken += p.submit(p.order(1, i)) ? 1 : 0;
    EXPECT_EQ(taken, 2u);
    std::vector<core::wait_edge> edges;
    p.tested.report_waits(edges);
    EXPECT_TRUE(edges.empty());
    p.client->report_waits(edges);
    ASSERT_EQ(edges.size(), 1u);
    EXPECT_EQ(edges[0].waiter, "driver");
    EXPECT_EQ(edges[0].resource, "acceptance of a request");
    EXPECT_EQ(edges[0].holder, "gpu0.pmc");
    p.m.sim.run();
    EXPECT_EQ(p.held_back, 4u);
    EXPECT_EQ(p.done, (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(p.tested.statistics().held_back.value(), 4u);
    for (const page_pull& pull : p.pulls) p.expect_arrived(pull);
    p.expect_clean();
}

TEST(page_migration_controller, tells_the_time_of_a_page_in_the_unit_that_it_names) {
    puller p;
    const core::sim_time begin = p.m.sim.events().now();
    p.submit(p.order(1, 0));
    p.m.sim.run();
    const double all_ns = static_cast<double>((p.m.sim.events().now() - begin).ps) / 1000;
    double told = 0;
    for (const auto& r : p.m.statistics.rows(p.m.sim.events().now()))
        if (r.path == "gpu0.pmc.latency" && r.metric == "max") {
            EXPECT_EQ(r.unit, "ns");
            told = r.value;
        }
    EXPECT_GE(told, page / 64) << "a line of 64 bytes a cycle of 1 ns at most";
    EXPECT_LE(told, all_ns);
    p.expect_clean();
}

TEST(page_migration_controller, a_page_that_is_not_there_fails_and_what_is_no_page_is_refused) {
    puller p;
    page_pull& pull = p.order(1, 0);
    pull.from = std::uint64_t{1} << 40;
    p.submit(pull);
    page_pull& good = p.order(2, 1);
    p.submit(good);
    p.m.sim.run();
    EXPECT_TRUE(pull.failed);
    EXPECT_FALSE(good.failed);
    p.expect_arrived(good);
    EXPECT_EQ(p.tested.statistics().failed.value(), 1u);
    EXPECT_EQ(p.tested.statistics().pages.value(), 1u);
    EXPECT_EQ(p.tested.statistics().bytes.value(), page);
    for (page_pull& bad : p.pulls) {
        bad.bytes = 100;
        EXPECT_THROW(p.submit(bad), std::invalid_argument);
        bad.bytes = 0;
        EXPECT_THROW(p.submit(bad), std::invalid_argument);
    }
    p.expect_clean();
}

TEST(page_migration_controller, paused_it_stands_still_and_drained_it_takes_nothing) {
    puller p;
    p.submit(p.order(1, 0));
    p.m.sim.run_until(core::sim_time::from_ns(300));
    EXPECT_TRUE(p.tested.control(control_verb::pause));
    p.m.sim.run();
    EXPECT_TRUE(p.done.empty());
    std::vector<core::wait_edge> edges;
    p.tested.report_waits(edges);
    EXPECT_EQ(edges.at(0).resource, "to be enabled");
    EXPECT_TRUE(p.tested.control(control_verb::drain));
    EXPECT_FALSE(p.submit(p.order(2, 1)));
    p.m.sim.run();
    EXPECT_EQ(p.done.size(), 1u);  // it finishes the pages that it has begun
    EXPECT_TRUE(p.tested.control(control_verb::enable));
    p.m.sim.run();
    EXPECT_EQ(p.done.size(), 2u);
    EXPECT_TRUE(p.tested.control(control_verb::drain));
    EXPECT_FALSE(p.submit(p.order(2, 2)));
    p.m.sim.run();
    EXPECT_EQ(p.done.size(), 2u);
    EXPECT_TRUE(p.tested.control(control_verb::enable));
    p.m.sim.run();
    EXPECT_EQ(p.done.size(), 3u);
    for (const page_pull& pull : p.pulls) p.expect_arrived(pull);
    EXPECT_FALSE(p.tested.control(control_verb::invalidate));
    EXPECT_FALSE(p.tested.control(control_verb::flush));
    p.expect_clean();
}

TEST(page_migration_controller, reset_in_mid_work_leaks_nothing) {
    for (const std::uint64_t ns : {1u, 200u, 700u, 900u, 1200u, 2000u}) {
        page_migration_controller::spec s;
        s.queue = 2;
        puller p(s);
        for (unsigned i = 0; i < 9; ++i) p.submit(p.order(1 + i % 3, i));
        p.m.sim.run_until(core::sim_time::from_ns(ns));
        ASSERT_LT(p.done.size(), 9u);
        const auto done = p.done.size();
        EXPECT_TRUE(p.m.gpu.control(control_verb::reset));
        EXPECT_TRUE(p.tested.control(control_verb::reset));
        p.client->reset();
        EXPECT_TRUE(p.tested.idle());
        EXPECT_EQ(p.payloads.in_flight(), 0u);
        p.m.sim.run();
        EXPECT_EQ(p.done.size(), done);
        page_pull& again = p.order(2, 40);
        EXPECT_TRUE(p.submit(again));
        p.m.sim.run();
        EXPECT_EQ(p.done.size(), done + 1);
        p.expect_arrived(again);
        p.expect_clean();
    }
}

TEST(page_migration_controller, waits_for_a_memory_that_does_not_answer_by_name) {
    puller p;
    p.m.gpu.socket(1).memory().control(control_verb::pause);
    p.submit(p.order(1, 0));
    p.m.sim.run();
    EXPECT_TRUE(p.done.empty());
    std::vector<core::wait_edge> edges;
    p.tested.report_waits(edges);
    ASSERT_EQ(edges.size(), 1u);
    EXPECT_EQ(edges[0].waiter, "gpu0.pmc");
    EXPECT_EQ(edges[0].resource, "responses to 32 lines");
    EXPECT_EQ(edges[0].holder, "gpu0.crossbar");
    p.m.gpu.socket(1).memory().control(control_verb::enable);
    p.m.sim.run();
    EXPECT_EQ(p.done.size(), 1u);
    p.expect_clean();
}

TEST(page_migration_controller, names_each_of_several_crossbars_for_the_lines_that_wait_there) {
    gpu_spec g = small_gpu();
    g.client_ports = 1;
    puller p({}, g);
    p.tested.connect(p.m.gpu.socket(1).client_port(p.tested, 0));
    p.m.gpu.socket(1).memory().control(control_verb::pause);
    p.submit(p.order(1, 0));
    p.m.sim.run();
    std::vector<core::wait_edge> edges;
    p.tested.report_waits(edges);
    ASSERT_EQ(edges.size(), 2u);
    EXPECT_EQ(edges[0].resource, "responses to 16 lines");
    EXPECT_EQ(edges[0].holder, "gpu0.crossbar");
    EXPECT_EQ(edges[1].resource, "responses to 16 lines");
    EXPECT_EQ(edges[1].holder, "gpu1.crossbar");
    p.m.gpu.socket(1).memory().control(control_verb::enable);
    p.m.sim.run();
    EXPECT_EQ(p.done.size(), 1u);
    p.expect_clean();
}

TEST(page_migration_controller, the_same_work_gives_the_same_statistics_and_each_moves) {
    const auto run = [] {
        page_migration_controller::spec s;
        s.queue = 3;
        puller p(s);
        for (unsigned i = 0; i < 20; ++i) p.submit(p.order(1 + i % 3, i));
        p.pulls[7].from = std::uint64_t{1} << 40;
        p.m.sim.run();
        for (const auto& row : p.m.statistics.rows(p.m.sim.events().now())) {
            EXPECT_FALSE(row.unit.empty() || row.text.empty()) << row.path;
            if (row.path.starts_with("gpu0.pmc") && row.metric != "last") { EXPECT_NE(row.value, 0) << row.path; }
        }
        std::ostringstream out;
        p.m.statistics.write_csv(out, p.m.sim.events().now());
        return out.str();
    };
    EXPECT_EQ(run(), run());
}

}  // namespace
