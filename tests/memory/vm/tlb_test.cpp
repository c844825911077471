// SPDX-License-Identifier: Apache-2.0
// The contract of a TLB: hits and their cost, merged misses, waits, and that no translation from before
// an invalidation is served after it.
#include <gmock/gmock.h>

#include "memory/bench.h"
#include "memory/translation_support.h"
#include "memory/vm/tlb.h"

using namespace contraflow;
using namespace contraflow::memory;
using core::control_verb;
using memory::testing::known_pages;
using memory::testing::page_at;
using memory::testing::translation_requester;

namespace tlb_test {

constexpr std::uint64_t page = 4096;
constexpr core::sim_time ns(std::uint64_t n) { return core::sim_time::from_ns(n); }

tlb_spec small_tlb() {
    tlb_spec s;
    s.sets = 4;
    s.ways = 2;
    s.hit_latency = {5};
    s.fill_latency = {2};
    s.mshrs = 4;
    s.mshr_targets = 2;
    s.queue = 4;
    return s;
}

// Virtual page n is physical page 1000 + n.
struct tlb_bench : memory::testing::bench {
    explicit tlb_bench(const tlb_spec& s = small_tlb(), unsigned room = 1000)
        : below(sim.events(), ns(100), room),
          tested("tested", shared, s, below.requests()),
          unit(sim.events(), tested.levels_above()) {
        for (std::uint64_t n = 0; n < 64; ++n) below.put(0, page_at(n * page, (1000 + n) * page));
    }
    void finish() {
        sim.run();
        EXPECT_TRUE(tested.idle());
        observe::conservation checks;
        tested.check(checks);
        EXPECT_TRUE(checks.held());
        EXPECT_EQ(unit.done(), unit.all().size());
    }
    // Sends a request, and waits for the answer.
    translation_requester::asked& one(std::uint64_t address, bool write = false, std::uint32_t process = 0) {
        translation_requester::asked& a = unit.ask(address, write, process);
        sim.run();
        EXPECT_TRUE(a.done);
        return a;
    }
    std::uint64_t hits() const { return tested.statistics().hits.value(); }

