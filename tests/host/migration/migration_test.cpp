// SPDX-License-Identifier: Apache-2.0
// Pages that move between GPUs: the order of the steps, that no write of any GPU is lost, and the reasons against a
// move.
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu/network/networks.h"
#include "host/migration/move_trace.h"
#include "migrating_machine.h"

namespace {

using namespace contraflow;
using namespace contraflow::host;
using namespace contraflow::host::testing;
using gpu::host_task;
using gpu::kernel;
using gpu::network_kind;
using gpu::of_links;
using gpu::wave;
using net::topology;
using ::testing::HasSubstr;

// Loads each line of the array once.
host_task read_all(command_queue& q, gpu::array<std::uint32_t> x, unsigned times = 1) {
    co_await q.launch({"read", 1, 32, [=](wave w) -> kernel {
                           for (unsigned t = 0; t < times; ++t)
                               for (std::uint32_t i = 0; i < x.size(); i += 32) co_await w.load(x, w.thread_ids() + i);
                       }});
}

TEST(migration, goes_step_by_step_and_ends_with_local_access) {
    for (const granularity how : {granularity::page, granularity::whole}) {
        auto s = migrating(2, policy_kind::always);
        s.migration.granularity = how;
        migrating_machine m(s);
        std::ostringstream text;
        observe::trace trace(text);
        const auto x = m.array_on(1, 1024);
        auto& q = m.queue_on(2);
        const auto values = counted(1024);
        const auto free = m.driver.memory().free_pages(1);
        auto program = [&]() -> host_task {
            co_await q.copy_to_device(x, values);
            co_await read_all(q, x, 20);
        };
        m.run(program());
        ASSERT_EQ(m.moves.all.size(), 1u);
        const move_record& r = m.moves.all[0];
        migration::move_trace(trace).page_moved(r);
        trace.close();
        EXPECT_EQ(r.page.address, x.address());
        EXPECT_EQ(r.from, 1u);
        EXPECT_EQ(r.to, 2u);
        EXPECT_EQ(r.bytes, 4096u);
        core::sim_time sum{};
        for (std::size_t i = 0; i < migration::step_count; ++i) {
            const auto at = static_cast<step>(i);
            ASSERT_LE(r.began(at), r.ended(at)) << i;
            sum += r.took(at);
            const bool none =
                at == step::queue || (how == granularity::page && (at == step::drain || at == step::restart));
            EXPECT_EQ(r.took(at) == core::sim_time{}, none) << migration::step_name(at);
            if (!none && at > step::queue) {
                EXPECT_THAT(text.str(), HasSubstr("\"" + std::string(migration::step_name(at)) + "\""));
            }
        }
        EXPECT_EQ(sum, r.total());
        EXPECT_EQ(m.gpu_of(x.address()), 2u);
        EXPECT_EQ(m.driver.memory().free_pages(1), free + 1);
        EXPECT_EQ(m.whole.table()->find(m.c.process(), x.address())->physical_page,
                  m.driver.memory().physical(m.c.process(), x.address()));
        // All lines but the first are read from the reader's memory; the first waited for the page.
        EXPECT_EQ(m.gpus.profile().count(gpu::access_kind::load, true), 0u);
        EXPECT_GT(m.gpus.profile().spent(gpu::access_kind::load, false, memory::stage::page_held), core::sim_time{});
        EXPECT_EQ(m.contents(x), values);
        m.expect_clean();
    }
}

struct way {
    network_kind network = of_links(topology::central_switch);
    granularity how = granularity::page;
    policy_kind policy = policy_kind::always;
    bool through_l2 = false, own_walkers = false, duplicates = false, remote_caches = false;
};
std::string name_of(const way& w) {
    return fmt::format("{}_{}_{}{}{}{}{}", gpu::testing::name_of(w.network),
                       w.how == granularity::page ? "page" : "whole", static_cast<int>(w.policy),
                       w.through_l2 ? "_through_l2" : "", w.own_walkers ? "_gmmu" : "", w.duplicates ? "_copies" : "",
                       w.remote_caches ? "_remote_caches" : "");
}
void PrintTo(const way& w, std::ostream* out) { *out << name_of(w); }

class migrations : public ::testing::TestWithParam<way> {};
INSTANTIATE_TEST_SUITE_P(
    all_ways, migrations,
    ::testing::Values(
        way{}, way{of_links(topology::central_switch), granularity::whole},
        way{of_links(topology::ring), granularity::page}, way{network_kind::pcie, granularity::page},
        way{network_kind::pcie, granularity::whole},
        way{of_links(topology::central_switch), granularity::page, policy_kind::access_count},
        way{of_links(topology::central_switch), granularity::page, policy_kind::always, true},
        way{of_links(topology::central_switch), granularity::page, policy_kind::always, false, true},
        way{of_links(topology::central_switch), granularity::page, policy_kind::always, false, false, true},
        way{of_links(topology::central_switch), granularity::page, policy_kind::always, true, true, true},
        way{of_links(topology::central_switch), granularity::whole, policy_kind::always, true, true, true, true}),
    [](const auto& p) { return name_of(p.param); });

unified_machine::spec spec_of(const way& w, bool smallest) {
    auto s = migrating(translated(small_gpus(4), w.own_walkers), w.policy);
    s.gpus.gpu.network = smallest ? gpu::testing::tiny_network(w.network) : gpu::testing::network_of(w.network);
    if (w.remote_caches) {
        s.gpus.gpu.coherence = gpu::coherence::remote_caching;
        s.gpus.gpu.l2.remote_ways = 2;
    }
    s.gpus.migration.through_l2 = w.through_l2;
    s.migration.granularity = w.how;
    s.migration.read_duplication = w.duplicates;
    return smallest ? tight(s) : s;
}

TEST_P(migrations, lose_no_write_of_any_gpu) {
    for (const bool smallest : {false, true}) {
        SCOPED_TRACE(smallest ? "smallest buffers" : "default buffers");
        migrating_machine m(spec_of(GetParam(), smallest));
        writers_everywhere k(m);
        m.run(k.work());
        EXPECT_GT(m.counts().moved.value(), 8u);
        if (GetParam().duplicates) { EXPECT_GT(m.counts().collapsed.value(), 0u); }
        k.expect_results();
    }
}

TEST_P(migrations, give_the_same_statistics_twice) {
    std::string got[2];
    for (std::string& text : got) {
        migrating_machine m(spec_of(GetParam(), false));
        writers_everywhere k(m, 16, 6);
        m.run(k.work());
        m.whole.settle();
        std::ostringstream out;
        m.statistics.write_csv(out, m.sim.events().now());
        text = out.str();
    }
    EXPECT_EQ(got[0], got[1]);
}

TEST(migration, of_what_touches_the_page_alone_is_faster_than_to_stop_its_owner) {
    std::map<granularity, core::sim_time> took, one;
    for (const granularity how : {granularity::page, granularity::whole}) {
        auto s = migrating(4, policy_kind::always);
        s.migration.granularity = how;
        migrating_machine m(s);
        writers_everywhere k(m);
        took[how] = m.run(k.work());
        core::sim_time sum{};
        for (const move_record& r : m.moves.all) sum += r.at.back() - r.began(step::close);
        one[how] = {sum.ps / m.moves.all.size()};
        k.expect_results();
    }
    RecordProperty("page_ns", std::to_string(one[granularity::page].ps / 1000));
    RecordProperty("whole_ns", std::to_string(one[granularity::whole].ps / 1000));
    EXPECT_LT(one[granularity::page].ps * 10, one[granularity::whole].ps * 8);
    EXPECT_LT(took[granularity::page], took[granularity::whole]);
}

// ---- policies

TEST(migration, a_page_goes_to_who_touches_it_first_and_stays) {
    migrating_machine m(migrating(3, policy_kind::first_touch));
    const auto x = m.array_on(1, 2048), y = m.array_on(1, 1024);
    auto &one = m.queue_on(1), &two = m.queue_on(2), &three = m.queue_on(3);
    auto program = [&]() -> host_task {
        co_await read_all(one, y);
        co_await read_all(two, x);
        co_await read_all(three, x);
        co_await read_all(three, y);
    };
    m.run(program());
    EXPECT_EQ(m.counts().moved.value(), 2u);
    EXPECT_EQ(m.gpu_of(x.address()), 2u);
    EXPECT_EQ(m.gpu_of(x.address(1024)), 2u);
    EXPECT_EQ(m.gpu_of(y.address()), 1u);
    m.expect_clean();
}

TEST(migration, a_page_moves_on_the_nth_access_that_really_goes_across) {
    auto s = migrating(2, policy_kind::access_count);
    s.gpus.counters.threshold = 70;  // a page has 32 lines
    s.gpus.gpu.l1.size = {64u << 10};
    migrating_machine m(s);
    const auto x = m.array_on(1, 1024);
    auto& q = m.queue_on(2);
    auto reads = [&](unsigned times) -> host_task { co_await read_all(q, x, times); };
    m.run(reads(100));  // all but the first in the first-level cache
    EXPECT_EQ(m.gpus.counters(2)->counted(), 32u);
    m.run(reads(1));
    EXPECT_EQ(m.counts().moved.value(), 0u);
    EXPECT_EQ(m.gpus.counters(2)->count_of(m.driver.memory().physical(m.c.process(), x.address())), 64u);
    m.run(reads(1));
    m.sim.run();
    EXPECT_EQ(m.counts().moved.value(), 1u);
    EXPECT_EQ(m.counts().notifications.value(), 1u);
    EXPECT_EQ(m.gpu_of(x.address()), 2u);
    m.expect_clean();
}

// Two GPUs that add to the same page, each at its own pace.
struct shared_page {
    core::sim_time took{};
    std::uint64_t moves = 0, prevented = 0, pins = 0;
};
shared_page share_a_page(unsigned pin_after) {
    auto s = migrating(2, policy_kind::always);
    s.migration.when.ping_pong.moves = pin_after;
    migrating_machine m(s);
    const auto x = m.array_on(1, 1024);
    auto& q = m.c.create_queue();
    auto program = [&]() -> host_task {
        co_await q.launch({"share", 2, 32, [=](wave w) -> kernel {
                               for (unsigned i = 0; i < 400; ++i) co_await w.atomic_add(x, w.thread_ids(), 1);
                           }});
    };
    const core::sim_time took = m.run(program());
    EXPECT_EQ(m.contents(x)[5], 800u);
    m.expect_clean();
    return {took, m.counts().moved.value(), m.counts().pinned.value(), m.counts().pins.value()};
}

TEST(migration, a_shared_page_goes_back_and_forth_until_it_is_told_to_stay) {
    const shared_page without = share_a_page(0), with = share_a_page(4);
    EXPECT_GT(without.moves, 30u);
    EXPECT_EQ(without.prevented, 0u);
    EXPECT_EQ(without.pins, 0u);
    EXPECT_LE(with.moves, 12u);
    EXPECT_GT(with.prevented, 0u);
    EXPECT_LT(with.took, without.took);
    EXPECT_EQ(with.pins, with.moves / 4);  // each fourth move tells it to stay
}

TEST(migration, pages_move_within_windows_only) {
    auto s = migrating(4, policy_kind::always);
    const auto us = [](std::uint64_t n) { return core::sim_time::from_us(n); };
    s.migration.when.windows = {{us(10), us(20)}, {us(30), us(40)}};
    migrating_machine m(s);
    writers_everywhere k(m);
    m.run(k.work());
    ASSERT_GT(m.moves.all.size(), 8u);
    bool first = false, second = false;
    for (const move_record& r : m.moves.all) {
        const core::sim_time began = r.began(step::close);
        first |= began >= us(10) && began < us(20);
        second |= began >= us(30) && began < us(40);
        EXPECT_TRUE((began >= us(10) && began < us(20)) || (began >= us(30) && began < us(40))) << began.ps;
    }
    EXPECT_TRUE(first);
    EXPECT_TRUE(second);
    EXPECT_GT(m.counts().outside_window.value(), 0u);
    m.mover().when().times().close_now();
    const auto before = m.moves.all.size();
    m.run(k.work());
    EXPECT_EQ(m.moves.all.size(), before);
    m.mover().when().times().open_now();
    m.run(k.work());
    EXPECT_GT(m.moves.all.size(), before);
    m.expect_clean();
}

}  // namespace
