// SPDX-License-Identifier: Apache-2.0
// A GPU's shared levels of translation: the requests its walkers answer or forward, and what a shootdown waits for.
#include "gpu/translation/gpu_translation.h"

#include <gtest/gtest.h>

#include "core/simulation.h"
#include "memory/dram/backing_store.h"
#include "memory/translation_support.h"

namespace gmmu_test {

using namespace contraflow;
using namespace contraflow::gpu;
using memory::translation_range;
using memory::testing::known_pages;
using memory::testing::page_at;
using memory::testing::translation_requester;

constexpr std::uint64_t page_bytes = 4096;
constexpr core::sim_time cycle = core::sim_time::from_ns(1);

struct plain_bytes final : memory::physical_memory_if {
    memory::backing_store bytes{0, core::bytes{64u << 20}};
    void debug_write(std::uint64_t at, std::span<const std::byte> from) override {
        bytes.write(at, reinterpret_cast<const std::uint8_t*>(from.data()), from.size());
    }
    void debug_read(std::uint64_t at, std::span<std::byte> to) const override {
        bytes.read(at, reinterpret_cast<std::uint8_t*>(to.data()), to.size());
    }
};

// GPU 1 of two with 16 MiB each; even pages are its own, odd ones the other's.
struct shared_levels {
    explicit shared_levels(gpu_translation::spec s = with_gmmu(), unsigned room = 1000)
        : below(sim.events(), cycle * 400, room),
          tested(shared, s, cycle, table, map, 1, below.requests()),
          unit(sim.events(), tested.for_units()) {
        for (std::uint64_t n = 0; n < 64; ++n) {
            const auto p = page_at(n * page_bytes, (n % 2 == 0 ? map.base(1) : 0) + n * page_bytes);
            table.map(0, p);
            below.put(0, p);
        }
    }
    static gpu_translation::spec with_gmmu() {
        gpu_translation::spec s;
        s.has_gmmu = true;
        s.l2.hit_latency = {10};
        s.l2.fill_latency = {2};
        return s;
    }
    void finish() {
        sim.run();
        EXPECT_EQ(unit.done(), unit.all().size());
        EXPECT_TRUE(tested.idle());
        observe::conservation checks;
        tested.check(checks);
        EXPECT_TRUE(checks.held());
    }