    known_pages below;
    tlb tested;
    translation_requester unit;
};

TEST(tlb, a_miss_costs_the_way_below_and_a_hit_does_not) {
    tlb_bench t;
    const auto& missed = t.one(3 * page + 20);
    EXPECT_EQ(missed.physical(), 1003 * page + 20);
    EXPECT_EQ(missed.ns(), 5u + 100u + 2u);
    EXPECT_EQ(missed.life.spent(stage::l1_tlb), ns(7));
    EXPECT_EQ(missed.life.spent(stage::iommu), ns(100));
    const auto& hit = t.one(3 * page + 4095);
    EXPECT_EQ(hit.physical(), 1003 * page + 4095);
    EXPECT_EQ(hit.ns(), 5u);
    EXPECT_EQ(t.below.asked, 1u);
    EXPECT_EQ(t.hits(), 1u);
    EXPECT_EQ(t.tested.statistics().misses.value(), 1u);
    t.finish();
}

TEST(tlb, lookups_are_a_pipeline_of_so_many_a_cycle) {
    for (const unsigned lookups : {1u, 2u}) {
        tlb_spec s = small_tlb();
        s.queue = 16;
        s.lookups = lookups;
        tlb_bench t(s);
        t.one(page);
        const std::uint64_t begin = t.sim.events().now().ps;
        for (unsigned i = 0; i < 8; ++i) t.unit.ask(page + i);
        t.finish();
        EXPECT_EQ(t.unit.all().back().answered.ps, begin + (5 + 7 / lookups) * 1000 + (lookups == 2 ? 500 : 0));
    }
}

TEST(tlb, requests_for_a_page_that_is_under_way_merge_and_are_answered_in_order) {
    tlb_bench t;
    for (unsigned i = 0; i < 3; ++i) t.unit.ask(7 * page + i);
    t.finish();
    EXPECT_EQ(t.below.asked, 1u);
    EXPECT_EQ(t.tested.statistics().merged.value(), 2u);
    EXPECT_THAT(t.unit.order, ::testing::ElementsAre(0, 1, 2));
    for (const auto& a : t.unit.all()) EXPECT_EQ(a.answered, t.unit.all().front().answered);
}

TEST(tlb, all_that_wait_for_a_page_that_is_put_aside_know_for_how_long) {
    tlb_bench t;
    t.below.closed = 7 * page;
    const auto& first = t.unit.ask(7 * page);
    t.sim.run_to(ns(50));
    const auto& second = t.unit.ask(7 * page + 4);
    t.sim.run_to(ns(200));
    t.below.closed = ~std::uint64_t{0};
    t.below.let_in();
    const auto& third = t.unit.ask(7 * page + 8);
    t.finish();
    EXPECT_EQ(t.below.asked, 1u);
    EXPECT_EQ(first.life.spent(stage::page_held), ns(200 - 5));
    EXPECT_EQ(first.life.spent(stage::l1_tlb), ns(5 + 2));
    EXPECT_EQ(second.life.spent(stage::page_held), ns(200 - 50));
    EXPECT_EQ(second.life.spent(stage::l1_tlb), ns(100 + 2));  // where it joined the first one
    EXPECT_EQ(third.life.spent(stage::page_held), core::sim_time{});
    EXPECT_EQ(third.ns(), 100u + 2u);
}

TEST(tlb, a_hit_overtakes_a_miss) {
    tlb_bench t;
    t.one(page);
    t.unit.ask(2 * page);
    t.unit.ask(page);
    t.finish();
    EXPECT_THAT(t.unit.order, ::testing::ElementsAre(0, 2, 1));
}

TEST(tlb, without_room_in_an_mshr_it_stalls_and_then_holds_its_sender_back) {
    tlb_bench t;
    for (std::uint64_t n = 0; n < 12; ++n) t.unit.ask(n * page);
    EXPECT_EQ(t.unit.held_back(), 1u);  // the queue has four places
    t.finish();
    EXPECT_EQ(t.below.most_inside, 4u);
    EXPECT_GT(t.tested.statistics().wait_mshr.value(), 0u);
    tlb_bench same_page;
    for (unsigned n = 0; n < 5; ++n) same_page.unit.ask(n);
    same_page.finish();
    EXPECT_EQ(same_page.below.asked, 1u);
    EXPECT_EQ(same_page.tested.statistics().merged.value(), 2u);
    EXPECT_EQ(same_page.hits(), 2u);  // it had to wait for the page
}

TEST(tlb, held_back_by_the_next_level_it_loses_nothing) {
    tlb_bench t(small_tlb(), 1);
    for (std::uint64_t n = 0; n < 40; ++n) t.unit.ask(n % 13 * page + n);
    t.finish();
    for (const auto& a : t.unit.all()) EXPECT_EQ(a.physical(), a.address + 1000 * page);
    EXPECT_EQ(t.below.most_inside, 1u);
    EXPECT_GT(t.tested.statistics().wait_next.value(), 0u);
}

TEST(tlb, sets_and_ways_bound_what_is_here_and_the_policy_says_what_goes) {
    tlb_bench t;
    t.one(0);
    t.one(4 * page);  // the same of four sets
    t.one(0);
    t.one(8 * page);  // page 4 was unused for longest
    EXPECT_EQ(t.tested.statistics().evictions.value(), 1u);
    EXPECT_EQ(t.hits(), 1u);
    t.one(0);
    t.one(8 * page);
    EXPECT_EQ(t.hits(), 3u);
    t.one(4 * page);
    EXPECT_EQ(t.hits(), 3u);
    EXPECT_EQ(t.tested.pages(), 2u);
    tlb_spec s = small_tlb();
    s.replacement = "fifo";
    tlb_bench in_turn(s);
    for (const std::uint64_t n : {0, 4, 0, 8}) in_turn.one(n * page);
    in_turn.one(0);
    EXPECT_EQ(in_turn.hits(), 1u);  // page 0 came first
}

TEST(tlb, pages_of_three_sizes_stand_side_by_side) {
    tlb_bench t;
    t.below.put(0, page_at(0x10'0000, 0x900'0000, page_bits_64k));
    t.below.put(0, page_at(0x20'0000, 0xa00'0000, page_bits_2m));
    EXPECT_EQ(t.one(0x10'fffc).physical(), 0x900'fffcu);
    EXPECT_EQ(t.one(0x3f'fff0).physical(), 0xa1f'fff0u);
    EXPECT_EQ(t.one(page).physical(), 1001 * page);
    const auto asked = t.below.asked;
    EXPECT_EQ(t.one(0x10'0000).physical(), 0x900'0000u);
    EXPECT_EQ(t.one(0x20'1234).physical(), 0xa00'1234u);
    EXPECT_EQ(t.one(page + 8).physical(), 1001 * page + 8);
    EXPECT_EQ(t.below.asked, asked);
    EXPECT_EQ(t.tested.pages(), 3u);
}

TEST(tlb, a_large_page_answers_all_who_wait_for_any_part_of_it) {
    tlb_bench t;
    t.below.put(0, page_at(0x20'0000, 0xa00'0000, page_bits_2m));
    t.unit.ask(0x20'0000);
    t.unit.ask(0x20'3000);  // not yet known to be in the same page
    t.unit.ask(0x3f'f000);
    t.finish();
    EXPECT_EQ(t.below.asked, 3u);
    for (const auto& a : t.unit.all()) {
        EXPECT_EQ(a.physical(), a.address - 0x20'0000 + 0xa00'0000);
        EXPECT_EQ(a.answered, t.unit.all().front().answered);
    }
    EXPECT_EQ(t.tested.pages(), 1u);
}

TEST(tlb, a_small_page_in_place_of_a_large_one_takes_it_away) {
    tlb_bench t;
    t.below.put(0, page_at(0x20'0000, 0xa00'0000, page_bits_2m));
    t.one(0x20'0000);
    t.below.take(0, 0x20'0000);
    for (std::uint64_t n = 512; n < 1024; ++n) t.below.put(0, page_at(n * page, n * 2 * page, page_bits_4k));
    t.tested.invalidate(translation_range::page(0, 0x20'0000, page_bits_2m), 2, {});
    EXPECT_EQ(t.one(0x20'5000).physical(), 0x205 * 2 * page);
    EXPECT_EQ(t.one(0x20'0000).physical(), 0x200 * 2 * page);
}

TEST(tlb, processes_do_not_see_each_others_pages) {
    tlb_bench t;
    t.below.put(7, page_at(page, 5 * page));
    EXPECT_EQ(t.one(page, false, 0).physical(), 1001 * page);
    EXPECT_EQ(t.one(page, false, 7).physical(), 5 * page);
    EXPECT_EQ(t.one(page, false, 0).physical(), 1001 * page);
    EXPECT_EQ(t.hits(), 1u);
    EXPECT_EQ(t.one(page, false, 9).status, translation_status::unmapped);
}

TEST(tlb, faults_are_answered_and_not_kept) {
    tlb_bench t;
    t.below.put(0, page_at(100 * page, 9 * page, page_bits_4k, access_rights::read));
    t.below.put(0, page_at(101 * page, 9 * page, page_bits_4k, access_rights::none));
    EXPECT_EQ(t.one(200 * page).status, translation_status::unmapped);
    EXPECT_EQ(t.one(std::uint64_t{1} << 60).status, translation_status::unmapped);
    EXPECT_EQ(t.one(100 * page, true).status, translation_status::protection);
    EXPECT_EQ(t.one(100 * page, false).status, translation_status::translated);
    EXPECT_EQ(t.one(101 * page, false).status, translation_status::protection);
    EXPECT_EQ(t.tested.statistics().refused.value(), 4u);
    t.below.put(0, page_at(200 * page, 8 * page));
    EXPECT_EQ(t.one(200 * page).physical(), 8 * page);
}

TEST(tlb, a_write_to_a_page_that_is_here_for_reading_asks_below) {
    tlb_bench t;
    t.below.put(0, page_at(100 * page, 9 * page, page_bits_4k, access_rights::read));
    t.one(100 * page, false);
    t.below.put(0, page_at(100 * page, 9 * page));  // widening needs no shootdown
    t.unit.ask(100 * page, true);
    t.unit.ask(100 * page, false);  // must not overtake the write
    t.finish();
    EXPECT_THAT(t.unit.order, ::testing::ElementsAre(0, 1, 2));
    EXPECT_EQ(t.unit.all().back().answered, t.unit.all()[1].answered);
    EXPECT_EQ(t.one(100 * page, true).ns(), 5u);
}

TEST(tlb, a_write_that_merges_with_a_read_asks_again_if_the_page_is_for_reading) {
    tlb_bench t;
    t.below.put(0, page_at(100 * page, 9 * page, page_bits_4k, access_rights::read));
    t.unit.ask(100 * page, false);
    t.unit.ask(100 * page, true);
    t.unit.ask(100 * page, false);
    t.finish();
    EXPECT_EQ(t.below.asked, 2u);
    EXPECT_THAT(t.unit.order, ::testing::ElementsAre(0, 1, 2));
    EXPECT_EQ(t.unit.all()[0].status, translation_status::translated);
    EXPECT_EQ(t.unit.all()[1].status, translation_status::protection);
    EXPECT_EQ(t.unit.all()[2].status, translation_status::translated);
}

void note(void* when, std::uint64_t) { ++*static_cast<unsigned*>(when); }

TEST(tlb, what_was_invalidated_is_asked_for_again) {
    tlb_bench t;
    t.below.put(1, page_at(page, 5 * page));
    for (const std::uint64_t n : {1, 2, 3}) t.one(n * page);
    t.one(page, false, 1);
    unsigned acknowledged = 0;
    t.tested.invalidate(translation_range::page(0, 2 * page + 7, page_bits_4k), 2, {note, &acknowledged});
    EXPECT_EQ(acknowledged, 0u);
    const core::sim_time begin = t.sim.events().now();
    t.sim.run();
    EXPECT_EQ(acknowledged, 1u);
    EXPECT_EQ(t.sim.events().now() - begin, ns(4));
    EXPECT_EQ(t.tested.statistics().invalidated.value(), 1u);
    EXPECT_EQ(t.tested.pages(), 3u);
    t.one(2 * page);
    t.one(page);
    EXPECT_EQ(t.hits(), 1u);
    t.tested.invalidate(translation_range::of_process(0), 3, {});
    EXPECT_EQ(t.tested.pages(), 1u);
    t.tested.invalidate(translation_range::all(), 4, {});
    EXPECT_EQ(t.tested.pages(), 0u);
    t.finish();
}

TEST(tlb, an_answer_from_before_an_invalidation_is_not_served_after_it) {
    for (const std::uint64_t when : {0u, 4u, 6u, 50u, 104u, 106u}) {
        tlb_bench t;
        t.unit.ask(page);
        t.unit.ask(2 * page);
        t.sim.run_until(ns(when));
        t.below.put(0, page_at(page, 77 * page));
        t.below.epoch = 2;
        t.tested.invalidate(translation_range::page(0, page, page_bits_4k), 2, {});
        t.finish();
        EXPECT_EQ(t.unit.all()[0].physical(), 77 * page) << when;
        EXPECT_EQ(t.unit.all()[1].physical(), 1002 * page);
        // The other request turns out to be for none of these pages.
        EXPECT_EQ(t.tested.statistics().outdated.value(), when >= 6 ? 1u : 0u) << when;
        EXPECT_EQ(t.one(page).physical(), 77 * page);
    }
}

TEST(tlb, how_large_a_page_is_shows_when_it_comes_and_so_whether_it_was_meant) {
    struct {
        unsigned bits;
        std::uint64_t shot;  // 4 KiB page number, counted from the start of the large one
        bool meant;
    } const cases[] = {{page_bits_4k, 0, false},   {page_bits_4k, 5, true},  {page_bits_64k, 0, true},
                       {page_bits_64k, 16, false}, {page_bits_2m, 16, true}, {page_bits_2m, 511, true},
                       {page_bits_2m, 512, false}};
    for (const auto& c : cases) {
        tlb_bench t;
        const std::uint64_t begin = 8u << 20, asked = begin + 5 * page;
        t.below.put(0, page_at(asked >> c.bits << c.bits, 64u << 20, c.bits));
        t.unit.ask(asked);
        t.sim.run_to(ns(50));
        t.below.epoch = 2;
        t.tested.invalidate(translation_range::page(0, begin + c.shot * page, page_bits_4k), 2, {});
        t.finish();
        EXPECT_EQ(t.tested.statistics().outdated.value(), c.meant ? 1u : 0u) << c.bits << ", " << c.shot;
    }
}

TEST(tlb, the_verb_invalidate_is_of_all_pages_and_all_answers_under_way) {
    tlb_bench t;
    t.one(3 * page);
    t.unit.ask(page);
    t.sim.run_until(t.sim.events().now() + ns(50));
    t.below.put(0, page_at(page, 77 * page));
    ASSERT_TRUE(t.tested.control(control_verb::invalidate));
    EXPECT_EQ(t.tested.pages(), 0u);
    t.finish();
    EXPECT_EQ(t.unit.all()[1].physical(), 77 * page);
}

}  // namespace tlb_test
