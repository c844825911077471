// SPDX-License-Identifier: Apache-2.0
// The behaviour of a cache, case by case, with times.
#include <array>
#include <random>

#include "cached_memory.h"

using namespace contraflow;
using namespace contraflow::memory;
using memory::testing::bench;
using memory::testing::fill_ns;
using memory::testing::first_level;
using memory::testing::hit_ns;
using memory::testing::probe;
using memory::testing::second_level;

namespace {

using setup = memory::testing::cached_memory;

TEST(cache, a_miss_fetches_the_line_and_a_hit_is_fast) {
    setup s(first_level());
    auto& miss = s.p.read(0x104);
    auto& hit = s.p.read(0x178, 4, 500);
    s.b.sim.run();
    EXPECT_EQ(miss.ns(), 100 + fill_ns);
    EXPECT_EQ(miss.value, 0x104u);
    EXPECT_EQ(miss.times.spent(stage::dram).ps, 90'000u);
    EXPECT_EQ(miss.times.spent(stage::l1).ps, (hit_ns + fill_ns) * 1000);
    EXPECT_EQ(hit.ns(), hit_ns);
    EXPECT_EQ(hit.value, 0x178u);
    EXPECT_EQ(s.c.statistics().fills.value(), 1u);
    EXPECT_EQ(s.c.statistics().read_hits.value(), 1u);
}

// A hit, a miss and a request that is passed on take as much longer as the look-up does: it counts once for each.
TEST(cache, every_request_takes_the_look_up_once) {
    struct times {
        std::uint64_t hit, miss, merged, written_through, passed_by;
    };
    const auto with = [](std::uint64_t look_up) {
        cache_spec spec = first_level();
        spec.hit_latency = core::cycles{look_up};
        setup s(spec);
        auto& miss = s.p.read(0x100);
        auto& merged = s.p.read(0x110, 4, 1);
        auto& hit = s.p.read(0x104, 4, 500);
        auto& write = s.p.write(0x304, 78, 4, 1000);
        auto& atomic = s.p.add(0x404, 5, 1500);
        s.b.sim.run();
        return times{hit.ns(), miss.ns(), merged.ns(), write.ns(), atomic.ns()};
    };
    const times before = with(10), after = with(20);
    EXPECT_EQ(after.hit, before.hit + 10);
    EXPECT_EQ(after.miss, before.miss + 10);
    EXPECT_EQ(after.merged, before.merged + 10);
    EXPECT_EQ(after.written_through, before.written_through + 10);
    EXPECT_EQ(after.passed_by, before.passed_by + 10);
}

// The look-up is a pipeline: a short queue behind it does not bound how many requests it holds.
TEST(cache, a_long_look_up_leaves_misses_their_rate) {
    cache_spec spec = first_level();
    spec.size = {64u << 10};
    spec.hit_latency = core::cycles{30};
    spec.request_queue = 2;
    setup s(spec);
    std::vector<probe::asked*> misses;
    for (unsigned i = 0; i < 32; ++i) misses.push_back(&s.p.read(0x80 * i));
    s.b.sim.run();
    EXPECT_LE(misses.back()->answered.ps, (30 + 90 + fill_ns + 32 + 70) * 1000);  // the memory opens two rows
}

TEST(cache, a_hit_overtakes_a_miss) {
    setup s(first_level());
    s.p.read(0x100);
    auto& miss = s.p.read(0x200, 4, 500);
    auto& hit = s.p.read(0x104, 4, 501);
    s.b.sim.run();
    EXPECT_EQ(hit.ns(), hit_ns);
    EXPECT_LT(hit.answered, miss.answered);
}

TEST(cache, requests_for_a_line_under_way_merge_and_are_answered_a_cycle_apart) {
    setup s(first_level());
    auto& first = s.p.read(0x100);
    auto& second = s.p.read(0x110, 4, 20);
    auto& third = s.p.read(0x120, 4, 30);
    s.b.sim.run();
    EXPECT_EQ(s.c.statistics().fills.value(), 1u);
    EXPECT_EQ(s.c.statistics().merged.value(), 2u);
    EXPECT_EQ(first.ns(), 103u);
    EXPECT_EQ(second.answered, first.answered + core::sim_time::from_ns(1));
    EXPECT_EQ(third.answered, first.answered + core::sim_time::from_ns(2));
    EXPECT_EQ(third.value, 0x120u);
    EXPECT_EQ(third.times.spent(stage::merge).ps, 70'000u);
    EXPECT_EQ(third.times.spent(stage::dram).ps, 0u);
}

TEST(cache, writing_through_updates_a_copy_and_takes_no_room) {
    setup s(first_level());
    s.p.read(0x100);
    auto& here = s.p.write(0x104, 77, 4, 500);
    auto& elsewhere = s.p.write(0x304, 78, 4, 600);
    auto& back = s.p.read(0x104, 4, 900);
    s.b.sim.run();
    EXPECT_EQ(here.ns(), 59u);  // the memory has it
    EXPECT_EQ(s.at_home(0x104), 77u);
    EXPECT_EQ(s.at_home(0x304), 78u);
    EXPECT_EQ(elsewhere.status, tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(back.value, 77u);
    EXPECT_EQ(back.ns(), hit_ns);
    EXPECT_EQ(s.c.lines_in_use(), 1u);
}

TEST(cache, writing_back_keeps_the_bytes_and_fetches_nothing_for_part_of_a_line) {
    setup s(second_level());
    auto& w = s.p.write(0x104, 77);
    auto& same = s.p.read(0x104, 4, 50);
    s.b.sim.run();
    EXPECT_EQ(w.ns(), hit_ns);
    EXPECT_EQ(same.value, 77u);
    EXPECT_EQ(same.ns(), hit_ns);
    EXPECT_EQ(s.c.statistics().fills.value(), 0u);
    EXPECT_EQ(s.at_home(0x104), 0x104u);
    auto& rest = s.p.read(0x100, 8);
    s.b.sim.run();
    EXPECT_EQ(rest.value, std::uint64_t{77} << 32 | 0x100u);
    EXPECT_EQ(s.c.statistics().fills.value(), 1u);
    EXPECT_EQ(s.at_home(0x104), 0x104u);
}

TEST(cache, a_dirty_line_that_has_to_go_is_written_back_without_its_other_bytes) {
    setup s(second_level());
    s.p.write(0x104, 77);
    const std::uint32_t meanwhile = 5;
    s.home.bytes().write(0x108, reinterpret_cast<const std::uint8_t*>(&meanwhile), 4);
    for (unsigned i = 1; i <= 4; ++i) s.p.read(0x100 + 0x100 * i, 4, 100 * i);
    s.b.sim.run();
    EXPECT_EQ(s.c.statistics().write_backs.value(), 1u);
    EXPECT_EQ(s.at_home(0x104), 77u);
    EXPECT_EQ(s.at_home(0x108), 5u);
}

// Its own bytes alone, although all bytes of the line are here: another cache may have written the others at home.
TEST(cache, a_whole_line_that_has_to_go_takes_only_its_dirty_bytes_along) {
    setup s(second_level());
    s.p.read(0x100);
    s.p.write(0x104, 77, 4, 500);
    s.b.sim.run();
    const std::uint32_t meanwhile = 5;
    s.home.bytes().write(0x108, reinterpret_cast<const std::uint8_t*>(&meanwhile), 4);
    for (unsigned i = 1; i <= 4; ++i) s.p.read(0x100 + 0x100 * i, 4, 100 * i);
    s.b.sim.run();
    EXPECT_EQ(s.c.statistics().write_backs.value(), 1u);
    EXPECT_EQ(s.at_home(0x104), 77u);
    EXPECT_EQ(s.at_home(0x108), 5u);
}

// Of nine lines of one set of four, five have to go, two of them dirty. All that is counted is what was asked here and
// what the memory saw.
TEST(cache, counts_what_was_asked_here_and_what_the_memory_saw) {
    setup s(second_level());
    for (unsigned i = 0; i < 9; ++i) {
        if (i == 1 || i == 3)
            s.p.write(0x100 + 0x100 * i, i, 4, 200 * i);
        else
            s.p.read(0x100 + 0x100 * i, 4, 200 * i);
    }
    s.p.read(0x900, 4, 2000);
    s.p.write(0x904, 1, 4, 2100);
    s.p.add(0x908, 1, 2200);
    s.p.ask(2300, [](payload& p) {
        p.read(0xa00, 4);
        p.extension().policy = cache_policy::uncached;
    });
    s.b.sim.run();
    const auto& c = s.c.statistics();
    EXPECT_EQ(c.reads.value(), 7u + 1 + 1);
    EXPECT_EQ(c.writes.value(), 2u + 1);
    EXPECT_EQ(c.atomics.value(), 1u);
    EXPECT_EQ(c.read_hits.value(), 1u);
    EXPECT_EQ(c.write_hits.value(), 1u);
    EXPECT_EQ(c.atomic_hits.value(), 1u);
    EXPECT_EQ(c.fills.value(), 7u);
    EXPECT_EQ(c.evictions.value(), 5u);
    EXPECT_EQ(c.write_backs.value(), 2u);
    EXPECT_EQ(c.passed_on.value(), 1u);
    EXPECT_EQ(c.merged.value(), 0u);
    EXPECT_EQ(c.refused.value(), 0u);
    EXPECT_EQ(c.fill_latency.count(), 7u);
    EXPECT_EQ(c.fill_latency.max(), 100'000u);  // the look-up, and a closed row
    const auto& m = s.home.statistics();
    EXPECT_EQ(m.reads.value(), c.fills.value() + c.passed_on.value());
    EXPECT_EQ(m.writes.value(), c.write_backs.value());
    EXPECT_EQ(m.atomics.value(), 0u);
    EXPECT_EQ(m.read_bytes.value(), 7u * 128 + 4);
    EXPECT_EQ(m.written_bytes.value(), 2u * 128);
}

TEST(cache, as_many_requests_as_configured_wait_for_a_line_beside_the_first) {
    cache_spec spec = first_level();
    spec.mshr_targets = 2;
    setup s(spec);
    auto& first = s.p.read(0x100);
    auto& second = s.p.read(0x104, 4, 10);
    auto& third = s.p.read(0x108, 4, 20);
    auto& fourth = s.p.read(0x10c, 4, 30);
    s.b.sim.run();
    EXPECT_EQ(s.c.statistics().merged.value(), 2u);
    EXPECT_EQ(s.c.statistics().fills.value(), 1u);
    EXPECT_EQ(s.c.statistics().read_hits.value(), 1u);
    EXPECT_EQ(second.answered, first.answered + core::sim_time::from_ns(1));
    EXPECT_EQ(third.answered, first.answered + core::sim_time::from_ns(2));
    EXPECT_EQ(fourth.answered, first.answered + core::sim_time::from_ns(hit_ns - fill_ns));
    EXPECT_EQ(s.c.statistics().waits[static_cast<std::size_t>(cache_wait::merge) - 1].value(), 70'000u);
}

TEST(cache, a_miss_register_too_few_holds_back_and_then_goes_on) {
    cache_spec spec = first_level();
    spec.mshrs = 1;
    spec.queue = 1;
    setup s(spec);
    auto& first = s.p.read(0x100);
    auto& second = s.p.read(0x200);
    auto& third = s.p.read(0x300);
    s.b.sim.run_until(core::sim_time::from_ns(50));
    std::vector<core::wait_edge> waits;
    s.c.report_waits(waits);
    ASSERT_FALSE(waits.empty());
    EXPECT_EQ(waits[0].waiter, "tested");
    EXPECT_EQ(waits[0].resource, "a miss register");
    s.b.sim.run();
    EXPECT_EQ(first.accepted, first.at);
    EXPECT_EQ(second.accepted, second.at);
    EXPECT_EQ(third.accepted.ps, 100'000u);  // after the first line has arrived
    EXPECT_GT(second.answered, first.answered);
    EXPECT_GT(third.answered, second.answered);
    EXPECT_GT(s.c.statistics().waits[static_cast<std::size_t>(cache_wait::miss_register) - 1].value(), 150'000u);
}

// What the cache says that it waits for is looked at in the middle of each quarter of a nanosecond; all that happens
// does so between quarters.
struct wait_looks {
    static constexpr std::array<const char*, cache_waits> names{
        "a miss register",           "room to merge with a miss",
        "a line of the set",         "an invalidated line to come",
        "room in its request queue", "a line to be written back",
        "its responses to be taken"};
    cache& of;
    std::array<std::uint64_t, cache_waits> seen{};
    void look() {
        std::vector<core::wait_edge> edges;
        of.report_waits(edges);
        if (edges.empty() || edges[0].waiter != "tested") return;
        for (std::size_t i = 0; i < names.size(); ++i)
            if (edges[0].resource == names[i]) ++seen[i];
    }
};

TEST(cache, the_time_of_each_wait_is_counted) {
    std::array<bool, cache_waits> tried{};
    for (const bool back : {false, true})
        for (const unsigned registers : {1u, 8u}) {
            cache_spec spec = back ? second_level() : first_level();
            spec.mshrs = registers;
            spec.mshr_targets = 2;
            spec.queue = 2;
            spec.request_queue = registers == 1 ? 4 : 2;
            spec.write_backs = 1;
            setup s(spec);
            wait_looks looks{s.c};
            constexpr std::uint64_t length = 30'000;
            for (std::uint64_t ps = 125; ps < length * 1000; ps += 250)
                s.b.sim.events().at(core::sim_time{ps}, core::callback::to<&wait_looks::look>(looks));
            std::mt19937_64 draw(registers);
            for (unsigned i = 0; i < 600; ++i) {
                const std::uint64_t address = draw() % 2048 / 4 * 4, at = draw() % 5000;
                if (draw() % 3 == 0)
                    s.p.write(address, i, 4, at);
                else
                    s.p.read(address, 4, at);
            }
            s.b.sim.run();
            EXPECT_TRUE(s.c.idle());
            ASSERT_LE(s.b.sim.events().now(), core::sim_time::from_ns(length)) << "nobody looked at the end";
            for (std::size_t i = 0; i < cache_waits; ++i) {
                EXPECT_EQ(s.c.statistics().waits[i].value(), looks.seen[i] * 250) << wait_looks::names[i];
                tried[i] = tried[i] || looks.seen[i] > 0;
            }
        }
    for (const cache_wait w : {cache_wait::miss_register, cache_wait::merge, cache_wait::set, cache_wait::write_back})
        EXPECT_TRUE(tried[static_cast<std::size_t>(w) - 1]) << wait_looks::names[static_cast<std::size_t>(w) - 1];
}

TEST(cache, takes_so_many_requests_a_cycle) {
    for (const unsigned each : {1u, 2u}) {
        cache_spec spec = first_level();
        spec.accesses = each;
        setup s(spec);
        s.p.read(0x100);
        std::vector<probe::asked*> hits;
        for (unsigned i = 0; i < 8; ++i) hits.push_back(&s.p.read(0x100 + 4 * i, 4, 500));
        s.b.sim.run();
        for (unsigned i = 0; i < 8; ++i) EXPECT_EQ(hits[i]->answered.ps / 1000, 500 + i / each + hit_ns) << i;
    }
}

TEST(cache, atomics_are_done_here_on_whole_or_missing_lines) {
    setup s(second_level());
    auto& missing = s.p.add(0x104, 5);
    auto& present = s.p.add(0x104, 6, 500);
    s.b.sim.run();
    EXPECT_EQ(missing.value, 0x104u);
    EXPECT_EQ(missing.ns(), 103u);
    EXPECT_EQ(present.value, 0x109u);
    EXPECT_EQ(present.ns(), hit_ns);
    EXPECT_EQ(s.p.look(0x104), 0x10fu);
    EXPECT_EQ(s.at_home(0x104), 0x104u);
    EXPECT_EQ(s.c.statistics().atomics.value(), 2u);
}

TEST(cache, a_write_does_not_overtake_an_atomic_that_waits_for_its_bytes) {
    setup s(second_level());
    auto& modified = s.p.add(0x104, 5);
    auto& others = s.p.write(0x110, 8, 4, 10);
    auto& same = s.p.write(0x104, 7, 4, 20);
    auto& after = s.p.add(0x104, 1, 30);
    s.b.sim.run();
    EXPECT_EQ(modified.value, 0x104u);
    EXPECT_EQ(others.ns(), hit_ns);
    EXPECT_GT(same.ns(), 80u);
    EXPECT_EQ(after.value, 7u);
    EXPECT_EQ(s.p.look(0x104), 8u);
    EXPECT_EQ(s.p.look(0x110), 8u);
}

TEST(cache, a_write_does_not_overtake_the_earlier_of_two_atomics_that_wait_for_its_line) {
    setup s(second_level());
    auto& first = s.p.add(0x104, 5);
    auto& other = s.p.add(0x108, 6, 10);
    auto& write = s.p.write(0x104, 7, 4, 20);
    s.b.sim.run();
    EXPECT_EQ(first.value, 0x104u);
    EXPECT_EQ(other.value, 0x108u);
    EXPECT_GT(write.ns(), 80u);
    EXPECT_EQ(s.p.look(0x104), 7u);
    EXPECT_EQ(s.p.look(0x108), 0x10eu);
}

TEST(cache, what_it_has_passed_on_it_waits_for_by_name) {
    setup s(first_level());
    s.p.write(0x110, 8, 4);
    s.p.add(0x204, 1);
    s.b.sim.run_to(core::sim_time::from_ns(40));
    std::vector<core::wait_edge> waits;
    s.c.report_waits(waits);
    ASSERT_EQ(waits.size(), 1u);
    EXPECT_EQ(waits[0].resource, "answers to 2 requests that it passed on");
    EXPECT_EQ(waits[0].holder, s.c.down.peer_name());
    s.b.sim.run();
    waits.clear();
    s.c.report_waits(waits);
    EXPECT_TRUE(waits.empty());
}

TEST(cache, atomics_passed_on_drop_the_copy_here) {
    setup s(first_level());
    s.p.read(0x104);
    auto& a = s.p.add(0x104, 5, 500);
    auto& after = s.p.read(0x104, 4, 900);
    s.b.sim.run();
    EXPECT_EQ(a.value, 0x104u);
    EXPECT_EQ(after.value, 0x109u);
    EXPECT_EQ(s.c.statistics().fills.value(), 2u);
}

TEST(cache, a_read_of_wider_scope_goes_to_the_next_level_and_drops_the_copy) {
    setup s(first_level());
    s.p.read(0x104);
    s.b.sim.run();
    const std::uint32_t other = 99;
    s.home.bytes().write(0x104, reinterpret_cast<const std::uint8_t*>(&other), 4);
    auto& stale = s.p.read(0x104);
    auto& fresh = s.p.ask(100, [](payload& p) {
        p.read(0x104, 4);
        p.extension().scope = scope::device;
    });
    auto& after = s.p.read(0x104, 4, 500);
    s.b.sim.run();
    EXPECT_EQ(stale.value, 0x104u);
    EXPECT_EQ(fresh.value, 99u);
    EXPECT_EQ(after.value, 99u);
}

TEST(cache, streaming_reads_use_what_is_here_and_take_no_room) {
    setup s(first_level());
    s.p.read(0x100);
    const auto streaming = [](std::uint64_t address) {
        return [address](payload& p) {
            p.read(address, 4);
            p.extension().policy = cache_policy::streaming;
        };
    };
    auto& here = s.p.ask(500, streaming(0x104));
    auto& elsewhere = s.p.ask(600, streaming(0x204));
    s.b.sim.run();
    EXPECT_EQ(here.ns(), hit_ns);
    EXPECT_EQ(elsewhere.value, 0x204u);
    EXPECT_EQ(s.c.lines_in_use(), 1u);
}

bool upper(const void*, std::uint64_t address) { return address >= 0x200; }

TEST(cache, invalidate_drops_the_lines_chosen_and_no_newer_bytes) {
    setup s(second_level());
    s.p.read(0x100);
    s.p.read(0x200);
    s.p.read(0x300);
    s.p.write(0x304, 77, 4, 400);
    s.b.sim.run();
    s.c.invalidate({upper, nullptr});
    EXPECT_EQ(s.c.lines_in_use(), 2u);
    EXPECT_EQ(s.c.statistics().invalidated.value(), 2u);
    auto& kept = s.p.read(0x104);
    auto& gone = s.p.read(0x204, 4, 200);
    auto& newer = s.p.read(0x304, 4, 400);
    auto& beside = s.p.read(0x308, 4, 600);
    s.b.sim.run();
    EXPECT_EQ(kept.ns(), hit_ns);
    EXPECT_GT(gone.ns(), hit_ns);
    EXPECT_EQ(newer.value, 77u);
    EXPECT_EQ(newer.ns(), hit_ns);
    EXPECT_GT(beside.ns(), hit_ns);
}

TEST(cache, a_line_invalidated_under_way_answers_who_waited_and_is_not_kept) {
    setup s(first_level());
    auto& waited = s.p.read(0x100);
    s.b.sim.run_until(core::sim_time::from_ns(50));
    s.c.invalidate();
    auto& later = s.p.read(0x104);
    s.b.sim.run();
    EXPECT_EQ(waited.value, 0x100u);
    EXPECT_EQ(s.c.statistics().fills.value(), 2u);
    EXPECT_GE(later.answered, waited.answered + core::sim_time::from_ns(80));
}

TEST(cache, flush_writes_back_the_lines_chosen_and_says_when_memory_has_them) {
    setup s(second_level());
    s.p.write(0x104, 1);
    s.p.write(0x204, 2);
    s.p.write(0x304, 3);
    s.b.sim.run();
    bool done = false;
    const core::callback tell{[](void* d, std::uint64_t) { *static_cast<bool*>(d) = true; }, &done, 0};
    EXPECT_TRUE(s.c.flush({upper, nullptr}, tell));
    EXPECT_TRUE(s.c.flushing());
    EXPECT_FALSE(s.c.flush({}, tell));
    const auto begun = s.b.sim.events().now();
    s.b.sim.run_until(begun + core::sim_time::from_ns(50));
    EXPECT_FALSE(done);
    s.b.sim.run();
    EXPECT_TRUE(done);
    EXPECT_EQ(s.at_home(0x104), 0x104u);
    EXPECT_EQ(s.at_home(0x204), 2u);
    EXPECT_EQ(s.at_home(0x304), 3u);
    EXPECT_EQ(s.c.dirty_lines(), 1u);
    auto& still_here = s.p.read(0x204);
    s.b.sim.run();
    EXPECT_EQ(still_here.ns(), hit_ns);
}

TEST(cache, flush_waits_for_the_last_line_as_well) {
    setup s(second_level());
    s.p.write(0x104, 77);
    s.b.sim.run();
    s.home.control(core::control_verb::pause);
    bool done = false;
    s.c.flush({}, {[](void* d, std::uint64_t) { *static_cast<bool*>(d) = true; }, &done, 0});
    s.b.sim.run();
    EXPECT_EQ(s.c.dirty_lines(), 0u);
    EXPECT_FALSE(done);
    s.home.control(core::control_verb::enable);
    s.b.sim.run();
    EXPECT_TRUE(done);
}

TEST(cache, a_hit_keeps_a_line_and_the_one_not_used_for_longest_goes) {
    setup s(first_level());
    for (unsigned i = 0; i < 4; ++i) s.p.read(0x100 + 0x100 * i, 4, 200 * i);  // a set of four lines
    s.p.read(0x100, 4, 1000);
    s.p.read(0x500, 4, 1200);
    auto& kept = s.p.read(0x104, 4, 1500);
    auto& gone = s.p.read(0x204, 4, 1700);
    s.b.sim.run();
    EXPECT_EQ(kept.ns(), hit_ns);
    EXPECT_GT(gone.ns(), hit_ns);
}

TEST(cache, debug_access_sees_what_is_newest_and_changes_nothing_else) {
    setup s(second_level());
    s.p.write(0x104, 77);
    s.p.read(0x200);
    s.b.sim.run();
    const auto fills = s.c.statistics().fills.value();
    EXPECT_EQ(s.p.look(0x104), 77u);
    std::vector<std::uint32_t> many(64);
    EXPECT_EQ(s.p.debug(tlm::TLM_READ_COMMAND, 0x80, many.data(), 256), 256u);
    EXPECT_EQ(many[(0x104 - 0x80) / 4], 77u);
    EXPECT_EQ(many[(0x108 - 0x80) / 4], 0x108u);
    s.p.put(0x204, 5);
    s.p.put(0x104, 6);
    auto& line = s.p.read(0x204);
    auto& dirty = s.p.read(0x104);
    const auto now = s.b.sim.events().now();
    EXPECT_EQ(s.b.sim.events().now(), now);
    s.b.sim.run();
    EXPECT_EQ(line.value, 5u);
    EXPECT_EQ(dirty.value, 6u);
    EXPECT_EQ(s.c.statistics().fills.value(), fills);
    EXPECT_EQ(s.p.debug(tlm::TLM_READ_COMMAND, std::uint64_t{1} << 40, many.data(), 4), 0u);
}

TEST(cache, debug_access_sees_a_line_on_its_way_home) {
    setup s(second_level());
    s.p.write(0x104, 77);
    s.b.sim.run();
    s.home.control(core::control_verb::pause);
    s.c.flush({}, {});
    s.b.sim.run();
    EXPECT_EQ(s.c.dirty_lines(), 0u);
    EXPECT_EQ(s.at_home(0x104), 0x104u);
    EXPECT_EQ(s.p.look(0x104), 77u);
    s.home.control(core::control_verb::enable);
    s.b.sim.run();
    EXPECT_EQ(s.at_home(0x104), 77u);
}

TEST(cache, a_request_across_lines_is_refused) {
    setup s(first_level());
    auto& across = s.p.read(0x17e, 4);
    auto& outside = s.p.read(std::uint64_t{1} << 40);
    auto& inside = s.p.read(0x17c, 4, 500);
    s.b.sim.run();
    EXPECT_EQ(across.status, tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(outside.status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(inside.status, tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(s.c.lines_in_use(), 1u);
}

TEST(cache, a_bank_uses_all_its_sets_for_its_part_of_the_lines) {
    cache_spec spec = first_level();
    spec.bank = interleave(4, 128);
    setup s(spec);
    for (unsigned i = 0; i < 8; ++i) s.p.read(512 * i, 4, 200 * i);  // all of bank 0: eight lines, which all fit
    s.b.sim.run();
    EXPECT_EQ(s.c.lines_in_use(), 8u);
    EXPECT_EQ(s.c.statistics().evictions.value(), 0u);
}

TEST(cache, impossible_shapes_are_refused) {
    bench b;
    cache_spec s = first_level();
    s.size = {1000};
    EXPECT_THROW(cache("a", b.shared, s), std::invalid_argument);
    s = first_level();
    s.line = {256};
    EXPECT_THROW(cache("b", b.shared, s), std::invalid_argument);
    s = first_level();
    s.replacement = "lfu";
    EXPECT_THROW(cache("c", b.shared, s), std::invalid_argument);
}

}  // namespace
