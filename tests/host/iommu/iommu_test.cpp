// SPDX-License-Identifier: Apache-2.0
// The IOMMU alone: the cost of a walk, the number of walks, full queues, and the handler of faults.
#include "iommu_machine.h"

using namespace contraflow;
using namespace contraflow::host;
using namespace contraflow::host::testing;
using namespace contraflow::memory;
using core::control_verb;

namespace {

TEST(iommu, a_fixed_walk_takes_its_time_and_the_way_there_and_back) {
    iommu_machine m(spec_of(walk_kind::fixed));
    const auto& a = m.gpu.ask(5 * page_bytes + 9);
    m.finish();
    EXPECT_EQ(a.physical(), 1005 * page_bytes + 9);
    EXPECT_EQ(a.ns(), 140u + 100u + 140u);
    EXPECT_EQ(a.life.spent(stage::iommu), ns(280));
    EXPECT_EQ(a.life.spent(stage::page_walk), ns(100));
    EXPECT_EQ(m.tested.walk_port(), nullptr);
}

TEST(iommu, sixteen_walks_are_under_way_together_and_a_full_queue_holds_back) {
    iommu::spec s = spec_of(walk_kind::fixed);
    s.walks.queue = 20;
    iommu_machine m(s);
    for (std::uint64_t n = 0; n < 40; ++n) m.gpu.ask(n * page_bytes);
    EXPECT_EQ(m.gpu.held_back(), 1u);
    m.finish();
    EXPECT_EQ(m.walks().walking.max(), 16.0);
    EXPECT_GT(m.walks().held_back.value(), 0u);
    for (std::uint32_t i = 0; i < 40; ++i) EXPECT_EQ(m.gpu.order[i], i);
    // The first 16 of 20 begin when they arrive, the others when these are done.
    EXPECT_EQ(m.gpu.all()[15].ns(), 380u);
    EXPECT_EQ(m.gpu.all()[16].ns(), 480u);
}

TEST(iommu, a_walk_reads_its_entries_where_they_stand_and_later_ones_begin_further_down) {
    iommu_machine m(spec_of(walk_kind::memory));
    m.table.map(0, page_at(3u << 30, 0x800'0000, page_bits_2m));
    m.table.map(0, page_at(0x20'0000, 0x900'0000, page_bits_64k));
    const auto one = [&](std::uint64_t address) {
        const auto before = m.walks().reads.value();
        auto& a = m.gpu.ask(address);
        m.sim.run();
        EXPECT_TRUE(a.done);
        EXPECT_EQ(a.physical(), m.table.find(0, address)->physical(address));
        EXPECT_EQ(a.page.bits, m.table.find(0, address)->bits);
        return m.walks().reads.value() - before;
    };
    EXPECT_EQ(one(0), 4u);
    EXPECT_EQ(one(7 * page_bytes), 1u);
    EXPECT_EQ(one(0x20'f000), 2u);       // another table of the last level
    EXPECT_EQ(one((3u << 30) + 5), 2u);  // a large page is an entry of the level before
    EXPECT_EQ(one((3u << 30) + (1u << 20)), 1u);
    EXPECT_EQ(m.walks().cache_hits.value(), 4u);
    EXPECT_GT(m.gpu.all()[0].life.spent(stage::page_walk), m.gpu.all()[1].life.spent(stage::page_walk) * 2);
    m.finish();
    iommu::spec s = spec_of(walk_kind::memory);
    s.walks.cached = 0;
    iommu_machine without(s);
    for (unsigned n = 0; n < 3; ++n) without.gpu.ask(n * page_bytes);
    without.finish();
    EXPECT_EQ(without.walks().reads.value(), 12u);
}

TEST(iommu, faults_are_told_to_the_sink_and_answered) {
    for (const walk_kind kind : {walk_kind::fixed, walk_kind::memory}) {
        iommu_machine m(spec_of(kind));
        recording_sink sink;
        m.tested.set_sink(&sink);
        m.table.map(0, page_at(100 * page_bytes, 0, page_bits_4k, access_rights::read));
        m.table.map(0, page_at(101 * page_bytes, 0, page_bits_4k, access_rights::none));
        m.gpu.ask(200 * page_bytes);
        m.gpu.ask(1, false, 9);  // a process without pages
        m.gpu.ask(std::uint64_t{1} << 55);
        m.gpu.ask(100 * page_bytes, true);
        m.gpu.ask(100 * page_bytes, false);
        m.gpu.ask(101 * page_bytes, false);
        m.finish();
        const auto status = [&](unsigned i) { return m.gpu.all()[i].status; };
        for (const unsigned i : {0u, 1u, 2u}) EXPECT_EQ(status(i), translation_status::unmapped);
        EXPECT_EQ(status(3), translation_status::protection);
        EXPECT_EQ(m.gpu.all()[3].page.rights, access_rights::read);
        EXPECT_EQ(status(4), translation_status::translated);
        EXPECT_EQ(status(5), translation_status::protection);
        EXPECT_EQ(sink.faults.size(), 5u);
        EXPECT_EQ(m.tested.faults(), 5u);
        EXPECT_EQ(sink.pages, std::vector<std::uint64_t>{0});
    }
}

TEST(iommu, what_the_sink_holds_stays_until_its_page_is_there) {
    iommu_machine m(spec_of(walk_kind::memory));
    recording_sink sink;
    sink.on_fault = walk_verdict::hold;
    m.tested.set_sink(&sink);
    m.gpu.ask(200 * page_bytes);
    m.gpu.ask(201 * page_bytes);
    m.gpu.ask(page_bytes);
    m.sim.run();
    EXPECT_EQ(m.gpu.done(), 1u);
    EXPECT_EQ(m.tested.held(), 2u);
    std::vector<core::wait_edge> waits;
    m.tested.report_waits(waits);
    ASSERT_EQ(waits.size(), 1u);
    EXPECT_EQ(waits[0].holder, "driver");
    EXPECT_NE(waits[0].resource.find("0xc8000"), std::string::npos) << waits[0].resource;
    m.table.map(0, page_at(200 * page_bytes, 7 * page_bytes));
    m.sim.events().after(
        core::sim_time::from_us(10), [](void*, std::uint64_t) {}, nullptr);
    m.sim.run();
    m.tested.resume(translation_range::page(0, 200 * page_bytes, page_bits_4k));
    m.sim.run();
    EXPECT_EQ(m.gpu.all()[0].physical(), 7 * page_bytes);
    EXPECT_GT(m.gpu.all()[0].life.spent(stage::page_held), ns(5000));
    EXPECT_EQ(m.tested.held(), 1u);
    m.tested.give_up(translation_range::all());
    m.finish();
    EXPECT_EQ(m.gpu.all()[1].status, translation_status::unmapped);
}

TEST(iommu, a_page_that_is_about_to_move_is_held_as_well) {
    iommu_machine m(spec_of(walk_kind::fixed));
    recording_sink sink;
    sink.on_found = walk_verdict::hold;
    m.tested.set_sink(&sink);
    m.gpu.ask(page_bytes);
    m.sim.run();
    EXPECT_EQ(m.gpu.done(), 0u);
    EXPECT_EQ(sink.pages, std::vector<std::uint64_t>{1001 * page_bytes});
    m.table.remap(0, page_bytes, 44 * page_bytes);
    sink.on_found = walk_verdict::answer;
    m.tested.resume(translation_range::page(0, page_bytes, page_bits_4k));
    m.finish();
    EXPECT_EQ(m.gpu.all()[0].physical(), 44 * page_bytes);
}

TEST(iommu, tables_that_were_given_back_are_not_walked) {
    iommu_machine m(spec_of(walk_kind::memory), 8);
    const std::uint64_t far = std::uint64_t{5} << 21;
    m.table.map(0, page_at(far, 0x5000));
    m.gpu.ask(far);
    m.sim.run();
    m.table.unmap(0, far);  // gives the table of the last level back
    unsigned acknowledged = 0;
    m.tested.invalidate(translation_range::page(0, far, page_bits_4k),
                        {[](void* n, std::uint64_t) { ++*static_cast<unsigned*>(n); }, &acknowledged, 0});
    m.sim.run();
    EXPECT_EQ(acknowledged, 1u);
    m.table.map(0, page_at(std::uint64_t{9} << 21, 0x6000));  // takes it again
    m.gpu.ask(far);
    m.gpu.ask(std::uint64_t{9} << 21);
    m.finish();
    EXPECT_EQ(m.gpu.all()[1].status, translation_status::unmapped);
    EXPECT_EQ(m.gpu.all()[2].physical(), 0x6000u);
}

// The same without an invalidation, and between a walk's entries.
TEST(iommu, walks_begin_again_when_a_table_on_their_way_was_given_back) {
    const std::uint64_t far = std::uint64_t{5} << 21, other = std::uint64_t{9} << 21;
    std::uint64_t repeated = 0;
    for (unsigned wait = 140; wait < 600; wait += 10) {
        iommu_machine m(spec_of(walk_kind::memory), 8);
        m.table.map(0, page_at(far, 0x5000));
        const auto& early = m.gpu.ask(far);
        m.sim.run_until(ns(wait));
        m.table.unmap(0, far);
        m.table.map(0, page_at(other, 0x6000));  // is in the same frame
        const auto& late = m.gpu.ask(far + 4096);
        const auto& there = m.gpu.ask(other);
        m.finish();
        EXPECT_TRUE(early.status == translation_status::unmapped || early.physical() == 0x5000) << wait;
        EXPECT_EQ(late.status, translation_status::unmapped) << wait;
        EXPECT_EQ(there.physical(), 0x6000u) << wait;
        repeated += m.walks().repeated.value();
    }
    EXPECT_GT(repeated, 0u);
}

TEST(iommu, paused_and_drained_it_keeps_what_it_has_and_reset_it_drops_all) {
    for (const walk_kind kind : {walk_kind::fixed, walk_kind::memory}) {
        for (const control_verb verb : {control_verb::pause, control_verb::drain}) {
            iommu_machine m(spec_of(kind));
            for (std::uint64_t n = 0; n < 60; ++n) m.gpu.ask(n * page_bytes);
            m.sim.run_until(ns(200));
            ASSERT_TRUE(m.tested.control(verb));
            m.gpu.ask(60 * page_bytes);
            m.sim.run();
            EXPECT_LT(m.gpu.done(), 61u);
            EXPECT_EQ(m.tested.idle(), verb == control_verb::drain);
            ASSERT_TRUE(m.tested.control(control_verb::enable));
            m.finish();
        }
        for (const std::uint64_t when : {10u, 150u, 200u, 310u}) {
            iommu_machine m(spec_of(kind));
            for (std::uint64_t n = 0; n < 60; ++n) m.gpu.ask(n * page_bytes);
            m.sim.run_until(ns(when));
            m.gpu.reset();
            ASSERT_TRUE(m.tested.control(control_verb::reset));
            ASSERT_TRUE(m.home.control(control_verb::reset));
            for (const auto& c : m.checkers) c->reset();
            EXPECT_TRUE(m.tested.idle());
            EXPECT_EQ(m.payloads.in_flight(), 0u);
            const auto done = m.gpu.done();
            m.sim.run();
            EXPECT_EQ(m.gpu.done(), done);
            auto& a = m.gpu.ask(3 * page_bytes);
            m.sim.run();
            EXPECT_EQ(a.physical(), 1003 * page_bytes);
        }
        iommu_machine m(spec_of(kind));
        EXPECT_FALSE(m.tested.control(control_verb::flush));
        EXPECT_TRUE(m.tested.control(control_verb::invalidate));
        m.finish();
    }
}

}  // namespace
