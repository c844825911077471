// SPDX-License-Identifier: Apache-2.0
// Whole machines whose addresses take time to translate: on every network, with and without walkers in the GPUs;
// named faults, freed memory, and control in the middle of work.
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu/network/networks.h"
#include "host/machine.h"

namespace {

using namespace contraflow;
using namespace contraflow::host;
using core::control_verb;
using gpu::host_task;
using gpu::kernel;
using gpu::network_kind;
using gpu::of_links;
using gpu::wave;
using host::testing::counted;
using host::testing::machine;
using host::testing::small_gpus;
using host::testing::translated;
using net::topology;
using ::testing::Contains;
using ::testing::HasSubstr;

// Copies in and out, and kernels on all GPUs that read, write and update each other's pages.
struct all_over {
    static constexpr std::uint32_t n = 12'000;
    machine& m;
    context& c = m.driver.create_context();
    gpu::array<std::uint32_t> x, y;
    command_queue* q = nullptr;
    std::vector<std::uint32_t> values = counted(n), back = std::vector<std::uint32_t>(n);

    explicit all_over(machine& of) : m(of) {
        std::vector<unsigned> all(m.gpus.gpus());
        std::iota(all.begin(), all.end(), 1u);
        c.select_gpu(c.create_unified_gpu(all));
        x = c.allocate<std::uint32_t>(n);
        y = c.allocate<std::uint32_t>(n);
        q = &c.create_queue();
    }
    host_task program() {
        q->copy_to_device(x, values);
        for (int i = 0; i < 2; ++i) q->launch({"add", 48, 64, this, &all_over::add});
        q->copy(y.address(), x.address(0), 4 * n / 2);
        co_await q->copy_from_device(back, y);
    }
    kernel add(wave w) {
        for (auto i : w.share(n)) {
            const auto there = (i + n / 3) % n;
            co_await w.store(y, there, co_await w.atomic_add(x, there, 1) + 1);
        }
    }
    void expect_results() const {
        for (std::uint32_t i = 0; i < n; ++i) ASSERT_EQ(back[i], values[i] + 2) << i;
    }
    void run() {
        m.run(program());
        expect_results();
        m.expect_clean();
    }
};

class on_every_network : public ::testing::TestWithParam<std::tuple<network_kind, bool>> {};
INSTANTIATE_TEST_SUITE_P(translated, on_every_network,
                         ::testing::Combine(::testing::ValuesIn(gpu::testing::all_networks), ::testing::Bool()),
                         [](const auto& p) {
                             return gpu::testing::name_of(std::get<0>(p.param)) +
                                    (std::get<1>(p.param) ? "_with_gmmu" : "");
                         });

TEST_P(on_every_network, copies_and_kernels_are_right_with_the_smallest_buffers) {
    gpu::multi_gpu_spec s = small_gpus(4);
    s.gpu.network = gpu::testing::tiny_network(std::get<0>(GetParam()));
    s.gpu.rdma = {1, {2}};
    const bool own_walkers = std::get<1>(GetParam());
    machine m(translated(s, own_walkers));
    all_over(m).run();
    EXPECT_GT(m.whole.iommu()->walks().statistics().reads.value(), 50u);
    std::uint64_t hits = 0;
    for (unsigned g = 1; g <= 4; ++g) {
        hits += m.gpus.gpu(g).translation()->l2().statistics().hits.value();
        gpu::gmmu* const own = m.gpus.gpu(g).translation()->own_walkers();
        ASSERT_EQ(own != nullptr, own_walkers);
        EXPECT_TRUE(!own_walkers || own->answered_here() > 0) << g;
    }
    EXPECT_GT(hits, 0u);
}

TEST(unified_machine, translation_takes_time_and_changes_no_result) {
    std::map<std::string, double> ns;
    for (const char* how : {"instant", "fixed", "memory"}) {
        unified_machine::spec s = untranslated(small_gpus(2));
        s.migration = {};
        if (std::string_view(how) != "instant") s.gpus.translation.mode = gpu::translation_mode::timed;
        if (std::string_view(how) == "memory") s.iommu.walks.kind = memory::walk_kind::memory;
        machine m(s);
        all_over(m).run();
        ns[how] = m.sim.events().now().seconds() * 1e9;
        EXPECT_EQ(m.whole.iommu() == nullptr, std::string_view(how) == "instant");
        EXPECT_EQ(m.whole.table() == nullptr, m.whole.iommu() == nullptr);
    }
    EXPECT_GT(ns["fixed"], ns["instant"] + 300);
    EXPECT_GT(ns["memory"], ns["instant"] + 300);
}

TEST(unified_machine, every_size_of_page_that_the_table_knows_works_and_others_are_refused) {
    for (const std::uint64_t size : {4096u, 65536u, 2u << 20}) {
        gpu::multi_gpu_spec s = small_gpus(2);
        s.gpu.pages.page_size = {size};
        machine m(translated(s));
        all_over(m).run();
    }
    gpu::multi_gpu_spec s = small_gpus(2);
    s.gpu.pages.page_size = {16384};
    EXPECT_THROW(machine{translated(s)}, std::invalid_argument);
    s.gpu.pages.page_size = {4096};
    s.translation.mode = gpu::translation_mode::timed;
    core::simulation sim;
    observe::statistics statistics;
    EXPECT_THROW(gpu::multi_gpu(sim.events(), statistics, s), std::invalid_argument);  // no level below
}

TEST(unified_machine, an_access_to_nothing_is_reported_with_gpu_unit_wavefront_and_address) {
    machine m(translated(small_gpus(2)));
    context& c = m.driver.create_context();
    c.select_gpu(2);
    const gpu::array<std::uint32_t> nowhere(c.allocate({4096}) + (1u << 20), 32);
    auto& q = c.create_queue();
    auto program = [&]() -> host_task {
        co_await q.launch({"lost", 1, 32, [=](wave w) -> kernel { co_await w.load(nowhere, w.thread_ids()); }});
    };
    std::string text;
    try {
        m.run(program());
    } catch (const std::exception& e) { text = e.what(); }
    EXPECT_THAT(text,
                HasSubstr("where nothing is mapped: process 1, GPU 2, unit 0, wavefront 0 of CTA 0 of kernel 'lost'"));
    EXPECT_EQ(m.whole.iommu()->faults(), 1u);
}

TEST(unified_machine, a_table_that_is_full_is_an_error_of_the_allocation_that_changes_nothing) {
    auto s = translated(small_gpus(1));
    s.host_memory.dram.size = {8 * 4096};
    machine m(s);
    context& c = m.driver.create_context();
    const auto free = m.driver.memory().free_pages(1);
    EXPECT_THROW(c.allocate(core::bytes{32u << 20}), memory::table_full);  // 16 tables of the last level
    EXPECT_EQ(m.driver.memory().free_pages(1), free);
    EXPECT_NO_THROW(c.allocate(core::bytes{2u << 20}));
}

TEST(unified_machine, a_page_of_each_level_is_the_least_that_tables_need) {
    auto s = translated(small_gpus(1));
    s.host_memory.dram.size = {4 * 4096};
    EXPECT_TRUE(problems_of(s).empty());
    s.host_memory.dram.size = {3 * 4096};
    EXPECT_FALSE(problems_of(s).empty());
}

TEST(unified_machine, tells_of_a_window_of_its_policy_that_ends_before_it_begins) {
    host::unified_machine::spec s;
    s.migration.when.windows = {{}};
    s.migration.when.windows[0].from = core::sim_time::from_us(2);
    s.migration.when.windows[0].to = core::sim_time::from_us(1);
    EXPECT_THAT(config::first_text(problems_of(s)), ::testing::HasSubstr("migration.when.windows[0].to"));
}

TEST(unified_machine, what_is_freed_is_a_fault_and_used_again_when_every_gpu_has_invalidated_it) {
    machine m(translated(small_gpus(2), true));
    context& c = m.driver.create_context();
    c.select_gpu(c.create_unified_gpu({1, 2}));
    auto x = c.allocate<std::uint32_t>(2048);
    auto& q = c.create_queue();
    const auto touch = [=](wave w) -> kernel { co_await w.atomic_add(x, w.global_ids(), 7); };
    auto warm = [&]() -> host_task { co_await q.launch({"warm", 32, 64, touch}); };
    m.run(warm());
    address_space& memory = m.driver.memory();
    const std::uint64_t frame = memory.physical(c.process(), x.address());
    const auto free = memory.free_pages(1);
    c.free(x.address());
    EXPECT_EQ(memory.free_pages(1), free);  // an access may still reach it
    EXPECT_EQ(m.whole.shootdowns()->under_way(), 1u);
    EXPECT_GT(m.whole.outstanding(), 0u);
    EXPECT_NE(memory.physical(c.process(), c.allocate({4096})), frame);
    m.sim.run();
    EXPECT_EQ(m.whole.shootdowns()->under_way(), 0u);
    EXPECT_EQ(memory.free_pages(1), free);  // one freed, one taken meanwhile
    std::vector<std::byte> bytes(4096);
    m.gpus.hardware().debug_read(frame, bytes);
    EXPECT_EQ(bytes, std::vector<std::byte>(4096));
    std::string text;
    auto again = [&]() -> host_task { co_await q.launch({"stale", 32, 64, touch}); };
    try {
        m.run(again());
    } catch (const std::exception& e) { text = e.what(); }
    EXPECT_THAT(text, HasSubstr("where nothing is mapped"));
}

// ---- wait reports

struct holds_everything final : fault_sink_if {
    walk_verdict faulted(const memory::translation_request&) override { return walk_verdict::hold; }
};

TEST(unified_machine, a_page_that_never_comes_is_waited_for_by_name) {
    machine m(translated(small_gpus(2), true));
    holds_everything sink;
    m.whole.iommu()->set_sink(&sink);
    all_over a(m);
    m.whole.table()->protect(a.c.process(), a.x.address(), memory::access_rights::none);
    m.driver.start(a.program());
    EXPECT_NE(m.watchdog.run(), observe::watchdog::verdict::finished);
    EXPECT_THAT(m.watchdog.wait_chain(),
                Contains(::testing::ContainsRegex("iommu waits for the page of 0x100000... of process 1 for")));
}

class silent final : public gpu::shootdown_target_if {
    void shoot_down(const gpu::shootdown&, core::callback) override {}
};

TEST(unified_machine, a_gpu_that_never_invalidates_is_waited_for_by_name) {
    machine m(translated(small_gpus(3)));
    silent never;
    m.gpus.processor(2).add_target(never);
    m.whole.shootdowns()->shoot_down({1, 0x1'0000'0000, 4096}, {});
    EXPECT_EQ(m.watchdog.run(), observe::watchdog::verdict::ran_dry);
    const auto chain = m.watchdog.wait_chain();
    EXPECT_THAT(chain,
                Contains(HasSubstr("shootdown waits for 0x100000000 of process 1 to be invalidated of gpu2.cp")));
    EXPECT_THAT(chain, ::testing::Not(Contains(HasSubstr("of gpu1.cp"))));
}

// ---- control

TEST(unified_machine, paused_or_drained_it_stands_still_and_goes_on_when_enabled) {
    for (const control_verb verb : {control_verb::pause, control_verb::drain})
        for (const std::uint64_t ns : {700u, 2500u, 9000u}) {
            machine m(translated(small_gpus(2), true));
            all_over a(m);
            m.driver.start(a.program());
            m.sim.run_until(core::sim_time::from_ns(ns));
            EXPECT_TRUE(m.whole.control(verb));
            m.sim.run();
            EXPECT_FALSE(m.driver.finished());
            EXPECT_GT(m.whole.outstanding(), 0u);
            EXPECT_TRUE(m.whole.control(control_verb::enable));
            m.go_on();
            a.expect_results();
            m.expect_clean();
        }
}

TEST(unified_machine, what_is_invalidated_or_written_back_in_mid_work_costs_no_data) {
    machine m(translated(small_gpus(2), true));
    all_over a(m);
    m.driver.start(a.program());
    for (unsigned i = 1; i <= 30; ++i) {
        m.sim.run_until(core::sim_time::from_ns(500 * i));
        EXPECT_TRUE(m.whole.control(i % 3 == 0 ? control_verb::flush : control_verb::invalidate));
    }
    m.go_on();
    a.expect_results();
    m.expect_clean();
}

TEST(unified_machine, reset_in_mid_work_leaks_nothing_and_all_works_again) {
    for (const std::uint64_t ns : {200u, 900u, 1700u, 3100u, 6100u, 12'000u}) {
        SCOPED_TRACE(ns);
        machine m(translated(small_gpus(2), true));
        all_over a(m);
        unsigned failed = 0;
        auto program = [&]() -> host_task {
            try {
                co_await a.program();
            } catch (const std::runtime_error&) { ++failed; }
        };
        m.driver.start(program());
        auto z = a.c.allocate<std::uint32_t>(4096);
        m.sim.run_until(core::sim_time::from_ns(ns));
        ASSERT_FALSE(m.driver.finished());
        const auto free = m.driver.memory().free_pages(1);
        a.c.free(z.address());  // its shootdown is in progress
        EXPECT_TRUE(m.whole.control(control_verb::reset));
        EXPECT_EQ(m.driver.memory().free_pages(1), free + 2);
        EXPECT_EQ(m.whole.payloads_in_flight(), 0u);
        m.sim.run();
        EXPECT_TRUE(m.driver.finished());
        EXPECT_EQ(failed, 1u);
        m.expect_clean();
        all_over again(m);
        again.run();
    }
}

// From the order to the last acknowledgement, in ns, as the callback's own clock has it.
TEST(unified_machine, the_latency_of_a_shootdown_is_in_the_statistics) {
    machine m(translated(small_gpus(3)));
    std::vector<double> wanted;
    for (const std::uint64_t page : {1u, 2u, 7u}) {
        const core::sim_time begun = m.sim.events().now();
        core::sim_time ended{};
        struct target {
            machine& m;
            core::sim_time& ended;
            void done() { ended = m.sim.events().now(); }
        } told{m, ended};
        m.whole.shootdowns()->shoot_down({1, page * 4096, 4096}, core::callback::to<&target::done>(told));
        m.sim.run();
        ASSERT_GT(ended, begun);
        wanted.push_back(static_cast<double>((ended - begun).ps / 1000));
    }
    std::map<std::string, double> seen;
    for (const auto& row : m.statistics.rows(m.sim.events().now())) {
        if (row.path != "shootdowns.latency") continue;
        EXPECT_TRUE(row.unit == "ns" || row.metric == "count") << row.unit;
        seen[row.metric] = row.value;
    }
    EXPECT_EQ(seen["count"], 3.0);
    EXPECT_EQ(seen["max"], *std::max_element(wanted.begin(), wanted.end()));
    EXPECT_DOUBLE_EQ(seen["mean"], std::accumulate(wanted.begin(), wanted.end(), 0.0) / 3);
}

}  // namespace