    core::simulation sim;
    observe::statistics statistics;
    memory::payload_pool payloads;
    memory::resources shared{sim.events(), statistics, payloads};
    memory::address_map map{2, core::bytes{16u << 20}};
    plain_bytes bytes;
    memory::radix_table table{bytes, 48u << 20, {64 * page_bytes}};
    known_pages below;
    gpu_translation tested;
    translation_requester unit;
};

TEST(gmmu, own_pages_are_answered_here_and_others_handed_on) {
    shared_levels t;
    const auto& own = t.unit.ask(2 * page_bytes);
    t.sim.run();
    const auto& other = t.unit.ask(3 * page_bytes);
    t.sim.run();
    const auto& nothing = t.unit.ask(100 * page_bytes);
    t.finish();
    EXPECT_EQ(own.physical(), t.map.base(1) + 2 * page_bytes);
    EXPECT_EQ(own.ns(), 10u + 100u + 2u);
    EXPECT_EQ(own.life.spent(memory::stage::page_walk), cycle * 100);
    EXPECT_EQ(other.physical(), 3 * page_bytes);
    EXPECT_EQ(other.ns(), 10u + 100u + 400u + 2u);
    EXPECT_EQ(other.life.spent(memory::stage::iommu), cycle * 400);
    EXPECT_EQ(nothing.status, memory::translation_status::unmapped);
    EXPECT_EQ(t.below.asked, 2u);
    EXPECT_EQ(t.tested.own_walkers()->answered_here(), 1u);
}

// The walkers ask below whether a page may be written, and not only whether it may be read.
TEST(gmmu, a_request_that_writes_is_handed_on_as_one) {
    shared_levels t;
    const auto of_another = page_at(3 * page_bytes, 3 * page_bytes, memory::page_bits_4k, memory::access_rights::read);
    t.below.put(0, of_another);
    const auto& read = t.unit.ask(3 * page_bytes);
    t.sim.run();
    const auto& write = t.unit.ask(3 * page_bytes, true);
    t.finish();
    EXPECT_EQ(read.physical(), 3 * page_bytes);
    EXPECT_EQ(write.status, memory::translation_status::protection);
    EXPECT_EQ(t.below.asked, 2u);
    EXPECT_EQ(t.below.to_write, 1u);
}

// The levels are told apart: what the GPU's TLB takes, its walkers' queue, the walk, and the IOMMU.
TEST(gmmu, time_is_told_of_the_level_that_took_it) {
    gpu_translation::spec s = shared_levels::with_gmmu();
    s.own.walks.walkers = 1;
    shared_levels t(s);
    const auto& first = t.unit.ask(2 * page_bytes);
    const auto& second = t.unit.ask(3 * page_bytes);
    t.finish();
    EXPECT_EQ(first.life.spent(memory::stage::l2_tlb), cycle * 12);
    EXPECT_EQ(second.life.spent(memory::stage::l2_tlb), cycle * 13);  // it takes one a cycle
    for (const auto* const a : {&first, &second}) {
        EXPECT_EQ(a->life.spent(memory::stage::l1_tlb), core::sim_time{});
        EXPECT_EQ(a->life.spent(memory::stage::page_walk), cycle * 100);
    }
    EXPECT_EQ(first.life.spent(memory::stage::gmmu), core::sim_time{});
    EXPECT_EQ(first.life.spent(memory::stage::iommu), core::sim_time{});
    EXPECT_EQ(second.life.spent(memory::stage::gmmu), cycle * 99);  // until the first one's walk ends
    EXPECT_EQ(second.life.spent(memory::stage::iommu), cycle * 400);
}

TEST(gmmu, with_hardly_any_room_it_answers_everything) {
    gpu_translation::spec s = shared_levels::with_gmmu();
    s.own.walks.walkers = 1;
    s.own.walks.queue = 1;
    s.own.forwards = 2;
    shared_levels t(s, 1);
    for (unsigned n = 0; n < 64; ++n) t.unit.ask(n * page_bytes);
    t.finish();
    for (const auto& a : t.unit.all()) EXPECT_EQ(a.physical(), t.table.find(0, a.address)->physical(a.address));
    EXPECT_EQ(t.below.most_inside, 1u);
}

// The IOMMU takes one request at a time: a refused one holds up the walkers, their queue, and the TLB above.
TEST(gmmu, what_waits_for_the_iommu_has_a_place_and_walks_wait_for_places) {
    const auto most_waiting = [](unsigned places) {
        gpu_translation::spec s = shared_levels::with_gmmu();
        s.own.walks.walkers = 4;
        s.own.walks.queue = 1;
        s.own.forwards = 2;
        s.own.waiting = places;
        shared_levels t(s, 1);
        for (unsigned n = 1; n < 64; n += 2) t.unit.ask(n * page_bytes);
        t.finish();
        EXPECT_EQ(t.below.asked, 32u);
        return t.tested.own_walkers()->waiting().max();
    };
    for (const unsigned places : {1u, 2u, 5u}) EXPECT_EQ(most_waiting(places), places);
    EXPECT_GT(most_waiting(64), 20);
}

void count(void* n, std::uint64_t) { ++*static_cast<unsigned*>(n); }

TEST(gmmu, shootdowns_go_from_below_to_above_one_after_the_other) {
    for (const bool has : {false, true}) {
        gpu_translation::spec s = shared_levels::with_gmmu();
        s.has_gmmu = has;
        shared_levels t(s);
        t.unit.ask(2 * page_bytes);
        t.unit.ask(4 * page_bytes);
        t.sim.run();
        for (const std::uint64_t n : {2, 4}) {
            t.table.remap(0, n * page_bytes, t.map.base(1) + (n + 500) * page_bytes);
            t.below.put(0, *t.table.find(0, n * page_bytes));
        }
        t.below.epoch = t.table.epoch();
        unsigned done = 0;
        for (const std::uint64_t n : {2, 4})
            t.tested.shoot_down(translation_range::page(0, n * page_bytes, memory::page_bits_4k), t.table.epoch(),
                                {count, &done, 0});
        EXPECT_FALSE(t.tested.idle());
        const core::sim_time begin = t.sim.events().now();
        t.sim.run();
        EXPECT_EQ(done, 2u);
        EXPECT_EQ((t.sim.events().now() - begin).ps / 1000, has ? 16u : 8u);
        EXPECT_EQ(t.tested.l2().pages(), 0u);
        t.unit.ask(2 * page_bytes);
        t.finish();
        EXPECT_EQ(t.unit.all().back().physical(), t.map.base(1) + 502 * page_bytes);
    }
}

TEST(gmmu, reset_in_mid_traffic_leaks_nothing) {
    for (const std::uint64_t when : {5u, 60u, 120u, 300u}) {
        shared_levels t;
        unsigned done = 0;
        for (unsigned n = 0; n < 64; ++n) t.unit.ask(n * page_bytes);
        t.tested.shoot_down(translation_range::all(), 1, {count, &done, 0});
        t.sim.run_until(cycle * when);
        t.unit.reset();
        t.below.reset();
        ASSERT_TRUE(t.tested.control(core::control_verb::reset));
        EXPECT_TRUE(t.tested.idle());
        const auto answered = t.unit.done();
        t.sim.run();
        EXPECT_EQ(t.unit.done(), answered);
        auto& a = t.unit.ask(3 * page_bytes);
        t.sim.run();
        EXPECT_EQ(a.physical(), 3 * page_bytes);
    }
    shared_levels t;
    EXPECT_FALSE(t.tested.control(core::control_verb::flush));
}

}  // namespace gmmu_test
